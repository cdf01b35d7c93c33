package release_test

import (
	"testing"

	"sett/internal/sett/faults"
	"sett/internal/sett/release"
)

func TestEntriesNameTheirRevision(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		entry         faults.Entry
		before, after string
		named         bool
	}{
		{release.ReopenedEntry("4f2a9c1"), "Reopened: it occurred again in ", ".", true},
		{release.ReopenedEntry("in"), "Reopened: it occurred again in ", ".", true},
		{release.ReopenedEntry(""), "", "", false},
		{release.ReopenedEntry("two\nlines"), "", "", false},
		{release.DeployedEntry(faults.Deploy{Revision: "e", Environment: "staging"}), "Resolved by the deploy of ", " to staging.", true},
		{release.DeployedEntry(faults.Deploy{Environment: "staging"}), "", "", false},
		{faults.ResolvedEntry(""), "", "", false},
		{faults.ResolvedEntry("e"), "Resolved in ", ".", true},
	} {
		before, after, named := release.AroundRevision(faults.Comment{Event: c.entry.Event, Revision: c.entry.Revision, Body: c.entry.Body})
		if before != c.before || after != c.after || named != c.named {
			t.Errorf("%+v: %q, %q, %v", c.entry, before, after, named)
		}
		if named && before+c.entry.Revision+after != c.entry.Body {
			t.Errorf("%+v: %q and %q are not around the revision", c.entry, before, after)
		}
	}
}

func TestDeployedEntry(t *testing.T) {
	t.Parallel()
	for want, d := range map[string]faults.Deploy{
		"Resolved by the deploy of 4f2a9c1 to production.": {Revision: "4f2a9c1", Environment: "production"},
		"Resolved by the deploy of v2.":                    {Revision: "v2"},
		"Resolved by a deploy to staging.":                 {Environment: "staging"},
		"Resolved by a deploy.":                            {},
	} {
		if got := release.DeployedEntry(d); got != (faults.Entry{Event: faults.ResolvedEvent, Revision: d.Revision, Body: want}) {
			t.Errorf("%+v: %+v", d, got)
		}
	}
}
