package store_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"sett/internal/event/column"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store"
	"sett/internal/store/block"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
	"sett/internal/store/storetest"
)

// compactVariable names the directory or database in which a process of TestKilledCompaction compacts until it is killed.
const compactVariable = "SETT_TEST_COMPACT"

// TestCompactUntilKilled is that process, and no test.
func TestCompactUntilKilled(t *testing.T) {
	where := os.Getenv(compactVariable)
	if where == "" {
		t.Skip("the process that TestKilledCompaction kills")
	}
	s := storetest.OpenTest(t, optionsOf(where))
	s.Blocks.Sizes = block.Sizes{Most: 40, Least: 20}
	o := store.Purge{Now: func() time.Time { return storetest.Noon.Add(48 * time.Hour) }, Holder: "killed", Rest: func(context.Context, time.Duration) error { return nil }}
	fmt.Println("ready") // the parent waits for it
	for {
		if err := errors.Join(ignoring(s.Compact(t.Context(), o)), ignoring(s.RewriteBlocks(t.Context(), o))); err != nil {
			t.Fatal(err)
		}
	}
}

func ignoring[T any](_ T, err error) error { return err }

func optionsOf(where string) db.Options {
	if info, err := os.Stat(where); err == nil && info.IsDir() {
		return db.Options{Dir: where}
	}
	return db.Options{Database: where}
}

// A process that compacts and is killed with kill -9 at any moment leaves each notice in a bundle or in a block.
func TestKilledCompaction(t *testing.T) {
	if testing.Short() {
		t.Skip("-short leaves out tests that take seconds")
	}
	t.Parallel()
	for _, engine := range []struct {
		name string
		make func(t *testing.T) string
	}{
		{"sqlite", func(t *testing.T) string {
			dir := t.TempDir()
			if err := storetest.MigrateNew(db.Options{Dir: dir}); err != nil {
				t.Fatal(err)
			}
			return dir
		}},
		{"postgres", func(t *testing.T) string { return storetest.FreshPostgres(t) }},
	} {
		t.Run(engine.name, func(t *testing.T) {
			t.Parallel()
			where := engine.make(t)
			k := &killedCompaction{T: t, where: where, want: map[int64]bool{}}
			k.fill()
			longest := 60 * time.Millisecond
			for round := 0; round < 12 || k.blocks == 0 && round < 20; round++ {
				k.kill(rand.N(longest))
				if k.check(round); k.blocks == 0 { // the machine is slow
					longest *= 2
				}
			}
			if k.blocks == 0 || k.loose == 0 {
				t.Errorf("the kills were all too late or too early: %d notices in blocks, %d not", k.blocks, k.loose)
			}
		})
	}
}

type killedCompaction struct {
	*testing.T
	where         string
	project       int64
	faults        []int64
	want          map[int64]bool // ids of notices
	blocks, loose int64          // notices that the checks found in blocks, and in bundles
}

// fill records notices, and marks some of them as old ones.
func (k *killedCompaction) fill() {
	s, err := store.Open(k.Context(), optionsOf(k.where))
	if err != nil {
		k.Fatal(err)
	}
	defer s.Close()
	d := newDesk(k.T, s)
	k.project = d.ProjectID
	for n := range 100 {
		var reports []*faults.Report
		for i := range 30 {
			p := d.Report(fmt.Sprintf("E%d", i%4), func(r *faults.Report) { r.Facets = fmt.Sprintf("\ncontext.n=%d\n", n*30+i) })
			reports = append(reports, p.Report)
		}
		d.Record(storetest.Noon.Add(time.Duration(n)*time.Second), accounts.Limits{}, new(faultdb.Packer).Pack(reports)...)
	}
	if err := d.Intake.Settle(k.Context()); err != nil {
		k.Fatal(err)
	}
	k.faults = d.FaultsOf(k.project)
	k.read(d, func(id int64) { k.want[id] = true })
}

func (k *killedCompaction) read(d *desk, each func(id int64)) {
	rows, err := d.Read.QueryContext(k.Context(), `SELECT id FROM notices`)
	if err := db.ScanAll(rows, err, db.ScanID(each)); err != nil {
		k.Fatal(err)
	}
}

// kill lets a process compact for a while, and kills it.
func (k *killedCompaction) kill(after time.Duration) {
	k.Helper()
	ctx, cancel := context.WithTimeout(k.Context(), time.Minute)
	defer cancel()
	child := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestCompactUntilKilled$")
	child.Env = append(os.Environ(), compactVariable+"="+k.where)
	out, err := child.StdoutPipe()
	if err != nil {
		k.Fatal(err)
	}
	if err := child.Start(); err != nil {
		k.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 64)); err != nil {
		k.Fatal(err)
	}
	time.Sleep(after)
	if err := child.Process.Kill(); err != nil {
		k.Fatal(err)
	}
	_ = child.Wait() // it was killed
}

// check wants each notice to be found once, and to be readable; then it deletes some.
func (k *killedCompaction) check(round int) {
	k.Helper()
	s, err := store.Open(k.Context(), optionsOf(k.where))
	if err != nil {
		k.Fatal(err)
	}
	d := &desk{Desk: &storetest.Desk{Store: s, T: k.T}}
	d.ProjectID = k.project
	var found block.Found
	err = s.Snapshot(k.Context(), "search", func(q db.Querier) (err error) {
		found, err = s.Blocks.Find(k.Context(), q, k.project, block.Search{Terms: []column.Term{}, Keep: len(k.want) + 1})
		return err
	})
	if err != nil {
		k.Fatalf("round %d: %v", round, err)
	}
	seen := map[int64]bool{}
	for _, ids := range found.IDs {
		for _, id := range ids {
			if seen[id] || !k.want[id] {
				k.Errorf("round %d: notice %d is found twice, or was deleted", round, id)
			}
			seen[id] = true
		}
	}
	if len(seen) != len(k.want) {
		k.Errorf("round %d: %d notices of %d are found", round, len(seen), len(k.want))
	}
	counts := d.Numbers(`SELECT coalesce(CAST(sum(count) AS bigint), 0), (SELECT coalesce(CAST(sum(count) AS bigint), 0) FROM bundle_facets) FROM blocks`, 2)
	k.blocks, k.loose = k.blocks+counts[0], k.loose+counts[1]
	k.readable(d, round)
	id := slices.Min(slices.Collect(func(yield func(int64) bool) {
		for id := range k.want {
			if !yield(id) {
				return
			}
		}
	}))
	err = s.InWhole(k.Context(), "delete a notice", func(t *store.Tx) error {
		return t.DeleteNotice(k.Context(), id)
	})
	if err != nil {
		k.Fatal(err)
	}
	delete(k.want, id)
	if err := s.Close(); err != nil {
		k.Fatal(err)
	}
}

// readable reads a page of each fault.
func (k *killedCompaction) readable(d *desk, round int) {
	for _, id := range k.faults {
		notices, _, err := d.Faults.ListNotices(k.Context(), k.project, id, faultdb.NoticePage{Page: sett.Page{Size: 25, Offset: rand.IntN(500)}})
		if err != nil {
			k.Fatal(err)
		}
		for _, n := range notices {
			if !n.Readable {
				k.Errorf("round %d: notice %d cannot be read", round, n.Key)
			}
		}
	}
}
