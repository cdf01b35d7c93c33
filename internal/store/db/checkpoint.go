package db

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// checkpoints copies the content of SQLite's write-ahead log into the database file, without blocking the writer. If SQLite did it, the
// commit that finds the log long would copy all of it while all others wait.
type checkpoints struct {
	db    *sql.DB // one connection of its own
	write *sql.DB

	written atomic.Bool // whether anything was committed since the last checkpoint
	waitAt  int         // the size of the log, in pages, at which the writer waits for readers; 0: overlongLog
	noRoom  atomic.Bool // whether a transaction or a checkpoint has failed since then for lack of room
	room    reserve
	stop    context.CancelFunc
	stopped sync.WaitGroup
}

// The rhythm of checkpoints. Pages are pages of the log. A short log stays in the processor's cache.
const (
	checkpointEvery = 100 * time.Millisecond
	enough          = 4 << 20 / pageSize  // that make a checkpoint worthwhile
	longLog         = 12 << 20 / pageSize // from this size on, the writer restarts the log
	shortRest       = 1 << 20 / pageSize  // what may remain to be copied while the writer waits
	overlongLog     = 64 << 20 / pageSize // from this size on, the writer waits for readers to restart the log
	nextTry         = 16 << 20 / pageSize // by how much the log grows until that is tried again
	mostWait        = 150                 // ms, for one reader
)

// begin copies regularly until close is called.
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
				switch noRoom := c.noRoom.Swap(false); {
				case noRoom:
					c.empty(ctx)
				case c.written.Swap(false):
					c.run(ctx)
				}
				c.takeBack(ctx, time.Now())
			}
		}
	})
}

// close ends the checkpoints. The rest of the log stays in it; the last connection that closes copies it.
func (c *checkpoints) close() error {
	if c.stop == nil {
		return nil
	}
	c.stop()
	c.stopped.Wait()
	return c.db.Close()
}

// run copies the log. Under load the writer appends faster than a pass can reach the end. So when the log is long, the last part is
// copied on the writer's connection, which then restarts the log. Errors are ignored: the log keeps everything, and the next commit or
// checkpoint meets the same error.
func (c *checkpoints) run(ctx context.Context) {
	log, rest, err := checkpoint(ctx, c.db, "NOOP")
	if err != nil || rest < enough {
		return
	}
	for pass := 0; rest > shortRest && pass < 3 && err == nil; pass++ {
		log, rest, err = checkpoint(ctx, c.db, "PASSIVE")
	}
	switch {
	case sqliteDialect.full(err):
		c.noRoom.Store(true)
	case log >= max(c.waitAt, overlongLog):
		c.restart(ctx, "RESTART", log)
	case log >= longLog:
		_, _, _ = checkpoint(ctx, c.write, "PASSIVE")
	}
}

// restart makes the next commit write from the start of the log. It waits for the reads of the log that have begun; later ones need only
// the file, once all of the log is copied. Without it, reads that overlap at all times would let the log grow without end. The mode
// TRUNCATE also empties the log.
func (c *checkpoints) restart(ctx context.Context, mode string, log int) {
	conn, err := c.write.Conn(ctx)
	if err != nil {
		return
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, fmt.Sprintf("PRAGMA busy_timeout=%d", mostWait)); err != nil {
		return
	}
	var busy int
	err = conn.QueryRowContext(ctx, "PRAGMA wal_checkpoint("+mode+")").Scan(&busy, new(int), new(int))
	_, failed := conn.ExecContext(context.WithoutCancel(ctx), fmt.Sprintf("PRAGMA busy_timeout=%d", busyTimeout))
	if c.waitAt = 0; err != nil || failed != nil || busy != 0 {
		c.waitAt = log + nextTry
	}
}

// empty copies the whole log, however short it is, so that the next commit writes over it: the log cannot grow. Most pages that it holds
// have their place in the database file already; the reserve has room for the others.
func (c *checkpoints) empty(ctx context.Context) {
	c.room.give()
	if _, _, err := checkpoint(ctx, c.db, "PASSIVE"); err == nil {
		_, _, _ = checkpoint(ctx, c.write, "PASSIVE")
	}
}

// checkpoint copies as much as it can without waiting for other connections; with NOOP it copies nothing. It returns the number of pages
// in the log, and how many of them are still to be copied.
func checkpoint(ctx context.Context, db *sql.DB, mode string) (log, rest int, err error) {
	var busy, copied int
	err = db.QueryRowContext(ctx, "PRAGMA wal_checkpoint("+mode+")").Scan(&busy, &log, &copied)
	return log, log - copied, err
}
