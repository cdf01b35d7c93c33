package ingest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/checks"
	"sett/internal/sett/faults"
	"sett/internal/store/intakedb"
	"sett/internal/store/spool"
	"sett/internal/store/uptimedb"
)

// cellar is all stores of a spool: it notes what is stored, in order, and is away as long as the test says.
type cellar struct {
	mu     sync.Mutex
	away   bool
	poison string // the class of notices that cannot be stored
	stored []string
	ended  int // times that the spool has left

	committed sett.NoticeID // in a commit that was in doubt
	behind    bool          // the standby is: what is committed is not on it
}

var errGone = &sett.Error{Code: sett.Unavailable, Message: "The database does not answer."}

func (s *cellar) add(what ...string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.away {
		return errGone
	}
	s.stored = append(s.stored, what...)
	return nil
}

func (s *cellar) RecordNotices(_ context.Context, _ time.Time, _ accounts.Limits, in intakedb.Intake) (receipts []accounts.Receipt, err error) {
	var classes []string
	for _, r := range in.Reports {
		if r.Class == s.poison {
			return nil, errors.New("cannot be stored")
		}
		classes, receipts = append(classes, r.Class), append(receipts, accounts.Receipt{ID: sett.UUID{1}, Outcome: accounts.Stored})
	}
	return receipts, s.add(classes...)
}

func (s *cellar) RecordPings(_ context.Context, pings []uptimedb.PingReport) ([]bool, error) {
	for _, p := range pings {
		if err := s.add("ping " + p.ID); err != nil {
			return nil, err
		}
	}
	return make([]bool, len(pings)), nil
}

func (s *cellar) HasDeploy(context.Context, int64, faults.Deploy) (bool, error) {
	return false, s.add()
}

func (s *cellar) RecordDeploy(_ context.Context, _ time.Time, _ int64, d faults.Deploy) (int64, error) {
	return 1, s.add("deploy " + d.Revision)
}

func (s *cellar) Fate(context.Context, string, []sett.NoticeID) (map[sett.NoticeID]bool, error) {
	return map[sett.NoticeID]bool{s.committed: true}, s.add()
}

func (s *cellar) TryWrite(context.Context, time.Time) error {
	if s.behind {
		return errGone
	}
	return s.add()
}
func (s *cellar) Flush(context.Context) error               { return s.add() }
func (s *cellar) FlushDue(context.Context, time.Time) error { return s.add() }
func (s *cellar) Sync() error                               { return nil }
func (s *cellar) Leave(context.Context) error               { s.ended++; return nil }

// newSpool returns a spool of a cellar that takes so many bytes, with the buffer and the pings that use it.
func newSpool(t *testing.T, s *cellar, most int64) (*Spool, *Buffer, *Pings) {
	t.Helper()
	file, err := spool.Open(t.Context(), t.TempDir(), most)
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	k := NewSpool(SpoolOptions{File: file, Main: s, Intake: s, Pings: s, Faults: s, Now: time.Now, Log: log})
	b, p := NewBuffer(s, accounts.Limits{}, time.Now, log), NewPings(s, time.Now, log)
	b.KeepIn(k)
	p.KeepIn(k)
	t.Cleanup(func() {
		b.Close()
		p.Close()
		if err := k.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return k, b, p
}

func passAll(t *testing.T, k *Spool) {
	t.Helper()
	for k.Pass(t.Context()) { //nolint:revive // each call passes some
	}
}

// TestSpoolKeepsOrder checks that what comes while the database is away, and while the spool holds anything, is stored in its order, and pings
// before all else.
func TestSpoolKeepsOrder(t *testing.T) {
	t.Parallel()
	s := &cellar{away: true}
	k, b, p := newSpool(t, s, 1<<20)
	in := New(Options{Spool: k})
	submit := func(class string) {
		t.Helper()
		receipt, err := b.Submit(&faults.Report{ProjectID: 1, Class: class, Body: []byte("{}"), ReceivedAt: time.Now()})
		if err != nil || receipt.ID.IsZero() || receipt.Outcome != accounts.Stored {
			t.Errorf("%s: %+v, %v", class, receipt, err)
		}
	}
	submit("A")
	if found, err := p.record(uptimedb.PingReport{ID: "one", Ping: checks.Ping{At: time.Now()}}); !found || err != nil {
		t.Errorf("a ping: %v, %v", found, err)
	}
	if err := in.storeDeploy(t.Context(), time.Now(), 1, faults.Deploy{Revision: "r1"}); err != nil {
		t.Error(err)
	}
	passAll(t, k)
	s.away = false
	submit("B") // the database is there again, but not for what would overtake
	passAll(t, k)
	submit("C")
	if want := []string{"ping one", "A", "deploy r1", "B", "C"}; !slices.Equal(s.stored, want) {
		t.Errorf("stored: %q, want %q", s.stored, want)
	}
	if state, _ := k.State(); state.Holding || state.Entries != 0 || state.Stored != 4 || s.ended != 1 || b.Ended(accounts.Stored) != 3 {
		t.Errorf("afterwards: %+v, left %d times, %d notices counted", state, s.ended, b.Ended(accounts.Stored))
	}
}

// TestSpoolDropsWhatCannotBeStored checks that a report which no database takes does not keep the others from being stored.
func TestSpoolDropsWhatCannotBeStored(t *testing.T) {
	t.Parallel()
	s := &cellar{away: true, poison: "C"}
	k, b, _ := newSpool(t, s, 1<<20)
	for _, class := range []string{"A", "B", "C", "D"} {
		if class == "C" {
			k.hold()
		}
		if _, err := b.Submit(&faults.Report{ProjectID: 1, Class: class, Body: []byte("{}")}); err != nil {
			t.Fatal(err)
		}
	}
	s.away = false
	for range 2 * mostTries {
		k.Pass(t.Context())
	}
	if want := []string{"A", "B", "D"}; !slices.Equal(s.stored, want) {
		t.Errorf("stored: %q, want %q", s.stored, want)
	}
	if state, _ := k.State(); state.Lost != 1 || state.Holding {
		t.Errorf("afterwards: %+v", state)
	}
}

// TestSpoolHasRoom checks that a full spool refuses reports with a time, and that pings leave room for notices.
func TestSpoolHasRoom(t *testing.T) {
	t.Parallel()
	k, b, p := newSpool(t, &cellar{away: true}, 16<<10)
	var err error
	pings := 0
	for ; err == nil; pings++ {
		_, err = p.record(uptimedb.PingReport{ID: fmt.Sprint(pings), Ping: checks.Ping{At: time.Now()}})
	}
	if sett.CodeOf(err) != sett.Unavailable || k.File.Share(spool.Ping) > 1.5/pingShare {
		t.Errorf("%d pings take %.2f of the spool, then %v", pings, k.File.Share(spool.Ping), err)
	}
	notices := 0
	for err = nil; err == nil; notices++ {
		_, err = b.Submit(&faults.Report{ProjectID: 1, Class: "A", Body: []byte("{}")})
	}
	if state, _ := k.State(); !state.Full {
		t.Errorf("a spool that refuses is not full: %+v", state)
	}
	if e, ok := errors.AsType[*sett.Error](err); !ok || e.Code != sett.Unavailable || e.RetryAfter <= 0 || notices < 5 {
		t.Errorf("after %d notices: %v", notices, err)
	}
}

// TestSpoolKeepsWhatNoStandbyHas checks that a report whose commit was in doubt leaves the spool only once a later commit, which waits for the standby, has
// succeeded.
func TestSpoolKeepsWhatNoStandbyHas(t *testing.T) {
	t.Parallel()
	s := &cellar{committed: 7, behind: true}
	k, _, _ := newSpool(t, s, 1<<20)
	e, _, err := newNoticeEntry(&faults.Report{ProjectID: 1, Class: "A", Body: []byte("{}"), ReceivedAt: time.Now()}, s.committed, "1")
	if err == nil {
		err = k.File.Add(t.Context(), []spool.Entry{e})
	}
	if err != nil {
		t.Fatal(err)
	}
	passAll(t, k)
	if n := k.File.Size().Entries; n != 1 {
		t.Errorf("%d entries while the standby is behind, want 1", n)
	}
	s.behind = false
	passAll(t, k)
	if n := k.File.Size().Entries; n != 0 || len(s.stored) != 0 {
		t.Errorf("%d entries once it is not, and %q were stored again, want none", n, s.stored)
	}
}
