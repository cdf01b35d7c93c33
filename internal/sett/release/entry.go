package release

import (
	"strings"

	"sett/internal/sett/faults"
)

// What entries of a fault's history say before the revision that they name.
const (
	reopenedIn = "Reopened: it occurred again in "
	resolvedBy = "Resolved by the deploy of "
	resolvedIn = "Resolved in " // of faults.ResolvedEntry
)

// ReopenedEntry records that a resolved fault occurred again, in a release if its revision is the version of one.
func ReopenedEntry(revision string) faults.Entry {
	if !IsVersion(revision) {
		return faults.Entry{Event: faults.ReopenedEvent, Body: "Reopened: it occurred again."}
	}
	return faults.Entry{Event: faults.ReopenedEvent, Revision: revision, Body: reopenedIn + revision + "."}
}

// DeployedEntry records that a deploy resolved the fault.
func DeployedEntry(d faults.Deploy) faults.Entry {
	e := faults.Entry{Event: faults.ResolvedEvent, Revision: d.Revision, Body: "Resolved by a deploy"}
	if d.Revision != "" {
		e.Body = resolvedBy + d.Revision
	}
	if d.Environment != "" {
		e.Body += " to " + d.Environment
	}
	e.Body += "."
	return e
}

// AroundRevision returns what an entry of a history says before and after its revision; false if it names none.
func AroundRevision(c faults.Comment) (before, after string, ok bool) {
	for _, before := range []string{reopenedIn, resolvedBy, resolvedIn} {
		if after, ok := strings.CutPrefix(c.Body, before+c.Revision); ok && c.Revision != "" {
			return before, after, true
		}
	}
	return "", "", false
}

// FixedEntry records that a deploy contains a change or commit that fixes the fault.
func FixedEntry(fix, revision string) faults.Entry {
	return faults.Entry{Event: faults.ResolvedEvent, Revision: revision, Body: "Resolved in " + revision + ": its deploy contains " + fix + "."}
}

// TakenBackEntry records that a change or commit that fixed the fault was reverted by a commit.
func TakenBackEntry(fix, by string) faults.Entry {
	return faults.Entry{Event: faults.ReopenedEvent, Body: "Reopened: " + fix + ", which fixed it, was reverted by " + by + "."}
}
