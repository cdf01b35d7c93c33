package store_test

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store"
	"sett/internal/store/block"
	"sett/internal/store/faultdb"
	"sett/internal/store/storetest"
)

// fillNotices records so many notices of one day, of a few hundred faults, four in ten of them of another project.
func (d *desk) fillNotices(n int, day time.Time, other int64) {
	d.T.Helper()
	noise := make([]byte, 600)
	for done := 0; done < n; done += 128 {
		var reports []*faultdb.Packed
		for i := range 128 {
			_, _ = rand.Read(noise)
			k := done + i
			reports = append(reports, d.Report(fmt.Sprintf("E%d", k*k%397), byUser(fmt.Sprintf("u%d@example.test", k%5000)), func(r *faults.Report) {
				r.Body = []byte(string(r.Body[:len(r.Body)-1]) + `,"request":{"params":{"noise":"` + hex.EncodeToString(noise) + `","text":"` + strings.Repeat("lorem ipsum dolor ", 100) + `"}}}`)
				r.Facets = strings.Repeat("\ncontext.key=value", 20)
				if k%10 < 4 {
					r.ProjectID = other
				}
				_, _ = rand.Read(r.Token[:])
			}))
		}
		d.RecordBusy(day.Add(time.Duration(done)*24*time.Hour/time.Duration(n)), accounts.Limits{}, bundled(reports)...)
	}
	if err := d.Intake.Flush(d.T.Context()); err != nil {
		d.T.Fatal(err)
	}
}

func bundled(packed []*faultdb.Packed) (all []*faultdb.Packed) {
	for from := 0; from < len(packed); from += block.MostInBundle {
		all = append(all, inOneBundle(packed[from:min(from+block.MostInBundle, len(packed))]...)...)
	}
	return all
}

// BenchmarkPurge deletes a day of 100,000 notices from a file that has another. It reports how long pieces kept the only writer
// of the file, and what the file lost.
func BenchmarkPurge(b *testing.B) {
	for _, sides := range []struct {
		name string
		keep int64 // days, of the other project
	}{{"all", 90}, {"four in ten", 30}} {
		b.Run(sides.name, func(b *testing.B) {
			for b.Loop() {
				d := newDesk(b, storetest.OpenSQLite(b))
				other := d.Project("Other").ID
				d.T = b
				if err := d.Accounts.UpdateProject(b.Context(), other, accounts.ProjectChange{PurgeDays: sett.Some(sides.keep)}); err != nil {
					b.Fatal(err)
				}
				began := time.Now()
				d.fillNotices(100_000, storetest.Noon.Add(-12*time.Hour), other)
				b.ReportMetric(float64(100_000)/time.Since(began).Seconds(), "recorded/s")
				d.fillNotices(20_000, storetest.Noon.Add(60*days), other)
				now := storetest.Noon.Add(time.Duration(sides.keep)*days + 20*time.Hour)
				d.measurePurge(b, now)
			}
		})
	}
}

func (d *desk) measurePurge(b *testing.B, now time.Time) {
	began := time.Now()
	var took []time.Duration
	o := store.Purge{Now: func() time.Time { return now.Add(time.Since(began)) }, Holder: "bench", Rest: func(_ context.Context, piece time.Duration) error {
		took = append(took, piece)
		time.Sleep(piece)
		return nil
	}}
	report := func(what string) {
		slices.Sort(took)
		for name, at := range map[string]int{"-median-ms": len(took) / 2, "-p99-ms": len(took) * 99 / 100, "-longest-ms": len(took) - 1} {
			b.ReportMetric(float64(took[at].Microseconds())/1000, what+name)
		}
		b.ReportMetric(float64(len(took)), what+"-pieces")
		took = nil
	}
	before := d.fileBytes(b)
	n, err := d.PurgeProjects(b.Context(), o)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(n), "notices")
	report("purge")
	if _, err := d.ReturnSpace(b.Context(), o); err != nil {
		b.Fatal(err)
	}
	report("vacuum")
	b.ReportMetric(before, "MB-before")
	b.ReportMetric(d.fileBytes(b), "MB-after")
}

// fileBytes is how long the file is, in MB, once the log is copied.
func (d *desk) fileBytes(t testing.TB) float64 {
	t.Helper()
	if err := d.EmptyLog(t.Context()); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(d.Path())
	if err != nil {
		t.Fatal(err)
	}
	return float64(info.Size()) / 1e6
}
