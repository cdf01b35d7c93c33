package db

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"

	"sett/internal/sett"
)

// pooling is what stands between sett and PostgreSQL.
type pooling int

const (
	unpooled       pooling = iota
	poolsSessions          // each connection keeps a session, as in PgBouncer's session mode
	sharesSessions         // each transaction may get another session, as in its transaction mode
)

// poolerPatience is how long a pooler may take to give one of the first connections a session.
const poolerPatience = 5 * time.Second

const whoServes = `-- db.whoServes
SELECT pg_backend_pid()`

// findPooling connects to an address and looks for a pooler. PostgreSQL sends the number of the process that serves a connection when that
// begins; a pooler does not know it yet, and sends a number of its own.
func findPooling(ctx context.Context, e *endpoint) (pooling, error) {
	conn, err := e.connect(ctx)
	if err != nil {
		return unpooled, err
	}
	defer hangUp(conn)
	pid, err := servedBy(ctx, conn)
	if err != nil {
		return unpooled, err
	}
	if pid == conn.PgConn().PID() {
		return unpooled, nil
	}
	shares, err := findSharing(ctx, e, conn)
	if err != nil || !shares {
		return poolsSessions, err
	}
	return sharesSessions, nil
}

// servedBy returns the number of the process that serves a connection, or a transaction, now.
func servedBy(ctx context.Context, q interface {
	QueryRow(ctx context.Context, text string, args ...any) pgx.Row
},
) (pid uint32, err error) {
	ctx, cancel := context.WithTimeout(ctx, poolerPatience)
	defer cancel()
	err = q.QueryRow(ctx, whoServes, pgx.QueryExecModeSimpleProtocol).Scan(&pid)
	return pid, err
}

// roundsOfSharing is how often findSharing tries. Other clients of the same pool may hide in one round that sessions are shared.
const roundsOfSharing = 5

// findSharing reports whether the sessions of connections are shared. A pooler that shares them gives the session that one connection had
// to the transaction of another, or the two statements of one connection different sessions.
func findSharing(ctx context.Context, e *endpoint, conn *pgx.Conn) (shares bool, err error) {
	other, err := e.connect(ctx)
	if err != nil {
		return false, err
	}
	defer hangUp(other)
	for range roundsOfSharing {
		if shares, err = sharesNow(ctx, conn, other); err != nil || shares {
			return shares, err
		}
	}
	return false, nil
}

func sharesNow(ctx context.Context, conn, other *pgx.Conn) (shares bool, err error) {
	first, err := servedBy(ctx, conn)
	if err != nil {
		return false, err
	}
	second, err := servedBy(ctx, conn)
	if err != nil || second != first {
		return true, err
	}
	tx, err := other.Begin(ctx)
	if err != nil {
		return false, fmt.Errorf("the pooler begins no transaction: %w", err)
	}
	defer tx.Rollback(ctx) //nolint:errcheck // nothing was done
	others, err := servedBy(ctx, tx)
	if err != nil || others == first {
		return true, err
	}
	third, err := servedBy(ctx, conn)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return true, nil // the only session is busy: it was not this connection's
	}
	return third != first, err
}

// Errors of an address that leads to a pooler.
var (
	errNeedsDirect = sett.Errorf(sett.Conflict, "the database address leads to a pooler that shares sessions, such as PgBouncer in transaction mode; "+
		"set --database-direct (SETT_DATABASE_DIRECT) to the address of PostgreSQL itself, which sett uses for locks, notifications and changes of the schema, or use session mode")
	errNotDirect = sett.Errorf(sett.Conflict, "--database-direct (SETT_DATABASE_DIRECT) leads to a pooler that shares sessions, such as PgBouncer in transaction mode; "+
		"set it to the address of PostgreSQL itself")
	errKeepsLocks = sett.Errorf(sett.Conflict, "the database address leads to a pooler that does not reset sessions when a client leaves them; "+
		"set its server_reset_query to DISCARD ALL, or --database-direct (SETT_DATABASE_DIRECT) to the address of PostgreSQL itself")
	errOtherDatabase = sett.Errorf(sett.Conflict, "--database-direct (SETT_DATABASE_DIRECT) leads to another database than --database (SETT_DATABASE); both must lead to the same one")
)

// checkPooling returns an error unless locks can be kept at an address, which may be that of a pooler.
func checkPooling(ctx context.Context, e *endpoint) error {
	if e.pooling == unpooled {
		return nil
	}
	number := rand.Int32()
	pid, err := lockAndLeave(ctx, e, number)
	if err != nil {
		return err
	}
	conn, err := e.connect(ctx)
	if err != nil {
		return err
	}
	defer hangUp(conn)
	for range 40 {
		if held, err := isLocked(ctx, conn, number); err != nil || !held {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(poolerPatience / 100):
		}
	}
	_, _ = conn.Exec(ctx, endBackend, pgx.QueryExecModeSimpleProtocol, int64(pid)) // the lock would be kept as long as this session
	return errKeepsLocks
}

// lockAndLeave takes a lock and leaves without releasing it.
func lockAndLeave(ctx context.Context, e *endpoint, number int32) (pid uint32, err error) {
	conn, err := e.connect(ctx)
	if err != nil {
		return 0, err
	}
	defer hangUp(conn)
	if pid, err = servedBy(ctx, conn); err != nil {
		return 0, err
	}
	return pid, lockForTest(ctx, conn, number)
}

const tryLock = `-- db.tryLock
SELECT pg_try_advisory_lock($1, $2)`

func lockForTest(ctx context.Context, conn *pgx.Conn, number int32) error {
	_, err := conn.Exec(ctx, tryLock, pgx.QueryExecModeSimpleProtocol, int32(LockClass), number)
	return err
}

const isHeld = `-- db.isHeld
SELECT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted AND CAST(classid AS bigint) = $1 AND CAST(objid AS bigint) = $2
    AND objsubid = 2 AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`

func isLocked(ctx context.Context, conn *pgx.Conn, number int32) (held bool, err error) {
	err = conn.QueryRow(ctx, isHeld, pgx.QueryExecModeSimpleProtocol, int64(LockClass), int64(number)).Scan(&held)
	return held, err
}

const endBackend = `-- db.endBackend
SELECT pg_terminate_backend(CAST($1 AS int))`

// checkSame returns an error unless two addresses lead to the same database: a lock that is taken at one is seen at the other.
func checkSame(ctx context.Context, one, other *endpoint) error {
	holding, err := one.connect(ctx)
	if err != nil {
		return fmt.Errorf("open database: %w: %w", ErrDirect, err)
	}
	defer hangUp(holding)
	number := rand.Int32()
	if err := lockForTest(ctx, holding, number); err != nil {
		return err
	}
	looking, err := other.connect(ctx)
	if err != nil {
		return err
	}
	defer hangUp(looking)
	if same, err := isLocked(ctx, looking, number); err != nil || same {
		return err
	}
	return errOtherDatabase
}
