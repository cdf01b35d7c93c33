package block_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"sett/internal/event/column"
	"sett/internal/event/query"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store"
	"sett/internal/store/block"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
	"sett/internal/store/storetest"
)

// twoBlocks stores two blocks of 32 notices with a plan from 0 to 3 each, and returns what counts those that a search finds.
func twoBlocks(t *testing.T, s *store.Store) (d *storetest.Desk, find func(text string) (int64, error)) {
	t.Helper()
	d = storetest.NewDesk(t, s)
	var reports []*faults.Report
	for i := range 64 {
		p := d.Report(fmt.Sprint("Class", i%3), func(r *faults.Report) { r.Facets = fmt.Sprintf("\ncontext.plan=%d\ncontext.order=%d\n", i%4, i) })
		reports = append(reports, p.Report)
	}
	for half := range slices.Chunk(reports, 32) {
		d.Record(storetest.Noon, accounts.Limits{}, new(faultdb.Packer).Pack(half)...)
	}
	if err := s.Intake.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := d.Compact(storetest.Noon, block.Sizes{Most: 32, Least: 1}); n != 2 {
		t.Fatalf("%d blocks", n)
	}
	return d, func(text string) (n int64, err error) {
		search, problem := query.Parse(text, storetest.Noon)
		if problem != "" {
			t.Fatal(problem)
		}
		var found block.Found
		err = s.Snapshot(t.Context(), "search", func(q db.Querier) (err error) {
			found, err = s.Blocks.Find(t.Context(), q, d.ProjectID, block.Search{Terms: column.Terms(search)})
			return err
		})
		for _, count := range found.Counts {
			n += count
		}
		return n, err
	}
}

// A search for a value that many notices have, or for all others, counts them without opening a block; if the counts are damaged or were never
// stored, it opens the block.
func TestFrequentValuesAreCountedUnopened(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d, find := twoBlocks(t, s)
		wants := func(when string) {
			t.Helper()
			for text, want := range map[string]int64{"context.plan:1": 16, "-context.plan:1": 48, "context.plan:9": 0} {
				if n, err := find(text); err != nil || n != want {
					t.Errorf("%s: %s finds %d, %v; want %d", when, text, n, err, want)
				}
			}
		}
		wants("whole")
		if n, err := find("context.plan:1 context.plan:2"); err != nil || n != 32 {
			t.Errorf("two values find %d, %v", n, err)
		}
		d.Run(`UPDATE block_tallies SET body = substr(body, 1, 9) WHERE block_id = (SELECT min(id) FROM blocks)`)
		wants("with damaged counts")
		d.Run(`DELETE FROM block_tallies WHERE block_id = (SELECT min(id) FROM blocks)`)
		wants("where one block has none")
		d.Run(`DELETE FROM block_parts WHERE block_id = (SELECT max(id) FROM blocks)`)
		wants("where the other cannot be opened")
		if n, err := find("context.plan:1*"); err != nil || n != 8 {
			t.Errorf("a pattern finds %d in a block that cannot be opened, %v; want 8", n, err)
		}
	})
}

// A search that has opened blocks does not open them again, unless notices of them have been deleted since.
func TestBlocksAreOpenedOnce(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d, find := twoBlocks(t, s)
		wants := func(when, text string, want int64) {
			t.Helper()
			if n, err := find(text); err != nil || n != want {
				t.Errorf("%s: %s finds %d, %v; want %d", when, text, n, err, want)
			}
		}
		wants("whole", "context.plan:1*", 16)
		wants("whole", "-context.plan:1*", 48)
		d.Run(`UPDATE block_parts SET number = number + 100 WHERE block_id = (SELECT min(id) FROM blocks)`)
		wants("where one cannot be opened", "context.plan:1*", 16)
		wants("where one cannot be opened", "-context.plan:1*", 48)
		wants("never opened", "context.plan:*1", 8)
		d.Run(`UPDATE block_parts SET number = number - 100 WHERE number >= 100`)
		all := []byte{0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0}
		d.Run(`UPDATE blocks SET gone = $1 WHERE id = (SELECT min(id) FROM blocks)`, all)
		wants("with deleted notices", "context.plan:1*", 8)
		wants("with deleted notices", "-context.plan:1*", 24)
	})
}

// The counts and the blocks that must be opened are found by an index.
func TestTalliesLookIntoIndexes(t *testing.T) {
	t.Parallel()
	d := storetest.NewDesk(t, storetest.OpenSQLite(t))
	for statement, wants := range map[string]string{
		block.TalliesOfProject: "SEARCH block_tallies USING PRIMARY KEY (project_id=? AND number=? AND block_id>? AND block_id<?)",
		block.BlocksToRewrite:  "SEARCH blocks USING INDEX blocks_to_rewrite_of_project (project_id=? AND id>? AND id<?)",
	} {
		if plan := d.Plan(d.Text(statement), 1, 2, 3, 4); !strings.Contains(plan, wants) {
			t.Errorf("%s\nis run as\n%s", statement, plan)
		}
	}
}

// Blocks are counted and summed up for metrics without a look at any block, however many there are.
func TestObjectFiguresReadIndexes(t *testing.T) {
	t.Parallel()
	d := storetest.NewDesk(t, storetest.OpenSQLite(t))
	plan := d.Plan(d.Text(block.ObjectFigures))
	for step := range strings.Lines(plan) {
		if strings.Contains(step, "blocks") || strings.Contains(step, "block_objects") {
			if !strings.Contains(step, "COVERING INDEX") {
				t.Errorf("%s is a step of\n%s", step, plan)
			}
		}
	}
	if n := strings.Count(plan, "COVERING INDEX"); n < 5 {
		t.Errorf("%d steps read an index alone:\n%s", n, plan)
	}
}
