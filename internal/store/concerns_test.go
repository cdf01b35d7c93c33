package store_test

import (
	"fmt"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/checks"
	"sett/internal/sett/faults"
	"sett/internal/sett/signin"
	"sett/internal/store"
	"sett/internal/store/storetest"
)

// Users see what is assigned to them, what is new since their last visit and what is down, in the projects that they can see.
func TestConcernsOfAUser(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		ctx := t.Context()
		visit := func(now time.Time) {
			t.Helper()
			if err := s.Accounts.TouchSession(ctx, signin.Session{UserID: d.UserID, LastSeenAt: now}); err != nil {
				t.Fatal(err)
			}
		}
		wants := func(when string, now time.Time, down, assigned, fresh string, visited bool) {
			t.Helper()
			c, err := s.Concerns(ctx, now, d.UserID, 2)
			if err != nil {
				t.Fatal(err)
			}
			for _, of := range []struct {
				what, want string
				got        []faults.TimelineEntry
				more       bool
			}{{"down", down, c.Down, c.MoreDown}, {"assigned", assigned, c.Assigned, c.MoreAssigned}, {"new", fresh, c.New, c.MoreNew}} {
				var got string
				for _, e := range of.got {
					got += e.Title + " "
				}
				if of.more {
					got += "…"
				}
				if got != of.want {
					t.Errorf("%s: %s: %q, want %q", when, of.what, got, of.want)
				}
			}
			if c.Visited != visited {
				t.Errorf("%s: visited is %v", when, c.Visited)
			}
		}
		now := storetest.Noon
		d.Record(now.Add(-48*time.Hour), accounts.Limits{}, d.Report("Old"))
		d.Record(now.Add(-time.Hour), accounts.Limits{}, d.Report("Recent"))
		wants("at first", now, "", "", "Recent ", false)

		visit(now)
		visit(now.Add(30 * time.Minute))
		now = now.Add(5 * time.Hour)
		for i := range 3 {
			d.Record(now.Add(time.Duration(i)*time.Minute), accounts.Limits{}, d.Report(fmt.Sprint("Night", i)))
		}
		now = now.Add(time.Hour)
		visit(now)
		wants("after a night", now, "", "", "Night2 Night1 …", true)
		visit(now.Add(time.Minute))
		wants("a minute later", now.Add(time.Minute), "", "", "Night2 Night1 …", true)
		visit(now.Add(-time.Hour)) // the clock of another node

		far := now.AddDate(1, 0, 0)
		visit(far) // by a clock that was a year ahead
		visit(far.Add(2 * time.Hour))
		visit(now.Add(2 * time.Minute))
		wants("after the clock was set back", now.Add(2*time.Minute), "", "", "Night2 Night1 …", false)
		d.Run(`UPDATE users SET active_at = $1, away_at = $1`, now.AddDate(1, 0, 0).UnixMicro())
		wants("with a last visit in the future", now, "", "", "Night2 Night1 …", false)
		visit(now.Add(-2 * time.Hour))
		visit(now)

		d.Update("Night2", faults.FaultChange{Resolved: sett.Some(true)})
		d.Update("Old", faults.FaultChange{AssigneeID: sett.Some(d.UserID)})
		d.Update("Night1", faults.FaultChange{AssigneeID: sett.Some(d.UserID)})
		wants("with work", now, "", "Night1 Old ", "Night1 Night0 ", true)

		for minute, name := range map[int]string{3: "older", 1: "newest"} {
			d.Site(d.ProjectID, func(c *checks.SiteChange) { c.Name = sett.Some(name) })
			d.Run(`UPDATE site_states SET state = 'down', changed_at = $1 WHERE site_id = (SELECT max(id) FROM sites)`, now.Add(-time.Duration(minute)*time.Minute).UnixMicro())
		}
		d.CheckIn(d.ProjectID, storetest.Hourly("night"))
		d.Run(`UPDATE check_ins SET state = 'missing', reported_at = $1`, now.Add(-2*time.Minute).UnixMicro())
		wants("with outages", now, "newest night …", "Night1 Old ", "Night1 Night0 ", true)

		_, stranger := d.Stranger()
		if c, err := s.Concerns(ctx, now, stranger, 2); err != nil || len(c.New)+len(c.Assigned)+len(c.Down) > 0 {
			t.Errorf("a stranger sees %+v, %v", c, err)
		}
	})
}
