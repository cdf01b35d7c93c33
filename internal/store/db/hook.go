package db

import (
	"context"
	"errors"
	"time"
)

// Hooks run with every transaction, or at points in the life of the database, in the order in which they were added.
type Hooks struct {
	AfterBegin    []func(context.Context, *Tx) error            // at the beginning of each transaction
	BeforeCommit  []func(context.Context, *Tx) error            // at the end of each transaction; an error rolls it back
	AfterCommit   []func(context.Context, *Tx)                  // must not run statements
	AfterRollback []func()                                      // also after an in-doubt commit
	ClockSetBack  []func(context.Context, *Tx, time.Time) error // corrects times that were recorded by a clock that was far ahead
	FirstKey      []func(context.Context) error                 // before a database gets its first key
	Close         []func() error                                // while the database can still be used
}

// Hook adds hooks. Call it before the database is used.
func (d *DB) Hook(h Hooks) {
	all := &d.hooks
	all.AfterBegin = append(all.AfterBegin, h.AfterBegin...)
	all.BeforeCommit = append(all.BeforeCommit, h.BeforeCommit...)
	all.AfterCommit = append(all.AfterCommit, h.AfterCommit...)
	all.AfterRollback = append(all.AfterRollback, h.AfterRollback...)
	all.ClockSetBack = append(all.ClockSetBack, h.ClockSetBack...)
	all.FirstKey = append(all.FirstKey, h.FirstKey...)
	all.Close = append(all.Close, h.Close...)
}

func (h *Hooks) rolledBack() {
	for _, f := range h.AfterRollback {
		f()
	}
}

func (h *Hooks) firstKey(ctx context.Context) error {
	for _, f := range h.FirstKey {
		if err := f(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (h *Hooks) close() (err error) {
	for _, f := range h.Close {
		err = errors.Join(err, f())
	}
	return err
}

// ClockSetBack corrects times that were recorded by a clock that was far ahead and has been set back, so that nothing waits for these
// times.
func (t *Tx) ClockSetBack(ctx context.Context, now time.Time) error {
	for _, f := range t.db.hooks.ClockSetBack {
		if err := f(ctx, t, now); err != nil {
			return err
		}
	}
	return nil
}

// Local returns a package's state for this transaction, under a key of the package; nil before SetLocal.
func (t *Tx) Local(key any) any { return t.local[key] }

// SetLocal keeps a package's state until this transaction has ended.
func (t *Tx) SetLocal(key, state any) {
	if t.local == nil {
		t.local = map[any]any{}
	}
	t.local[key] = state
}
