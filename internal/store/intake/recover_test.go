package intake_test

import (
	"fmt"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/store"
	"sett/internal/store/db"
	"sett/internal/store/fault"
	"sett/internal/store/intake"
	"sett/internal/store/storetest"
)

func TestOneProcessRecordsIntoAFile(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short leaves out tests that take seconds")
	}
	dir := t.TempDir()
	first, second := storetest.OpenTest(t, db.Options{Dir: dir}), storetest.OpenTest(t, db.Options{Dir: dir})
	if _, _, err := first.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := first.Intake.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := second.Intake.Recover(t.Context()); sett.CodeOf(err) != sett.Conflict {
		t.Errorf("a second process got %v, want a Conflict", err)
	}
}

// A process that dies leaves little to be looked at again, however long it ran.
func TestLittleIsLookedAtAgain(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Record(storetest.Noon, sett.Limits{}, d.Report("A", func(r *sett.Report) { r.Token = sett.UUID{0: 0xff} })) // alone in its rollup
		var reports []*fault.Packed
		for range 250 {
			reports = append(reports, d.Report("A"))
		}
		for i := range 12 {
			d.Record(storetest.Noon.Add(time.Duration(i)*time.Second), sett.Limits{}, reports...)
		}
		for _, part := range s.Intake.Rollups().Each {
			if part.StoredAtOnce(s.Intake.Own()) {
				continue
			}
			again := fmt.Sprintf(`SELECT count(*) FROM notices WHERE id > coalesce((SELECT max(upto) FROM digests WHERE id = %d), 0)`, part.ID)
			if n := d.Numbers(again, 1)[0]; n > intake.MostAhead+250 {
				t.Errorf("%d notices would be looked at again for digest %d", n, part.ID)
			}
		}
	})
}
