// Package nodedb gives this process a number that no other process of the database holds, and ids of notices that have it. It takes over the
// numbers of processes that died: what counts notices is handed in and goes on with theirs. It never stores a notice, and counts none. On SQLite,
// where one process records, there is one number and nothing to do.
package nodedb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"

	"sett/internal/sett"
	"sett/internal/store/db"
)

// On PostgreSQL several processes record side by side. Each holds a number that no other process holds. The number is part of the ids of
// the notices that the process stores, so that another node can find and count what a dead process left uncounted.
//
// Two mechanisms ensure this. While a process lives, its session holds an advisory lock on the number, which the server releases when the
// session ends; so the others know whose work to take over. And each transaction that records checks in table nodes that the number still
// belongs to this process. So a process that was only cut off, and was taken for dead, notices this before it stores something that no
// node would count.

// Node is this process's identity among several. It is safe for concurrent use.
type Node struct {
	db    *db.DB
	spool bool
	ids   sett.NoticeIDs

	// Counter is set before the node is used.
	Counter Counter

	mu     sync.Mutex
	num    int64
	holder string // "" while no number is held

	session sync.Mutex // guards the following; lock it before mu if you need both
	locks   *sql.Conn  // the session with the advisory locks
	unheld  int        // rounds in a row in which it did not hold the lock on the number
}

// Counter counts the notices of a node.
type Counter interface {
	// Begin notes, in the transaction, that everything of a number up to a notice is counted.
	Begin(ctx context.Context, t *db.Tx, num int64, start sett.NoticeID) error
	// Forget drops what is not written: the node that took this one for dead counts it. It must not call the node.
	Forget()
	// CatchUp counts what a node left uncounted, and returns how many notices that were. The error is ErrFenced if the number does not belong
	// to the holder, or no longer does.
	CatchUp(ctx context.Context, num int64, holder string) (counted int, err error)
}

// New returns the node of this process. A spool has a node of its own: its notices have the times at which their reports were received, which
// may be long ago. Ids under one number only grow, and their times with them.
func New(d *db.DB, spool bool) *Node { return &Node{db: d, spool: spool, num: sett.FileNode} }

// ErrFenced says that another node has taken this one for dead.
var ErrFenced = errors.New("this node was taken for dead")

// Current returns the number, and the holder that proves that it is this process's: "" while it holds none.
func (n *Node) Current() (num int64, holder string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.num, n.holder
}

// WithHolder calls f with the holder of the number, which does not change meanwhile.
func (n *Node) WithHolder(f func(holder string)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	f(n.holder)
}

func (n *Node) set(num int64, holder string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.num, n.holder = num, holder
}

// NextID returns the id of the next notice that is stored under the number, at the given time or later.
func (n *Node) NextID(at time.Time, num int64) sett.NoticeID { return n.ids.Next(at, max(num, 0)) }

// lastID is the greatest id that may have been assigned. The notice that was counted last may have been deleted since.
const lastID = `-- nodedb.lastID
SELECT coalesce(max(k.id), 0) FROM (SELECT max(id) AS id FROM notices UNION ALL SELECT max(upto) FROM digests) k`

// SkipUsed makes ids continue after the last one that was assigned: the clock may have been set back since.
func (n *Node) SkipUsed(ctx context.Context) error {
	var last sett.NoticeID
	if err := n.db.Read.QueryRowContext(ctx, lastID).Scan(&last); err != nil {
		return n.db.Explain(fmt.Errorf("find last id: %w", err))
	}
	n.ids.Skip(last)
	return nil
}

const checkNode = `-- nodedb.checkNode
SELECT pg_current_xact_id()::text FROM nodes WHERE number = $1 AND holder = $2 FOR KEY SHARE`

// Hold ensures that the number stays the holder's until the transaction has ended; otherwise the error is ErrFenced. It returns
// PostgreSQL's id of the transaction, by which its outcome can be queried.
func (n *Node) Hold(ctx context.Context, t *db.Tx, num int64, holder string) (name string, err error) {
	if n.db.SQLite() {
		return "", nil
	}
	err = t.QueryRowContext(ctx, checkNode, num, holder).Scan(&name)
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrFenced
	}
	return name, err
}

// Ask is Hold for a transaction that is pipelined: the answer is the name, or nothing if the number is not the holder's.
func (n *Node) Ask(t *db.Tx, num int64, holder string, name *string) {
	if !n.db.SQLite() {
		t.AskOne(checkNode, func(r db.Row) error { return r.Scan(name) }, num, holder)
	}
}

const holdsClaims = `-- nodedb.HoldsClaims
SELECT EXISTS (SELECT 1 FROM nodes WHERE process = $1)`

// HoldsClaims reports whether this process has a number; others may take the claims of one that has none.
func (n *Node) HoldsClaims(ctx context.Context) (held bool, err error) {
	err = n.db.Read.QueryRowContext(db.FromPrimary(ctx), holdsClaims, n.db.Process).Scan(&held)
	return held, n.db.Explain(db.Wrap("look for node", err))
}
