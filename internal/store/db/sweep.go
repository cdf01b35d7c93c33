package db

import "context"

// RowsAtOnce is how many rows one step of a deletion handles: some 20 ms of work, so that intake never waits long for its turn.
const RowsAtOnce = 1_000

// Sweep repeats a step, each time in a transaction of its own, until it deletes fewer rows than it may.
func (d *DB) Sweep(ctx context.Context, what string, most int64, step func(*Tx) (int64, error)) error {
	for {
		var n int64
		err := d.InTx(ctx, what, func(t *Tx) (err error) {
			n, err = step(t)
			return err
		})
		if err != nil || n < most {
			return err
		}
	}
}
