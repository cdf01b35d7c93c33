package watch

import (
	"log/slog"
	"testing"
	"time"

	"sett/internal/setttest/pgcluster"
	"sett/internal/store"
)

// Two servers share a database, and the clock of one is a minute ahead: it must not take that minute for one without a
// server. Nor must it miss the time in which there was none.
func TestAServerWhoseClockIsAheadBeginsBesideOthers(t *testing.T) {
	t.Parallel()
	s, err := store.Open(t.Context(), store.Options{Database: pgcluster.Postgres(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if _, _, err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	now := time.Unix(1_800_000_000, 0)
	server := func(ahead time.Duration) *CheckIns {
		return NewCheckIns(CheckInOptions{Store: s, Now: func() time.Time { return now.Add(ahead) }, Log: slog.New(slog.DiscardHandler)})
	}
	beat := func(c *CheckIns) (blind bool) {
		t.Helper()
		before := c.beatAt.Load()
		var log lines
		c.Log = slog.New(slog.NewTextHandler(&log, nil))
		if _, err := c.beat(t.Context()); err != nil {
			t.Fatal(err)
		}
		if log.n > 0 && c.beatAt.Load() == before {
			t.Error("it tells of a time without a server before it has a beat")
		}
		return log.n > 0
	}
	right, ahead := server(0), server(time.Minute)
	if beat(right); right.beatAt.Load() == 0 {
		t.Error("the first server of all waits for others")
	}
	for range 4 {
		now = now.Add(beatEvery)
		if beat(right) || beat(ahead) {
			t.Error("with a server alive there is a time without one")
		}
	}
	if ahead.beatAt.Load() == 0 {
		t.Error("beside others it does not beat")
	}
	now = now.Add(10 * time.Minute)
	alone := server(0)
	if beat(alone) {
		t.Error("it takes itself for the only one at once")
	}
	now = now.Add(beatEvery)
	beat(alone)
	if now = now.Add(beatEvery); !beat(alone) {
		t.Error("ten minutes without a server are not noted")
	}
}

// lines counts what is logged.
type lines struct{ n int }

func (l *lines) Write(b []byte) (int, error) {
	l.n++
	return len(b), nil
}
