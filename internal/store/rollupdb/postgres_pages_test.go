package rollupdb_test

import (
	"fmt"
	"testing"
	"time"

	"sett/internal/sett/accounts"
	"sett/internal/store/faultdb"
	"sett/internal/store/rollupdb"
	"sett/internal/store/storetest"
)

// classes returns n reports of different faults.
func (d *desk) classes(n int) (all []*faultdb.Packed) {
	for i := range n {
		all = append(all, d.Report(fmt.Sprint("Class", i)))
	}
	return all
}

// Counts that are raised again and again need no new entries in the index of their buckets.
func TestCountedRowsStayOnTheirPages(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.NewCluster(t).Node(t))
	reports := d.classes(250)
	var changed, inPlace int64
	for round := range 12 { // each second one adds buckets of another minute
		d.RecordBusy(storetest.Noon.Add(time.Duration(round)*30*time.Second), accounts.Limits{}, reports...)
		node, _ := d.Node.Current()
		steps := d.Rollups.Take(func(*rollupdb.Rollup) bool { return true }, d.Rollups.Kind(rollupdb.FaultRollup)...)
		err := d.Rollups.InOwnTx(t.Context(), "flush", func(tx rollupdb.Tx) error {
			if err := tx.Flush(t.Context(), node, steps); err != nil {
				return err
			}
			return tx.QueryRowContext(t.Context(), `SELECT pg_stat_get_xact_tuples_updated('fault_buckets'::regclass),
				pg_stat_get_xact_tuples_hot_updated('fault_buckets'::regclass)`).Scan(&changed, &inPlace)
		})
		if err != nil {
			t.Fatal(err)
		}
		d.Rollups.Done(steps)
	}
	if changed == 0 || inPlace*10 < changed*4 { // without room on the pages, a hundredth
		t.Errorf("flushes changed %d buckets, %d of them without a change of the index", changed, inPlace)
	}
}
