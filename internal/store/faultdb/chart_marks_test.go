package faultdb_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/sett/faults"
	"sett/internal/store"
	"sett/internal/store/db"
	"sett/internal/store/storetest"
)

// outage writes an outage of a site; the zero time means that it lasts.
func (d *desk) outage(site checks.Site, down, up time.Time) {
	d.T.Helper()
	d.Run(`INSERT INTO outages (site_id, down_at, up_at, created_at, status, reason, headers, location, phase, body)
		SELECT id, $1, $2, $1, 503, 'it said no', 'null', '', '', '' FROM sites WHERE uuid = $3`, db.Micros(down), db.Micros(up), site.ID[:])
}

// turned writes a turn of a check-in.
func (d *desk) turned(c checks.CheckIn, at time.Time, state sett.CheckInState) {
	d.T.Helper()
	d.Run(`INSERT INTO check_in_turns (check_in, at, state) SELECT number, $1, $2 FROM check_ins WHERE id = $3`, db.Micros(at), string(state), c.ID)
}

func TestMarksOf(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		other := d.Project("Other")
		at := func(hour int) time.Time { return storetest.Noon.Add(time.Duration(hour) * time.Hour) }
		for _, hour := range []int{-1, 0, 5, 6} {
			d.Deploy(at(hour), faults.Deploy{Environment: "production", Revision: fmt.Sprint("r", hour)})
		}
		a, b, theirs := d.Site(d.ProjectID), d.Site(d.ProjectID), d.Site(other.ID)
		d.outage(a, at(-3), at(0))
		d.outage(a, at(-2), at(1))
		d.outage(a, at(5), at(7))
		d.outage(a, at(6), at(8))
		d.outage(b, at(-9), time.Time{})
		d.outage(theirs, at(1), at(2))
		marks, err := s.Faults.MarksOf(t.Context(), []int64{d.ProjectID}, at(0), at(6))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range marks.Deploys {
			got = append(got, m.Revision)
		}
		for _, m := range marks.Outages {
			got = append(got, fmt.Sprint(m.ProjectID == d.ProjectID, m.SubjectID == a.ID.String(), m.SubjectID == b.ID.String(), " ", m.Name, " ", m.Reason, " ", m.From.Sub(storetest.Noon), " ", m.To.IsZero(), m.To.Sub(storetest.Noon) == time.Hour))
		}
		name := a.Name
		want := []string{
			"r5", "r0",
			"true true false " + name + " it said no 5h0m0s false false", "true true false " + name + " it said no -2h0m0s false true",
			"true false true " + name + " it said no -9h0m0s true false",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if marks, err := s.Faults.MarksOf(t.Context(), []int64{d.ProjectID, other.ID}, at(0), at(6)); err != nil || len(marks.Outages) != 4 {
			t.Errorf("with the other project: %+v, %v", marks.Outages, err)
		}
		if marks, err := s.Faults.MarksOf(t.Context(), nil, at(0), at(6)); err != nil || len(marks.Outages)+len(marks.Deploys) != 0 {
			t.Errorf("of no project: %+v, %v", marks, err)
		}
	})
}
