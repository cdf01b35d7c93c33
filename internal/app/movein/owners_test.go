package movein_test

import (
	"testing"

	"sett/internal/sett/move"
	"sett/internal/sett/owner"
	"sett/internal/setttest"
)

// Rules about paths come; others are left by name. Rules that people have written stay.
func TestOwnershipRulesCome(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		o := old(t, s.Clock.Now(), sentEvents(t)[:1])
		o.Projects[0].Owners = "# All\npath:src/pay/** #payments ann@example.test\nurl:https://shop.test/* #web\ncodeowners:/docs/ #docs\ntags.a:b c@example.test\npath:lib/* nothing\n"
		report := run(t, options(t, s, o))
		wantCame(t, report, move.Came{Noun: "ownership rules", Found: 2, Made: 2})
		for _, name := range []string{"web: url:https://shop.test/* #web", "web: tags.a:b c@example.test", "web: lib/* nothing"} {
			if !hasLeft(report, "ownership rules", name) {
				t.Errorf("%q is not listed: %+v", name, report.Left)
			}
		}
		accounts, id := s.App.Store().Accounts, row(t, s, `SELECT id FROM projects WHERE name = 'web'`)
		got, err := accounts.Ownership(t.Context(), id)
		if want := "src/pay/** @payments ann@example.test\n/docs/ @docs"; err != nil || got.Rules != want {
			t.Errorf("rules %q, %v", got.Rules, err)
		}
		if err := accounts.UpdateOwnership(t.Context(), id, owner.OwnershipChange{}); err != nil {
			t.Fatal(err)
		}
		wantCame(t, run(t, options(t, s, o)), move.Came{Noun: "ownership rules", Found: 2, Present: 2})
	})
}
