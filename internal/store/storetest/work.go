package storetest

import (
	"context"
	"errors"
	"time"

	"sett/internal/store/work"
)

// ErrCut ends work as the death of its process does.
var ErrCut = errors.New("cut off")

// CutAfter are the options of work that ends after so many pieces; negative for all.
func CutAfter(pieces int) work.Options {
	return work.Options{Now: time.Now, Holder: "test", Rest: func(context.Context, time.Duration) error {
		if pieces--; pieces == -1 {
			return ErrCut
		}
		return nil
	}}
}

// WorkUntil does pending work in the background, also that of processes that died, until none is left or it is cut off.
func (d *Desk) WorkUntil(o work.Options) (err error) {
	d.T.Helper()
	d.Run(`UPDATE pending_work SET due_at = 0`)
	for more := true; more && err == nil; {
		var lots, whole, faults bool
		if lots, err = d.Store.Work.DoLots(d.T.Context(), o); err == nil {
			whole, err = d.Store.Work.DoWhole(d.T.Context(), o)
		}
		if err == nil {
			faults, err = d.Faults.SweepFaults(d.T.Context())
		}
		more = lots || whole || faults
	}
	if !d.SQLite() {
		d.Run(`DELETE FROM leases WHERE holder = 'test'`) // that of a process that died runs out
	}
	return err
}

// Finish does all pending work.
func (d *Desk) Finish() {
	d.T.Helper()
	if err := d.WorkUntil(CutAfter(-1)); err != nil {
		d.T.Fatal(err)
	}
	if n := d.Numbers(`SELECT count(*) FROM pending_work`, 1)[0]; n != 0 {
		d.T.Fatalf("%d works are left", n)
	}
}
