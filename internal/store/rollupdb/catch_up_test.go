package rollupdb_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store"
	"sett/internal/store/block"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
	"sett/internal/store/rollupdb"
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
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("A", func(r *faults.Report) { r.Token = sett.UUID{0: 0xff} })) // alone in its rollup
		var reports []*faultdb.Packed
		for range 250 {
			reports = append(reports, d.Report("A"))
		}
		for i := range 12 {
			d.Record(storetest.Noon.Add(time.Duration(i)*time.Second), accounts.Limits{}, reports...)
		}
		for _, part := range s.Rollups.Each() {
			if part.StoredAtOnce(s.Rollups) {
				continue
			}
			again := fmt.Sprintf(`SELECT count(*) FROM notices WHERE id > coalesce((SELECT max(upto) FROM digests WHERE id = %d), 0)`, part.ID)
			if n := d.Numbers(again, 1)[0]; n > rollupdb.MostAhead+250 {
				t.Errorf("%d notices would be looked at again for digest %d", n, part.ID)
			}
		}
	})
}

// compact makes blocks of what is counted, and returns how many.
func compact(t *testing.T, s *store.Store) int64 {
	t.Helper()
	s.Blocks.Sizes = block.Sizes{Most: 4, Least: 1}
	later := func() time.Time { return storetest.Noon.Add(48 * time.Hour) }
	done, err := s.Compact(t.Context(), store.Purge{Now: later, Holder: "test", Rest: func(context.Context, time.Duration) error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	return done.Blocks
}

// Notices that are not counted yet stay in their bundles, also in a new file, in which no count was ever flushed.
func TestOnlyCountedNoticesAreCompacted(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		if _, err := s.Intake.Recover(t.Context()); err != nil {
			t.Fatal(err)
		}
		d.RecordBusy(storetest.Noon, accounts.Limits{}, d.Many()...)
		s.Rollups.Settled()
		parts, made := s.Rollups.Each(), int64(0)
		for i, part := range parts {
			pending := slices.ContainsFunc(parts[i:], func(p *rollupdb.Rollup) bool { return p.N > 0 })
			n := compact(t, s)
			if made += n; pending && n != 0 {
				t.Fatalf("%d blocks were made before rollup %d was flushed", n, part.ID)
			}
			if err := s.Rollups.FlushWhere(t.Context(), func(p *rollupdb.Rollup) bool { return p == part && p.N > 0 }); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Intake.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		if made += compact(t, s); made == 0 {
			t.Error("counted notices are not compacted")
		}
	})
}

// After a crash notices are counted wherever they are stored, and damaged ones do not keep the server from starting.
func TestCountsOfCompactedAndDamagedNotices(t *testing.T) {
	t.Parallel()
	const many = storetest.BusyBatch
	for name, test := range map[string]struct {
		change func(t *testing.T, d *desk, dir string)
		want   map[string]int64
	}{
		"compacted": {func(t *testing.T, d *desk, dir string) {
			d.Run(`INSERT INTO digests (node, id, upto) SELECT -1, 0, max(id) FROM notices`)
			if n := compact(t, storetest.OpenTest(t, db.Options{Dir: dir})); n == 0 {
				t.Error("no block was made")
			}
			d.Run(`DELETE FROM digests`)
		}, storetest.All(many)},
		"damaged": {
			func(_ *testing.T, d *desk, _ string) { d.Run(`UPDATE bundles SET body = x'00'`) },
			map[string]int64{"faults": many, "minutes": many, "projects": many, "classes": many, "places": 0, "users": 0, "ledger": many},
		},
		"cut off": {
			func(_ *testing.T, d *desk, _ string) { d.Run(`DELETE FROM bundles`) },
			map[string]int64{"faults": many, "minutes": many, "projects": many, "classes": many, "places": 0, "users": 0, "ledger": many},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			before := storetest.OpenTest(t, db.Options{Dir: dir})
			if _, _, err := before.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			d := newDesk(t, before)
			d.RecordBusy(storetest.Noon, accounts.Limits{}, d.Many()...)
			d.WantCounts("before the crash", storetest.All(0))
			test.change(t, d, dir)
			after := storetest.OpenTest(t, db.Options{Dir: dir}) // which has nothing of what the first store has in memory
			for range 2 {
				if n, err := after.Intake.Recover(t.Context()); err != nil {
					t.Fatalf("%d, %v", n, err)
				}
				d.WantCounts("after it", test.want)
			}
		})
	}
}
