package ingest

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store/intakedb"
)

// desk is a store that fails as the test says; what it takes it counts.
type desk struct {
	mu      sync.Mutex
	fail    func(intakedb.Intake) error
	broken  error // of its disk
	taken   []string
	refused int64
	batches int
}

func (d *desk) RecordNotices(_ context.Context, _ time.Time, _ accounts.Limits, in intakedb.Intake) ([]accounts.Receipt, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.batches++
	if d.fail != nil {
		if err := d.fail(in); err != nil {
			return nil, err
		}
	}
	var receipts []accounts.Receipt
	for _, r := range in.Reports {
		d.taken = append(d.taken, r.Class)
		receipts = append(receipts, accounts.Receipt{ID: sett.UUID{1}, Outcome: accounts.Stored})
	}
	for _, r := range in.Refused {
		d.refused += r.Count
	}
	return receipts, nil
}

func (d *desk) Sync() error { return d.broken }

func (d *desk) Flush(context.Context) error { return nil }

func (d *desk) FlushDue(context.Context, time.Time) error { return nil }

func submitAll(t *testing.T, b *Buffer, classes ...string) map[string]error {
	t.Helper()
	errs := map[string]error{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for _, c := range classes {
		wg.Go(func() {
			_, err := b.Submit(&faults.Report{Class: c, Body: []byte("{}")})
			mu.Lock()
			defer mu.Unlock()
			errs[c] = err
		})
	}
	wg.Wait()
	return errs
}

func TestBufferIsolatesWhatCannotBeStored(t *testing.T) {
	t.Parallel()
	d := &desk{fail: func(in intakedb.Intake) error {
		for _, r := range in.Reports {
			if r.Class == "poison" {
				return errors.New("cannot be stored")
			}
		}
		return nil
	}}
	b := NewBuffer(d, accounts.Limits{}, time.Now, slog.New(slog.DiscardHandler))
	defer b.Close()
	errs := submitAll(t, b, "a", "b", "poison", "c", "d", "e")
	for class, err := range errs {
		if (err != nil) != (class == "poison") {
			t.Errorf("%s: %v", class, err)
		}
	}
	if len(d.taken) != 5 {
		t.Errorf("stored %v, want the five others, each once", d.taken)
	}
}

// What is committed and not on the disk is not called stored.
func TestBufferRefusesWhenTheDiskFails(t *testing.T) {
	t.Parallel()
	broken := &sett.Error{Code: sett.Unavailable, Message: "broken"}
	b := NewBuffer(&desk{broken: broken}, accounts.Limits{}, time.Now, slog.New(slog.DiscardHandler))
	defer b.Close()
	if _, err := b.Submit(&faults.Report{Body: []byte("{}")}); !errors.Is(err, broken) {
		t.Errorf("the answer is %v, want %v", err, broken)
	}
	if n := b.Ended(accounts.Stored); n != 0 {
		t.Errorf("%d notices are counted as stored", n)
	}
}

// A notice that arrives alone does not wait for others; several wait a moment for more.
func TestBufferWaitsForCompany(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &desk{}
		b := NewBuffer(d, accounts.Limits{}, time.Now, slog.New(slog.DiscardHandler))
		defer b.Close()
		began := time.Now()
		submitAll(t, b, "alone")
		if waited := time.Since(began); waited != 0 {
			t.Errorf("a notice alone took %v", waited)
		}
		release := make(chan struct{})
		d.fail = func(intakedb.Intake) error { <-release; return nil }
		go submitAll(t, b, "first")
		synctest.Wait()
		go submitAll(t, b, "a", "b", "c", "d", "e", "f", "g", "h") // come while the first is written
		synctest.Wait()
		close(release)
		time.Sleep(restless / 2)
		submitAll(t, b, "i")
		if d.batches != 3 || len(d.taken) != 11 {
			t.Errorf("%d batches of %v; want the ninth with the eight before it", d.batches, d.taken)
		}
	})
}

func TestBufferAnswersWhenTheStoreHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		d := &desk{fail: func(intakedb.Intake) error { <-release; return nil }}
		b := NewBuffer(d, accounts.Limits{}, time.Now, slog.New(slog.DiscardHandler))
		began := time.Now()
		_, err := b.Submit(&faults.Report{Body: []byte("{}")})
		if sett.CodeOf(err) != sett.Unavailable || time.Since(began) != patience {
			t.Errorf("after %v: %v; want Unavailable after %v", time.Since(began), err, patience)
		}
		close(release)
		b.Close()
	})
}

func TestBufferRefusesWhenFull(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		d := &desk{fail: func(intakedb.Intake) error { <-release; return nil }}
		b := NewBuffer(d, accounts.Limits{}, time.Now, slog.New(slog.DiscardHandler))
		var wg sync.WaitGroup
		var mu sync.Mutex
		refused := 0
		const sent = 2*mostQueued + mostInBatch + 1000 // more than there is room for in both queues and a batch
		for range sent {
			wg.Go(func() {
				_, err := b.Submit(&faults.Report{Body: []byte("{}")})
				if e, ok := errors.AsType[*sett.Error](err); ok && e.Code == sett.Unavailable && e.RetryAfter > 0 {
					mu.Lock()
					defer mu.Unlock()
					refused++
				}
			})
		}
		synctest.Wait()
		if refused == 0 {
			t.Error("a full queue refuses nothing")
		}
		close(release)
		wg.Wait()
		b.Close()
		if len(d.taken)+refused != sent || d.refused != int64(refused) {
			t.Errorf("%d stored and %d refused of %d; the ledger got %d", len(d.taken), refused, sent, d.refused)
		}
		if _, err := b.Submit(&faults.Report{}); sett.CodeOf(err) != sett.Unavailable {
			t.Errorf("after Close: %v, want Unavailable", err)
		}
	})
}
