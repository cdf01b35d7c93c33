package store

import (
	"fmt"
	"testing"
	"time"

	"sett/internal/sett"
)

// BenchmarkRecordNotices records and counts notices of 1,000 known faults; ns/op is for a batch of so many.
func BenchmarkRecordNotices(b *testing.B) {
	for _, engine := range []string{"sqlite", "postgres"} {
		for _, size := range []int{1, 100} {
			b.Run(fmt.Sprintf("%s/%d", engine, size), func(b *testing.B) {
				d := newDesk(b, benchStore(b, engine))
				var known []*Packed
				for i := range 1000 {
					known = append(known, d.report(fmt.Sprint("E", i)))
				}
				d.record(noon, sett.Limits{}, known...)
				for i := 0; b.Loop(); i++ {
					at := noon.Add(time.Duration(i) * time.Millisecond)
					from := i * size % len(known)
					d.recordBusy(at, sett.Limits{}, known[from:from+size]...)
					if err := d.FoldDue(b.Context(), at); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
