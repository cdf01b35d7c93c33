package watch

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/base/loop"
	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/sett/run"
	"sett/internal/setttest/fresh"
	"sett/internal/store"
	"sett/internal/store/accountdb"
	"sett/internal/store/uptimedb"
)

// post is a server that watches one check-in, which is to report every hour with 5 minutes of grace. It lives in a bubble
// of testing/synctest: its time goes on when nothing is left to do.
type post struct {
	t       *testing.T
	store   *store.Store
	checkIn checks.CheckIn
	log     bytes.Buffer
	start   time.Time
	loops   *loop.Group
}

// inBubble runs f with a new post whose loops do not run yet.
func inBubble(t *testing.T, f func(p *post)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s, err := store.Open(t.Context(), fresh.SQLite(t))
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}()
		if _, _, err := s.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		p := &post{t: t, store: s, start: time.Now()}
		made, err := s.Accounts.SetUp(t.Context(), p.start, accountdb.Setup{Account: "Acme", Email: "ann@example.test", Name: "Ann", Project: "Shop", TokenHash: []byte("hash")})
		if err != nil {
			t.Fatal(err)
		}
		p.checkIn, err = s.Uptime.CreateCheckIn(t.Context(), p.start, made.ProjectID, checks.CheckInChange{
			ReportPeriod: sett.Some[checks.PeriodText]("1 hour"), GracePeriod: sett.Some[checks.PeriodText]("5 minutes"),
		})
		if err != nil {
			t.Fatal(err)
		}
		f(p)
	})
}

// run starts the loops of a process whose clock is ahead by so much.
func (p *post) run(ahead time.Duration) {
	now := func() time.Time { return time.Now().Add(ahead) }
	checkIns := NewCheckIns(CheckInOptions{Uptime: p.store.Uptime, Now: now, Log: slog.New(slog.NewTextHandler(&p.log, nil))})
	p.loops = loop.Start(context.Background(), checkIns.Loops()...)
	synctest.Wait()
}

func (p *post) stop() {
	p.t.Helper()
	if err := p.loops.Stop(p.t.Context()); err != nil {
		p.t.Fatal(err)
	}
}

// pass lets time go on.
func (p *post) pass(d time.Duration) {
	time.Sleep(d) // in the bubble
	synctest.Wait()
}

func (p *post) ping() {
	p.t.Helper()
	found, err := p.store.Uptime.RecordPings(p.t.Context(), []uptimedb.PingReport{{ID: p.checkIn.ID, Ping: checks.Ping{At: time.Now()}}})
	if err != nil || !found[0] {
		p.t.Fatal(found, err)
	}
}

// want compares the history, the oldest first, as lines such as "missing 1h5m0s": since the start, in
// full minutes.
func (p *post) want(lines ...string) {
	p.t.Helper()
	events, _, err := p.store.Uptime.ListCheckInEvents(p.t.Context(), p.checkIn.ProjectID, p.checkIn.ID, sett.Page{Size: 100})
	if err != nil {
		p.t.Fatal(err)
	}
	var got []string
	for _, e := range events {
		got = append([]string{string(e.Kind) + " " + e.At.Sub(p.start).Truncate(time.Minute).String()}, got...)
	}
	if diff := cmp.Diff(lines, got); diff != "" {
		p.t.Errorf("history (-want +got):\n%s", diff)
	}
}

func TestMissesAreFoundWithinTwoSeconds(t *testing.T) {
	t.Parallel()
	inBubble(t, func(p *post) {
		p.ping()
		p.run(0)
		defer p.stop()
		p.pass(65*time.Minute - time.Second)
		p.want("reported 0s")
		p.pass(3 * time.Second)
		p.want("reported 0s", "missing 1h5m0s")
		p.pass(2 * time.Hour)
		p.want("reported 0s", "missing 1h5m0s", "missing 2h5m0s", "missing 3h5m0s")
		p.ping()
		p.pass(time.Hour)
		p.want("reported 0s", "missing 1h5m0s", "missing 2h5m0s", "missing 3h5m0s", "reported 3h5m0s", "reporting 3h5m0s")
		if p.log.Len() > 0 {
			t.Errorf("logged: %s", p.log.String())
		}
	})
}

// An upgrade takes seconds, and a job that was due in these is not late.
func TestARestartMissesNothing(t *testing.T) {
	t.Parallel()
	inBubble(t, func(p *post) {
		p.ping()
		p.run(0)
		p.pass(time.Hour + 4*time.Minute + 55*time.Second)
		p.stop()
		p.pass(8 * time.Second)
		p.run(0)
		p.pass(2 * time.Second)
		p.want("reported 0s", "forgiven 1h5m0s")
		p.stop()
	})
}

// A run that started before a restart is watched after it.
func TestARunIsWatchedOverARestart(t *testing.T) {
	t.Parallel()
	inBubble(t, func(p *post) {
		p.run(0)
		start := checks.Ping{At: time.Now(), Run: run.Report{ID: "a", Started: true}}
		if _, err := p.store.Uptime.RecordPings(p.t.Context(), []uptimedb.PingReport{{ID: p.checkIn.ID, Ping: start}}); err != nil {
			t.Fatal(err)
		}
		p.pass(10 * time.Minute)
		p.stop()
		p.pass(time.Minute)
		p.run(0)
		p.pass(19*time.Minute - time.Second)
		p.want()
		p.pass(3 * time.Second)
		p.want("missing 30m0s")
		p.pass(time.Hour)
		p.want("missing 30m0s")
		p.stop()
	})
}

func TestNothingIsMissedThatNoServerCouldSee(t *testing.T) {
	t.Parallel()
	inBubble(t, func(p *post) {
		p.ping()
		p.run(0)
		p.pass(30 * time.Minute)
		p.stop()
		p.pass(12 * time.Hour)
		p.run(0)
		p.pass(2 * time.Second)
		p.want("reported 0s", "forgiven 12h30m0s")
		p.stop()
		p.pass(20 * time.Second) // in which nothing was due
		p.run(0)
		p.pass(4*time.Minute + 37*time.Second)
		p.want("reported 0s", "forgiven 12h30m0s")
		p.pass(4 * time.Second)
		p.want("reported 0s", "forgiven 12h30m0s", "missing 12h35m0s")
		p.stop()
		if got := p.log.String(); strings.Count(got, "sett was stopped") != 2 || !strings.Contains(got, "from=2000-01-01T00:30:00.000Z to=2000-01-01T12:30:00.000Z") {
			t.Errorf("logged: %s", got)
		}
	})
}

// A process that slept, or whose clock jumped, does not sweep before it has a beat again.
func TestASweepNeedsAFreshBeat(t *testing.T) {
	t.Parallel()
	inBubble(t, func(p *post) {
		p.ping()
		ahead := time.Duration(0)
		c := NewCheckIns(CheckInOptions{Uptime: p.store.Uptime, Now: func() time.Time { return time.Now().Add(ahead) }, Log: slog.New(slog.DiscardHandler)})
		round := func(work func(context.Context) (bool, error)) {
			t.Helper()
			if more, err := work(p.t.Context()); more || err != nil {
				t.Fatal(more, err)
			}
		}
		ahead = 2 * time.Hour
		round(c.sweep)
		p.want("reported 0s")
		round(c.beat)
		ahead += 31 * time.Second
		round(c.sweep)
		p.want("reported 0s")
		ahead -= time.Second
		round(c.sweep)
		p.want("reported 0s", "missing 1h5m0s")
		ahead += 4 * time.Hour
		round(c.sweep)
		round(c.beat)
		round(c.sweep)
		p.want("reported 0s", "missing 1h5m0s", "forgiven 6h0m0s")
	})
}

// After the database was away, pings that were kept meanwhile come before a sweep.
func TestASweepWaitsForKeptPings(t *testing.T) {
	t.Parallel()
	inBubble(t, func(p *post) {
		p.ping()
		c := NewCheckIns(CheckInOptions{Uptime: p.store.Uptime, Now: time.Now, Log: slog.New(slog.DiscardHandler)})
		round := func(work func(context.Context) (bool, error)) {
			t.Helper()
			if more, err := work(p.t.Context()); more || err != nil {
				t.Fatal(more, err)
			}
		}
		p.pass(64*time.Minute + 52*time.Second)
		kept := time.Now()
		round(c.beat)
		ended, cancel := context.WithCancel(p.t.Context())
		cancel()
		if _, err := c.sweep(ended); err == nil {
			t.Fatal("a database that does not respond is no error")
		}
		p.pass(9 * time.Second)
		round(c.sweep)
		p.want("reported 0s")
		if _, err := p.store.Uptime.RecordPings(p.t.Context(), []uptimedb.PingReport{{ID: p.checkIn.ID, Ping: checks.Ping{At: kept}}}); err != nil {
			t.Fatal(err)
		}
		p.pass(settleFor)
		round(c.sweep)
		p.want("reported 0s", "reported 1h4m0s")
		p.pass(65 * time.Minute)
		round(c.beat)
		p.pass(time.Second)
		round(c.sweep)
		p.want("reported 0s", "reported 1h4m0s", "forgiven 2h10m0s")
	})
}

// A server that starts cannot know that the database was away until then, and that others keep pings. What is long overdue does not wait.
func TestANewServerWaitsForKeptPings(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		spools     bool
		start, end time.Duration // of the server, after the deadline; the first sweep that finds it
	}{
		{false, 0, 0},
		{true, 0, lateFor},
		{true, lateFor - settleFor + time.Second, lateFor + time.Second},
		{true, time.Minute, time.Minute + settleFor},
	} {
		inBubble(t, func(p *post) {
			p.ping()
			c := NewCheckIns(CheckInOptions{Uptime: p.store.Uptime, Now: time.Now, Spools: test.spools, Log: slog.New(slog.DiscardHandler)})
			p.pass(65*time.Minute + test.start)
			if _, err := c.beat(p.t.Context()); err != nil {
				t.Fatal(err)
			}
			sweep := func() {
				t.Helper()
				if _, err := c.sweep(p.t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			if test.end > test.start {
				for range (test.end - test.start) / time.Second {
					sweep()
					p.pass(time.Second)
				}
				p.want("reported 0s")
			}
			sweep()
			p.want("reported 0s", "missing 1h5m0s")
		})
	}
}

func TestHistoryIsPrunedByTheHour(t *testing.T) {
	t.Parallel()
	inBubble(t, func(p *post) {
		p.ping()
		if _, err := p.store.Uptime.Beat(p.t.Context(), p.start, checks.Beginning{}); err != nil {
			t.Fatal(err)
		}
		p.run(90*24*time.Hour - 30*time.Minute)
		defer p.stop()
		forgiven := "forgiven " + (90*24*time.Hour - 30*time.Minute).String()
		missed := "missing " + (90*24*time.Hour - 25*time.Minute).String()
		p.pass(25 * time.Minute)
		p.want("reported 0s", forgiven, missed)
		p.pass(time.Hour - 25*time.Minute)
		p.want(forgiven, missed)
	})
}
