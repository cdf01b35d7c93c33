package store_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"sett/internal/event/column"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/setttest/powercut"
	"sett/internal/store"
	"sett/internal/store/block"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
	"sett/internal/store/storetest"
)

// span is when a notice is stored: certainly from one moment on, and no longer from another.
type span struct{ accepted, deleting, deleted int }

// A power cut at any moment, which loses or tears what was written and not synced, leaves each accepted notice once, in a bundle or in a block,
// and none that was deleted before.
func TestCompactionSurvivesPowerCuts(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	dir := storetest.MigratedDir(t)
	power, err := powercut.Record(dir)
	if err != nil {
		t.Fatal(err)
	}
	s := storetest.OpenTest(t, db.Options{Dir: dir, SyncFile: power.Sync})
	d := newDesk(t, s)
	want, ready := fillUnderPower(d, power, random), power.Now()
	if t.Failed() {
		return
	}
	inBlocks, loose := int64(0), int64(0)
	for range 60 {
		moment := ready/2 + random.IntN(ready/2)
		copied := t.TempDir()
		if err := power.Rebuild(copied, moment, random); err != nil {
			t.Fatal(err)
		}
		some, others := checkAfterPowerCut(d, copied, moment, want)
		inBlocks, loose = inBlocks+some, loose+others
		if t.Failed() {
			t.Fatalf("seed %d, moment %d of %d", seed, moment, ready)
		}
	}
	if inBlocks == 0 || loose == 0 {
		t.Errorf("the cuts were all too early or too late: %d notices in blocks, %d not", inBlocks, loose)
	}
}

// fillUnderPower records, compacts and deletes notices, and returns when each was stored.
func fillUnderPower(d *desk, power *powercut.Recorder, random *rand.Rand) map[int64]*span {
	d.Blocks.Sizes = block.Sizes{Most: 40, Least: 20}
	want := map[int64]*span{}
	o, now := purgeAt(storetest.Noon.Add(48*time.Hour)), storetest.Noon
	must := func(err error) {
		d.T.Helper()
		if err != nil {
			d.T.Fatal(err)
		}
	}
	for step := range 40 {
		now = now.Add(time.Minute)
		var reports []*faults.Report
		for i := range 10 + random.IntN(20) {
			p := d.Report(fmt.Sprintf("E%d", i%3), func(r *faults.Report) { r.Facets = fmt.Sprintf("\ncontext.n=%d-%d\n", step, i) })
			reports = append(reports, p.Report)
		}
		d.Record(now, accounts.Limits{}, new(faultdb.Packer).Pack(reports)...)
		must(d.Sync()) // as before clients get their responses
		moment := power.Now()
		rows, err := d.Read.QueryContext(d.T.Context(), `SELECT id FROM notices`)
		must(db.ScanAll(rows, err, db.ScanID(func(id int64) {
			if want[id] == nil {
				want[id] = &span{moment, math.MaxInt, math.MaxInt}
			}
		})))
		if step%3 == 2 {
			must(d.Intake.Settle(d.T.Context()))
			must(ignoring(d.Store.Compact(d.T.Context(), o)))
		}
		if step%4 == 3 {
			for id, n := range want {
				if n.deleting == math.MaxInt {
					n.deleting = power.Now()
					must(d.InWhole(d.T.Context(), "delete a notice", func(t *store.Tx) error { return t.DeleteNotice(d.T.Context(), id) }))
					must(d.Sync())
					n.deleted = power.Now()
					break
				}
			}
			must(ignoring(d.Store.RewriteBlocks(d.T.Context(), o)))
		}
	}
	return want
}

// checkAfterPowerCut opens what a power cut has left, and returns how many notices are in blocks, and how many are not.
func checkAfterPowerCut(d *desk, dir string, moment int, want map[int64]*span) (inBlocks, loose int64) {
	t := d.T
	s, err := store.Open(t.Context(), db.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var whole string
	if err := s.Read.QueryRowContext(t.Context(), `PRAGMA integrity_check`).Scan(&whole); err != nil || whole != "ok" {
		t.Errorf("the database is damaged: %s, %v", whole, err)
		return 0, 0
	}
	seen := map[int64]int{}
	rows, err := s.Read.QueryContext(t.Context(), `SELECT id FROM notices`)
	if err := db.ScanAll(rows, err, db.ScanID(func(id int64) { seen[id] = 0 })); err != nil {
		t.Fatal(err)
	}
	var ids []int64
	for id := range seen {
		ids = append(ids, id)
		if n := want[id]; n == nil || n.deleted <= moment {
			t.Errorf("notice %d is stored: %+v", id, n)
		}
	}
	for id, n := range want {
		if _, ok := seen[id]; !ok && n.accepted <= moment && n.deleting > moment {
			t.Errorf("notice %d is not stored: %+v", id, n)
		}
	}
	err = s.Snapshot(t.Context(), "search", func(q db.Querier) error {
		found, err := s.Blocks.Find(t.Context(), q, d.ProjectID, block.Search{Terms: []column.Term{}, Keep: len(want) + 1})
		if err != nil {
			return err
		}
		for _, some := range found.IDs {
			for _, id := range some {
				seen[id]++
			}
		}
		payloads, err := s.Blocks.Payloads(t.Context(), q, d.ProjectID, ids)
		inBlocks, loose = int64(len(payloads)), int64(len(ids)-len(payloads))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for id, n := range seen {
		if n != 1 {
			t.Errorf("notice %d is found %d times", id, n)
		}
	}
	return inBlocks, loose
}
