package movein_test

import (
	"testing"
	"time"

	"sett/internal/sett/move"
	"sett/internal/setttest"
	"sett/internal/setttest/oldsentry"
)

// Releases come with commits, dates and deploys, once, and have no effect on errors.
func TestReleasesAndDeploysCome(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		now := s.Clock.Now()
		o := old(t, now, sentEvents(t)[:2])
		o.Releases = []*oldsentry.Release{
			{Version: "shop@2", Created: now.Add(-48 * time.Hour), Projects: []string{"web"}, Deploys: []oldsentry.Deploy{{ID: "7", Environment: "production", At: now.Add(-47 * time.Hour)}, {ID: "8", Environment: "staging", At: now.Add(-46 * time.Hour)}}},
			{Version: "shop@1", Ref: "main", Created: now.Add(-96 * time.Hour), Released: now.Add(-95 * time.Hour), Projects: []string{"web", "blog"}, Commits: []string{"Second\n\nMore", "First"}},
			{Version: "other@1", Created: now, Projects: []string{"blog"}},
			{Version: "..", Created: now, Projects: []string{"web"}},
		}
		first := run(t, options(t, s, o))
		wantCame(t, first, move.Came{Noun: "releases", Found: 3, Made: 2, Present: 1}, move.Came{Noun: "deploys", Found: 2, Made: 2})
		const ofWeb = ` AND project_id = (SELECT id FROM projects WHERE name = 'web')`
		for statement, want := range map[string]int64{
			`SELECT count(*) FROM releases WHERE version LIKE 'shop@%'` + ofWeb:                            2,
			`SELECT created_at FROM releases WHERE version = 'shop@1'` + ofWeb:                             now.Add(-96 * time.Hour).UnixMicro(),
			`SELECT released_at FROM releases WHERE version = 'shop@1' AND ref = 'main'` + ofWeb:           now.Add(-95 * time.Hour).UnixMicro(),
			`SELECT count(*) FROM release_commits WHERE version = 'shop@1' AND message = 'Second'` + ofWeb: 1,
			`SELECT created_at FROM deploys WHERE revision = 'shop@2' AND environment = 'staging'` + ofWeb: now.Add(-46 * time.Hour).UnixMicro(),
			`SELECT count(*) FROM faults WHERE resolved` + ofWeb:                                           1,
			`SELECT count(*) FROM alerts WHERE 1 = 1` + ofWeb:                                              0,
		} {
			if got := row(t, s, statement); got != want {
				t.Errorf("%s: %d, want %d", statement, got, want)
			}
		}
		asked := len(o.Asked())
		wantCame(t, run(t, options(t, s, o)), move.Came{Noun: "releases", Found: 3, Present: 3})
		for _, path := range o.Asked()[asked:] {
			if path == "/api/0/organizations/acme/releases/shop@2/deploys/" {
				t.Error("a release that came is read again")
			}
		}
		o.Releases[0].Deploys = append(o.Releases[0].Deploys, oldsentry.Deploy{ID: "9", Environment: "production", At: now})
		wantCame(t, run(t, options(t, s, o)), move.Came{Noun: "releases", Found: 3, Present: 3}, move.Came{Noun: "deploys", Found: 3, Made: 1, Present: 2})
	})
}

// wantCame compares what a report says of some nouns.
func wantCame(t *testing.T, r *move.Report, want ...move.Came) {
	t.Helper()
	for _, w := range want {
		var got move.Came
		for _, c := range r.Came {
			if c.Noun == w.Noun {
				got = c
			}
		}
		if got != w {
			t.Errorf("came %+v, want %+v", got, w)
		}
	}
}
