package db

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"time"

	"github.com/jackc/pgx/v5/stdlib"
)

// serverConn is what all connections to PostgreSQL can do, through a pooler or not.
type serverConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.NamedValueChecker
	driver.Pinger
	driver.QueryerContext
	driver.SessionResetter
	pgxConn
}

// readConnector makes connections that read from the replica if they may.
type readConnector struct {
	driver.Connector // to the primary
	replica          *replica
}

// Connect implements driver.Connector.
func (c *readConnector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &readConn{serverConn: conn.(serverConn), r: c.replica}, nil
}

// readConn is a connection to the primary, and one to the replica once it was of use.
type readConn struct {
	serverConn
	r       *replica
	replica *stdlib.Conn // nil: none
	inside  bool         // a transaction on the replica has begun
}

// Close implements driver.Conn.
func (c *readConn) Close() error {
	c.drop()
	return c.serverConn.Close()
}

// drop ends the connection to the replica.
func (c *readConn) drop() {
	if c.replica != nil {
		_ = c.replica.Close() // it is of no more use anyway
	}
	c.replica = nil
}

// ResetSession implements driver.SessionResetter.
func (c *readConn) ResetSession(ctx context.Context) error {
	if c.inside || c.replica != nil && !c.r.isResting() && !c.isAlive(ctx) {
		c.drop()
	}
	c.inside = false
	return c.serverConn.ResetSession(ctx)
}

// isAlive reports whether the connection to the replica can be used again. A replica that is frozen never answers.
func (c *readConn) isAlive(ctx context.Context) bool {
	limited, cancel := context.WithTimeout(ctx, guardPatience)
	defer cancel()
	err := c.replica.ResetSession(limited)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		c.r.gaveUp(lost)
	}
	return err == nil
}

// QueryContext implements driver.QueryerContext.
func (c *readConn) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	if c.inside {
		if c.replica == nil {
			return nil, &replicaError{driver.ErrBadConn}
		}
		rows, err := c.ask(ctx, text, args)
		if err != nil {
			return nil, c.failed(ctx.Err(), err)
		}
		return rows, nil
	}
	if c.serverConn.Conn().PgConn().TxStatus() == 'I' && c.ready(ctx) {
		rows, err := c.ask(ctx, text, args)
		if err == nil {
			c.r.onReplica.Add(1)
			return rows, nil
		}
		if err = c.failed(ctx.Err(), err); ctx.Err() != nil {
			return nil, err
		}
	}
	return c.serverConn.QueryContext(ctx, text, args)
}

// BeginTx implements driver.ConnBeginTx.
func (c *readConn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	if o.ReadOnly && c.ready(ctx) {
		limited, cancel := context.WithCancel(ctx)
		late := time.AfterFunc(guardPatience, cancel)
		tx, err := c.replica.BeginTx(limited, o)
		late.Stop()
		if err == nil {
			c.r.onReplica.Add(1)
			c.inside = true
			return replicaTx{c, tx, cancel}, nil
		}
		cancel()
		if err = c.failed(ctx.Err(), err); ctx.Err() != nil {
			return nil, err
		}
	}
	return c.serverConn.BeginTx(ctx, o)
}

// replicaTx ends a transaction on the replica. Nothing was written.
type replicaTx struct {
	c      *readConn
	tx     driver.Tx
	cancel context.CancelFunc // ends what tx waits for
}

// Commit implements driver.Tx.
func (t replicaTx) Commit() error { return t.Rollback() }

// Rollback implements driver.Tx.
func (t replicaTx) Rollback() error {
	defer t.cancel()
	late := time.AfterFunc(guardPatience, t.cancel)
	defer late.Stop()
	if t.c.inside = false; t.c.replica != nil && t.tx.Rollback() != nil {
		t.c.drop()
	}
	return nil
}

// failed notes that the replica has failed a query, unless its context has ended, and returns the error to pass on.
func (c *readConn) failed(ended, err error) error {
	if ended != nil {
		return ended
	}
	why := causeOf(err)
	if c.r.gaveUp(why); why == lost {
		c.drop()
	}
	return &replicaError{err}
}

// errBehind says that the replica has not replayed what a read needs.
var errBehind = errors.New("the replica is behind")

// ready reports whether a query that begins now may go to the replica, and connects to it.
func (c *readConn) ready(ctx context.Context) bool {
	if !mayUseReplica(ctx) {
		return false
	}
	need, ok := c.r.require(ctx)
	if !ok {
		return false
	}
	err := c.catchUp(ctx, need)
	if err != nil {
		_ = c.failed(ctx.Err(), err) // the primary is asked
	}
	return err == nil
}

// The snapshot of a later statement includes all that was replayed when this one ran.
const hasReplayed = `-- db.hasReplayed
SELECT coalesce(pg_is_in_recovery() AND pg_last_wal_replay_lsn() >= CAST($1::text AS pg_lsn)
    AND (SELECT CAST(system_identifier AS text) FROM pg_control_system()) = $2::text
    AND EXISTS (SELECT 1 FROM leases WHERE name = $3 AND holder = $4), false)`

// catchUp waits a moment until the replica has what is needed.
func (c *readConn) catchUp(ctx context.Context, need required) error {
	ctx, cancel := context.WithTimeout(ctx, guardPatience)
	defer cancel()
	if c.replica == nil {
		conn, err := c.r.connector.Connect(ctx)
		if err != nil {
			return err
		}
		c.replica = conn.(*stdlib.Conn)
	}
	for end := time.Now().Add(waitForReplay); ; {
		var has bool
		if err := c.replica.Conn().QueryRow(ctx, hasReplayed, need.lsn, need.system, timelineLease, need.timeline).Scan(&has); err != nil || has {
			return err
		}
		if time.Now().After(end) {
			return errBehind
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(nextLook):
		}
	}
}

// ask queries the replica, which may take queryPatience, or half of the time that is left.
func (c *readConn) ask(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	patience := queryPatience
	if end, ok := ctx.Deadline(); ok {
		patience = min(patience, time.Until(end)/2)
	}
	limited, cancel := context.WithTimeout(ctx, patience)
	rows, err := c.replica.QueryContext(limited, text, args)
	if err != nil {
		cancel()
		return nil, err
	}
	return &replicaRows{rows, c, ctx.Err, cancel}, nil
}

// replicaRows are rows of the replica.
type replicaRows struct {
	driver.Rows
	c      *readConn
	ended  func() error // of the caller's context
	cancel context.CancelFunc
}

// Next implements driver.Rows.
func (r *replicaRows) Next(dest []driver.Value) error {
	err := r.Rows.Next(dest)
	if err == nil || errors.Is(err, io.EOF) {
		return err
	}
	return r.c.failed(r.ended(), err)
}

// Close implements driver.Rows.
func (r *replicaRows) Close() error {
	defer r.cancel()
	return r.Rows.Close()
}
