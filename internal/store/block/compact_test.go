package block_test

import (
	"fmt"
	"testing"

	"sett/internal/sett/accounts"
	"sett/internal/store"
	"sett/internal/store/block"
	"sett/internal/store/db"
	"sett/internal/store/storetest"
)

// However much waits, a block reads little more than it takes.
func TestABlockReadsWhatItTakes(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := storetest.NewDesk(t, s)
		for i := range 30 { // each in a bundle of its own
			d.Record(storetest.Noon, accounts.Limits{}, d.Report(fmt.Sprint("Class", i%3)))
		}
		if err := s.Intake.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		const most = 8
		var read []int64
		rows, err := s.Read.QueryContext(t.Context(), `SELECT bundle_id FROM (`+s.Text(s.Blocks.CountedBundles())+`) b ORDER BY bundle_id`, d.ProjectID, int64(most))
		if err := db.ScanAll(rows, err, db.ScanID(func(id int64) { read = append(read, id) })); err != nil {
			t.Fatal(err)
		}
		if len(read) != most {
			t.Errorf("%d of 30 notices are read for a block of %d", len(read), most)
		}
		if n := d.Compact(storetest.Noon, block.Sizes{Most: most, Least: 1}); n != 4 {
			t.Errorf("30 notices are in %d blocks", n)
		}
	})
}
