package uptimedb_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"sett/internal/sett/checks"
	"sett/internal/store"
	"sett/internal/store/storetest"
)

// BenchmarkRecordChecks records checks of 10,000 sites in turn, as one location reports them; ns/op is for one check.
func BenchmarkRecordChecks(b *testing.B) {
	for _, engine := range []string{"sqlite", "postgres"} {
		for _, size := range []int{32, 64, 256} {
			b.Run(fmt.Sprintf("%s/%d", engine, size), func(b *testing.B) {
				s := storetest.BenchStore(b, engine)
				benchChecks(b, s, size)
			})
		}
	}
}

func benchChecks(b *testing.B, s *store.Store, size int) {
	d := newDesk(b, s)
	d.Live(storetest.Noon, checks.Virginia)
	sites := d.ManySites(10_000)
	before, err := s.DiskBytes(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	written := bytesWritten(b)
	var batch []checks.CheckReport
	i := 0
	for b.Loop() {
		at := storetest.Noon.Add(time.Duration(i) * 6 * time.Millisecond)
		batch = append(batch, storetest.Look(sites[i%len(sites)], checks.Virginia, at, true))
		if i++; len(batch) == size {
			d.Checked(at.Add(time.Second), batch...)
			batch = batch[:0]
		}
	}
	b.ReportMetric(float64(bytesWritten(b)-written)/1024/float64(i), "KB-written/check") // SQLite's; PostgreSQL has processes of its own
	after, err := s.DiskBytes(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(after-before)/float64(i), "B/check")
}

// bytesWritten is what this process has handed to the system to be written, in bytes.
func bytesWritten(b *testing.B) (n int64) {
	b.Helper()
	text, err := os.ReadFile("/proc/self/io")
	if err != nil {
		b.Skip(err)
	}
	if _, err := fmt.Sscanf(string(text), "rchar: %d\nwchar: %d", new(int64), &n); err != nil {
		b.Fatal(err)
	}
	return n
}
