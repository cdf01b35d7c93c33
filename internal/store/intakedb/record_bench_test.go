package intakedb_test

import (
	"fmt"
	"testing"
	"time"

	"sett/internal/sett/accounts"
	"sett/internal/store/faultdb"
	"sett/internal/store/storetest"
)

// BenchmarkRecordNotices records and counts notices of 1,000 known faults; ns/op is for a batch of so many.
func BenchmarkRecordNotices(b *testing.B) {
	for _, engine := range []string{"sqlite", "postgres"} {
		for _, size := range []int{1, 100} {
			b.Run(fmt.Sprintf("%s/%d", engine, size), func(b *testing.B) {
				d := newDesk(b, storetest.BenchStore(b, engine))
				var known []*faultdb.Packed
				for i := range 1000 {
					known = append(known, d.Report(fmt.Sprint("E", i)))
				}
				d.Record(storetest.Noon, accounts.Limits{}, known...)
				for i := 0; b.Loop(); i++ {
					at := storetest.Noon.Add(time.Duration(i) * time.Millisecond)
					from := i * size % len(known)
					d.RecordBusy(at, accounts.Limits{}, known[from:from+size]...)
					if err := d.Intake.FlushDue(b.Context(), at); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
