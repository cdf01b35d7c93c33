package agent

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sett/internal/monitor/prober"
	"sett/internal/sett/checks"
)

func reports(names ...string) (all []prober.Report) {
	for _, name := range names {
		all = append(all, prober.Report{Result: checks.ProbeResult{Reason: name, At: time.Unix(1_800_000_000, 0).UTC()}})
	}
	return all
}

func mustOpen(t *testing.T, dir string) *spool {
	t.Helper()
	s, err := openSpool(dir, "Frankfurt", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func mustPut(t *testing.T, s *spool, names ...string) {
	t.Helper()
	if _, err := s.put(reports(names...)); err != nil {
		t.Fatal(err)
	}
}

// drain takes everything from the spool and says what it was, batch by batch.
func drain(s *spool) (found []string) {
	for {
		b, u, ok := s.oldest()
		if !ok {
			return found
		}
		for _, r := range u.Reports {
			found = append(found, fmt.Sprintf("%d:%s", u.Sequence, r.Result.Reason))
		}
		s.sent(b)
	}
}

func TestTheSpoolKeepsTheOrderAcrossRuns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := mustOpen(t, dir)
	mustPut(t, first, "a", "b")
	mustPut(t, first, "c")
	_, sentBefore, _ := first.oldest() // killed before the answer came

	second := mustOpen(t, dir)
	mustPut(t, second, "d")
	_, again, _ := second.oldest()
	if again.Stream != sentBefore.Stream || again.Sequence != sentBefore.Sequence {
		t.Errorf("a batch that was sent already goes as %s/%d, first as %s/%d", again.Stream, again.Sequence, sentBefore.Stream, sentBefore.Sequence)
	}
	if got, want := fmt.Sprint(drain(second)), "[1:a 1:b 2:c 1:d]"; got != want {
		t.Errorf("sent %s, want %s", got, want)
	}
	if left := drain(mustOpen(t, dir)); left != nil {
		t.Errorf("what was sent is still there: %v", left)
	}
}

func TestTheSpoolDropsTheOldestAndCountsThem(t *testing.T) {
	t.Parallel()
	s := mustOpen(t, t.TempDir())
	mustPut(t, s, "a", "b")
	s.room = s.bytes + 10
	mustPut(t, s, "c")
	_, u, _ := s.oldest()
	if u.Dropped != 2 || u.Reports[0].Result.Reason != "c" || s.waiting() != 1 {
		t.Errorf("dropped %d, %d batches left, the oldest %+v", u.Dropped, s.waiting(), u.Reports)
	}
}

func TestTheSpoolForgetsWhatIsTooOld(t *testing.T) {
	t.Parallel()
	now := time.Now()
	s, err := openSpool(t.TempDir(), "Frankfurt", func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	mustPut(t, s, "a")
	now = now.Add(mostAge + time.Minute)
	mustPut(t, s, "b")
	if _, u, _ := s.oldest(); u.Dropped != 1 || u.Reports[0].Result.Reason != "b" {
		t.Errorf("a day later: dropped %d, the oldest %+v", u.Dropped, u.Reports)
	}
}

func TestADamagedFileStopsNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := mustOpen(t, dir)
	mustPut(t, s, "a")
	mustPut(t, s, "b")
	if err := os.WriteFile(filepath.Join(dir, s.batches[0].name), []byte(`[{"site`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "x.json.new"), []byte(`[`), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(drain(mustOpen(t, dir))); got != "[2:b]" {
		t.Errorf("sent %s", got)
	}
	if _, err := os.Stat(filepath.Join(dir, "x.json.new")); err == nil {
		t.Error("half a file is still there")
	}
}

func TestABatchThatIsDroppedWhileItIsSentIsNoLoss(t *testing.T) {
	t.Parallel()
	s := mustOpen(t, t.TempDir())
	mustPut(t, s, "a")
	b, _, _ := s.oldest()
	s.room = 1
	mustPut(t, s, "b")
	s.sent(b)
	if s.waiting() != 1 || s.bytes != s.batches[0].bytes {
		t.Errorf("%d batches of %d bytes", s.waiting(), s.bytes)
	}
}

func TestMemoryHoldsOnlySoMuch(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "spool")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	s := mustOpen(t, dir)
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("x", mostHeld/2)
	for i, want := range []int{0, 1} {
		if lost, err := s.put(reports(long)); lost != want || err == nil {
			t.Errorf("batch %d: lost %d, %v", i+1, lost, err)
		}
	}
	if got := drain(s); len(got) != 1 || s.held != 0 || s.bytes != 0 {
		t.Errorf("%d reports, and %d bytes are left", len(got), s.held)
	}
	if lost, err := s.put(reports(long)); lost != 0 || err == nil {
		t.Errorf("once there is room again: lost %d, %v", lost, err)
	}
	if _, u, _ := s.oldest(); u.Dropped != 1 || u.Sequence != 3 {
		t.Errorf("dropped %d at batch %d", u.Dropped, u.Sequence)
	}
}

func TestWhatWasFoundElsewhereGoesWithAge(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	there, err := openSpool(dir, "Oregon", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	mustPut(t, there, "a")
	if s := mustOpen(t, dir); s.foreign["Oregon"] != 1 || s.waiting() != 0 {
		t.Errorf("%d batches of another location, and %d waiting", s.foreign["Oregon"], s.waiting())
	}
	if s, err := openSpool(dir, "Frankfurt", func() time.Time { return time.Now().Add(mostAge + time.Minute) }); err != nil || len(s.foreign) != 0 {
		t.Errorf("a day later there are %v, %v", s.foreign, err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*.json")); err != nil || len(left) != 0 {
		t.Errorf("left are %v, %v", left, err)
	}
}
