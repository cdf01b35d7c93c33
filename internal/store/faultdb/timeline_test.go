package faultdb_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
	"sett/internal/store/storetest"
)

// timeline walks a timeline from page to page.
func (d *desk) timeline(now time.Time, f faultdb.TimelineFilter) (lines []string) {
	d.T.Helper()
	for {
		entries, marks, err := d.Faults.Timeline(d.T.Context(), now, f)
		if err != nil || len(entries) > f.Limit {
			d.T.Fatal(len(entries), err)
		}
		for _, e := range entries {
			lines = append(lines, fmt.Sprint(e.Kind, " ", e.Title, " ", e.Detail, " ", e.Environment, " ", e.By, " ", e.Length, " ", e.At.Sub(storetest.Noon)))
		}
		if f.Before = marks.Next; f.Before == "" {
			return lines
		}
	}
}

func TestTimeline(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Run(`UPDATE projects SET resolve_errors_on_deploy = false`)
		other := d.Project("Other")
		mia := d.User("Mia", accounts.Member)
		at := func(hours int) time.Time { return storetest.Noon.Add(time.Duration(hours) * time.Hour) }
		d.Record(at(-800), accounts.Limits{}, d.Report("A"), d.Report("theirs", func(r *faults.Report) { r.ProjectID = other.ID }))
		if err := s.Faults.UpdateFault(t.Context(), at(-50), mia, d.ProjectID, d.FaultID("A"), faults.FaultChange{Resolved: sett.Some(true)}); err != nil {
			t.Fatal(err)
		}
		d.Record(at(-40), accounts.Limits{}, d.Report("A"), d.Report("B"))
		d.Deploy(at(-30), faults.Deploy{Environment: "production", Revision: "r1", Repository: "git@x", LocalUsername: "josh"})
		site, c := d.Site(d.ProjectID), d.CheckIn(d.ProjectID, storetest.Hourly("backup"))
		d.outage(site, at(-20), at(-18))
		d.outage(site, at(-10), time.Time{})
		d.turned(c, at(-21), sett.CheckInReporting)
		d.turned(c, at(-20), sett.CheckInMissing)
		d.turned(c, at(-9), sett.CheckInReporting)
		d.turned(c, at(-8), sett.CheckInPaused)
		d.turned(c, at(-7), sett.CheckInReporting)
		d.turned(c, at(1), sett.CheckInMissing)
		page := d.PageOf(site)
		d.Run(`INSERT INTO status_incidents (page, kind, name, status, automatic, starts_at, ends_at, resolved_at, due_at, created_at, updated_at)
			SELECT number, 'incident', 'Shop is slow', 'monitoring', false, $1, 0, 0, 0, $1, $1 FROM status_pages WHERE id = $2`, db.Micros(at(-20)), page.ID)
		d.Run(`INSERT INTO status_incident_components (incident_id, component_id, name) SELECT i.id, c.id, 'Shop' FROM status_incidents i CROSS JOIN status_components c`)

		name := site.Name
		want := []string{
			"reporting backup    0s -9h0m0s",
			"down " + name + " it said no   0s -10h0m0s",
			"up " + name + " it said no   2h0m0s -18h0m0s",
			"incident Shop is slow monitoring   0s -20h0m0s",
			"down " + name + " it said no   2h0m0s -20h0m0s",
			"missing backup    0s -20h0m0s",
			"deploy r1 git@x production josh 0s -30h0m0s",
			"reopened A A happened production  0s -40h0m0s",
			"new B B happened production  0s -40h0m0s",
			"resolved A A happened production Mia 0s -50h0m0s",
			"new A A happened production  0s -800h0m0s",
		}
		for limit := 1; limit < 13; limit++ {
			if diff := cmp.Diff(want, d.timeline(storetest.Noon, faultdb.TimelineFilter{ProjectIDs: []int64{d.ProjectID}, Limit: limit})); diff != "" {
				t.Fatalf("pages of %d (-want +got):\n%s", limit, diff)
			}
		}
		some := faultdb.TimelineFilter{ProjectIDs: []int64{d.ProjectID}, Limit: 2, Kinds: []faults.TimelineKind{faults.TimelineDeploy, faults.TimelineNew}}
		if diff := cmp.Diff([]string{want[6], want[8], want[10]}, d.timeline(storetest.Noon, some)); diff != "" {
			t.Errorf("some kinds (-want +got):\n%s", diff)
		}
		theirs := "new theirs theirs happened production  0s -800h0m0s"
		for name, c := range map[string]struct {
			filter faultdb.TimelineFilter
			want   int
			theirs bool
		}{
			"of an owner":               {faultdb.TimelineFilter{UserID: d.UserID}, 12, true},
			"of an account":             {faultdb.TimelineFilter{UserID: d.UserID, AccountID: d.AccountID}, 12, true},
			"of one of their projects":  {faultdb.TimelineFilter{UserID: d.UserID, ProjectIDs: []int64{other.ID}}, 1, true},
			"of a member":               {faultdb.TimelineFilter{UserID: mia}, 0, false},
			"of a member, by a project": {faultdb.TimelineFilter{UserID: mia, ProjectIDs: []int64{d.ProjectID}}, 0, false},
			"of no user":                {faultdb.TimelineFilter{}, 0, false},
		} {
			c.filter.Limit = 5
			if got := d.timeline(storetest.Noon, c.filter); len(got) != c.want || slices.Contains(got, theirs) != c.theirs {
				t.Errorf("%s: %q, want %d", name, got, c.want)
			}
		}
		if _, _, err := s.Faults.Timeline(t.Context(), storetest.Noon, faultdb.TimelineFilter{UserID: mia, AccountID: "other"}); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("of another account: %v", err)
		}
		if _, _, err := s.Faults.Timeline(t.Context(), storetest.Noon, faultdb.TimelineFilter{Before: "1.2"}); sett.CodeOf(err) != sett.Invalid {
			t.Errorf("behind no mark: %v", err)
		}
	})
}
