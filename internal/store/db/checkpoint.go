package db

import (
	"context"
	"database/sql"
	"sync"
	"sync/atomic"
	"time"
)

// checkpoints copies what SQLite's write-ahead log holds into the database file, beside the writer and not in its way:
// left to SQLite, the commit that finds the log long copies all of it while everybody waits.
type checkpoints struct {
	db    *sql.DB // one connection of its own
	write *sql.DB

	written atomic.Bool // whether anything was committed since the last checkpoint
	stop    context.CancelFunc
	stopped sync.WaitGroup
}

// The rhythm of checkpoints. Pages are those of the log. A short log stays in the processor's cache.
const (
	checkpointEvery = 100 * time.Millisecond
	enough          = 4 << 20 / pageSize  // to be copied
	longLog         = 12 << 20 / pageSize // from which the writer is to begin the log anew
	shortRest       = 1 << 20 / pageSize  // what is left to be copied while the writer waits
)

// begin copies every now and then until close is called.
func (c *checkpoints) begin() {
	ctx, stop := context.WithCancel(context.Background())
	c.stop = stop
	c.stopped.Go(func() {
		tick := time.NewTicker(checkpointEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if c.written.Swap(false) {
					c.run(ctx)
				}
			}
		}
	})
}

// close ends the checkpoints. What the log holds stays there; the last connection that closes copies it.
func (c *checkpoints) close() error {
	if c.stop == nil {
		return nil
	}
	c.stop()
	c.stopped.Wait()
	return c.db.Close()
}

// run copies the log. While notices come thick the writer appends faster than the end can be reached, so when the log is
// long the last bit is copied with the writer held, who then begins the log anew. A failure is no matter: the log keeps
// everything, and the next commit or checkpoint meets the same trouble.
func (c *checkpoints) run(ctx context.Context) {
	log, rest, err := checkpoint(ctx, c.db, "NOOP")
	if err != nil || rest < enough {
		return
	}
	for pass := 0; rest > shortRest && pass < 3 && err == nil; pass++ {
		log, rest, err = checkpoint(ctx, c.db, "PASSIVE")
	}
	if log >= longLog {
		_, _, _ = checkpoint(ctx, c.write, "PASSIVE")
	}
}

// checkpoint copies as much as it can without waiting for anybody, or with NOOP nothing. It returns how many pages the log
// has, and how many of them are still to be copied.
func checkpoint(ctx context.Context, db *sql.DB, mode string) (log, rest int, err error) {
	var busy, copied int
	err = db.QueryRowContext(ctx, "PRAGMA wal_checkpoint("+mode+")").Scan(&busy, &log, &copied)
	return log, log - copied, err
}
