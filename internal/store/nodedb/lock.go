package nodedb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"time"

	"sett/internal/sett"
	"sett/internal/store/db"
)

// unlockTimeout is how long a node that stops waits for its locks to be released.
const unlockTimeout = time.Second

const unlockAll = `-- nodedb.unlockAll
SELECT pg_advisory_unlock_all()`

const lockNode = `-- nodedb.lockNode
SELECT pg_try_advisory_lock($1, $2)`

const unlockNode = `-- nodedb.unlockNode
SELECT pg_advisory_unlock($1, $2)`

// connect opens the session that holds the locks, again if it was lost.
func (n *Node) connect(ctx context.Context, pool *sql.DB) (err error) {
	if n.locks != nil {
		if n.locks.PingContext(ctx) == nil {
			return nil
		}
		n.hangUp()
	}
	if n.locks, err = pool.Conn(ctx); err != nil {
		return db.Unanswered("lock number of node", err)
	}
	return nil
}

// hangUp ends the session that holds the locks.
func (n *Node) hangUp() {
	_ = n.locks.Raw(func(any) error { return driver.ErrBadConn }) // it must not be used again
	_ = n.locks.Close()
	n.locks = nil
}

const holdsLock = `-- nodedb.holdsLock
SELECT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted AND pid = pg_backend_pid() AND CAST(classid AS bigint) = $1
    AND CAST(objid AS bigint) = $2 AND objsubid = 2 AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`

func (n *Node) holds(ctx context.Context, num int64) (held bool, err error) {
	err = n.locks.QueryRowContext(ctx, holdsLock, int64(db.LockClass), num).Scan(&held)
	return held, db.Wrap("look for lock of node", err)
}

// errUnheld says that the lock that keeps a number is not where this process put it.
var errUnheld = &sett.Error{Code: sett.Unavailable, Message: "This server's session in PostgreSQL does not hold the lock on the server's number, and cannot get it. " +
	"If a pooler such as PgBouncer stands between them, set --database-direct to the address of PostgreSQL itself."}

// keepLock ensures that the session holds the lock on this process's number. Another node may hold it for a round: it has fenced this one, or
// will release it. If that lasts, a pooler has lent the session to others, and no other node would notice this one's death.
func (n *Node) keepLock(ctx context.Context, num int64) error {
	held, err := n.holds(ctx, num)
	if err == nil && !held {
		if _, err = n.lock(ctx, num); err == nil {
			held, err = n.holds(ctx, num)
		}
	}
	if err != nil {
		return err
	}
	if held {
		n.unheld = 0
		return nil
	}
	if n.unheld++; n.unheld <= roundsUnheld {
		return nil
	}
	n.hangUp()
	return errUnheld
}

// roundsUnheld is for how many rounds in a row the lock may be with another node, which first counts what the dead one left.
const roundsUnheld = 3

func (n *Node) lock(ctx context.Context, num int64) (locked bool, err error) {
	if err := n.locks.QueryRowContext(ctx, lockNode, int64(db.LockClass), num).Scan(&locked); err != nil {
		return false, fmt.Errorf("lock number of node: %w", err)
	}
	return locked, nil
}

func (n *Node) unlock(ctx context.Context, num int64) error {
	_, err := n.locks.ExecContext(ctx, unlockNode, int64(db.LockClass), num)
	return err
}

// Close ends the session that holds the locks, so that other nodes take over at once.
func (n *Node) Close() error {
	n.session.Lock()
	defer n.session.Unlock()
	if n.locks == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), unlockTimeout)
	defer cancel()
	_, _ = n.locks.ExecContext(ctx, unlockAll) // so that the next process need not wait until the server notices
	err := n.locks.Close()
	n.locks = nil
	if errors.Is(err, sql.ErrConnDone) { // the server has ended the session
		return nil
	}
	return err
}
