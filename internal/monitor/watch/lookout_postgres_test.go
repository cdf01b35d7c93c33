package watch

import (
	"log/slog"
	"testing"
	"time"

	"sett/internal/setttest/pgcluster"
	"sett/internal/store"
	"sett/internal/store/db"
)

// shift is servers that share a database, with a clock that the test pushes.
type shift struct {
	t       *testing.T
	address string
	now     time.Time
}

// watchman is one of them.
type watchman struct {
	*CheckIns
	t     *testing.T
	store *store.Store
}

func newShift(t *testing.T) *shift {
	t.Helper()
	s := &shift{t: t, address: pgcluster.Postgres(t), now: time.Unix(1_800_000_000, 0)}
	first := s.begin(0)
	first.end()
	return s
}

// begin starts a server whose clock is ahead.
func (s *shift) begin(ahead time.Duration) *watchman {
	s.t.Helper()
	opened, err := store.Open(s.t.Context(), db.Options{Database: s.address})
	if err == nil {
		_, _, err = opened.Migrate(s.t.Context())
	}
	if err == nil {
		_, err = opened.Intake.Recover(s.t.Context())
	}
	if err != nil {
		s.t.Fatal(err)
	}
	now := func() time.Time { return s.now.Add(ahead) }
	w := &watchman{NewCheckIns(CheckInOptions{Uptime: opened.Uptime, Now: now, Log: slog.New(slog.DiscardHandler)}), s.t, opened}
	s.t.Cleanup(w.end)
	return w
}

func (w *watchman) end() {
	if w.store != nil {
		_ = w.store.Close()
		w.store = nil
	}
}

// beats has a server beat, and reports whether it has found a time without one.
func (w *watchman) beats() (blind bool) {
	w.t.Helper()
	before := w.beatAt.Load()
	var log lines
	w.Log = slog.New(slog.NewTextHandler(&log, nil))
	if _, err := w.beat(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	if log.n > 0 && w.beatAt.Load() == before {
		w.t.Error("it reports a monitoring gap before it has a heartbeat")
	}
	return log.n > 0
}

// Two servers share a database, and the clock of one is a minute ahead: it must not take that minute for one without a
// server. Nor must it miss the time in which there was none.
func TestAServerWhoseClockIsAheadBeginsBesideOthers(t *testing.T) {
	t.Parallel()
	s := newShift(t)
	right, ahead := s.begin(0), s.begin(time.Minute)
	if right.beats(); right.beatAt.Load() == 0 { // the other has had no beat, and may be of an older version
		for range 2 {
			s.now = s.now.Add(beatEvery)
			right.beats()
		}
	}
	for range 4 {
		s.now = s.now.Add(beatEvery)
		if right.beats() || ahead.beats() {
			t.Error("with a server alive there is a time without one")
		}
	}
	if ahead.beatAt.Load() == 0 {
		t.Error("beside others it does not beat")
	}
	right.end()
	ahead.end()
	s.now = s.now.Add(10 * time.Minute)
	if !s.begin(0).beats() {
		t.Error("ten minutes without a server are not noted")
	}
}

// A server beats as soon as it begins. So the one that is restarted next leaves no gap, however soon that is.
func TestARollingRestartLeavesNoGap(t *testing.T) {
	t.Parallel()
	s := newShift(t)
	var servers []*watchman
	for range 2 {
		w := s.begin(0)
		w.beats()
		servers = append(servers, w)
	}
	for range 3 {
		for i := range servers {
			servers[i].end()
			s.now = s.now.Add(time.Second)
			servers[i] = s.begin(0)
			if servers[i].beats() {
				t.Errorf("the restart of server %d is noted as a time without a server", i)
			}
			if servers[i].beatAt.Load() == 0 {
				t.Errorf("server %d does not beat when it begins", i)
			}
		}
	}
}

// lines counts what is logged.
type lines struct{ n int }

func (l *lines) Write(b []byte) (int, error) {
	l.n++
	return len(b), nil
}
