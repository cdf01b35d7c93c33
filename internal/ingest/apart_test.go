package ingest

import (
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store/db"
	"sett/internal/store/intakedb"
)

const heldID = 7 // of the project that is held

// held is a store in which another transaction holds a project. A batch that waits for it takes a second.
type held struct {
	desk
	free   atomic.Bool
	waited atomic.Int64 // how many batches have waited for long
}

func newHeld() *held {
	h := &held{}
	h.fail = func(in intakedb.Intake) error {
		for _, r := range in.Reports {
			if r.ProjectID == heldID && !h.free.Load() {
				return h.wait(in)
			}
		}
		for _, r := range in.Refused {
			if r.ProjectID == heldID && !h.free.Load() {
				return h.wait(in)
			}
		}
		return nil
	}
	return h
}

func (h *held) wait(in intakedb.Intake) error {
	if in.LockWait == 0 {
		h.waited.Add(1)
		time.Sleep(time.Second)
	} else {
		time.Sleep(in.LockWait)
	}
	return errors.Join(&sett.Error{Code: sett.Unavailable, Message: "It is held."}, db.ErrHeld)
}

// While one project is held, the notices of others are stored without waiting for it again and again, and its own
// are stored once it is free.
func TestAHeldProjectDoesNotDelayOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHeld()
		b := NewBuffer(h, accounts.Limits{}, time.Now, slog.New(slog.DiscardHandler))
		defer b.Close()
		submit := func(project int64, class string) error {
			_, err := b.Submit(&faults.Report{ProjectID: project, Class: class, Body: []byte("{}")})
			return err
		}
		var waiting sync.WaitGroup
		for range 3 {
			waiting.Go(func() {
				if err := submit(heldID, "held"); err != nil {
					t.Errorf("a notice of the held project, which comes free: %v", err)
				}
			})
		}
		b.countLater(accounts.Refusal{ProjectID: heldID, Outcome: accounts.Limited, Count: 1})
		synctest.Wait()
		for range 100 {
			if err := submit(1, "other"); err != nil {
				t.Errorf("a notice of another project: %v", err)
			}
		}
		if n := h.waited.Load(); n > 1 {
			t.Errorf("%d batches have waited for the held project", n)
		}
		h.free.Store(true)
		waiting.Wait()
		if h.mu.Lock(); len(h.taken) != 103 || h.refused != 1 {
			t.Errorf("%d notices and %d refusals are stored, want 103 and 1", len(h.taken), h.refused)
		}
		h.mu.Unlock()
	})
}

// A client that has waited for a held project for the usual time is to try again later. What is refused is not stored later.
func TestClientsOfAHeldProjectAreNotKeptForEver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHeld()
		b := NewBuffer(h, accounts.Limits{}, time.Now, slog.New(slog.DiscardHandler))
		defer b.Close()
		_, err := b.Submit(&faults.Report{ProjectID: heldID, Class: "held", Body: []byte("{}")})
		if sett.CodeOf(err) != sett.Unavailable {
			t.Errorf("the answer is %v", err)
		}
		time.Sleep(time.Minute)
		h.free.Store(true)
		time.Sleep(time.Minute)
		if h.mu.Lock(); len(h.taken) != 0 {
			t.Error("what was refused is stored")
		}
		h.mu.Unlock()
		if b.bytes.Load() != 0 {
			t.Errorf("%d bytes are held without a caller", b.bytes.Load())
		}
	})
}

// A held project takes only a part of the room.
func TestAHeldProjectLeavesRoomToOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHeld()
		b := NewBuffer(h, accounts.Limits{}, time.Now, slog.New(slog.DiscardHandler))
		defer b.Close()
		var refused atomic.Int64
		var all sync.WaitGroup
		for range 2 * mostApart {
			all.Go(func() {
				if _, err := b.Submit(&faults.Report{ProjectID: heldID, Class: "held", Body: []byte("{}")}); err != nil {
					refused.Add(1)
				}
			})
		}
		time.Sleep(5 * time.Second)
		if refused.Load() < mostApart/2 {
			t.Errorf("%d of %d were refused at once", refused.Load(), 2*mostApart)
		}
		if _, err := b.Submit(&faults.Report{ProjectID: 1, Class: "other", Body: []byte("{}")}); err != nil {
			t.Errorf("a notice of another project: %v", err)
		}
		h.free.Store(true)
		all.Wait()
	})
}
