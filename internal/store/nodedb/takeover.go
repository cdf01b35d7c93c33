package nodedb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"sett/internal/sett"
	"sett/internal/store/db"
)

const fenceNode = `-- nodedb.fenceNode
SELECT holder FROM nodes WHERE number = $1 FOR UPDATE`

// disownNode transfers the number to the process that counts what its holder left. Until another process takes over from it, only that
// process flushes the notices of the number.
const disownNode = `-- nodedb.disownNode
UPDATE nodes SET holder = $2, process = '' WHERE number = $1`

// dropNode keeps the rows of table digests: they say which ids the number has used.
const dropNode = `-- nodedb.dropNode
DELETE FROM nodes WHERE number = $1 AND holder = $2`

// TakeOver takes over dead nodes: it counts the notices that they stored and did not count, and returns how many these were. It is called
// every few seconds; on SQLite there is nothing to do.
func (n *Node) TakeOver(ctx context.Context) (counted int, err error) {
	if n.db.SQLite() {
		return 0, nil
	}
	n.session.Lock()
	defer n.session.Unlock()
	own, holder := n.Current()
	if err := n.connect(ctx, n.db.Locks); err != nil {
		return 0, err
	}
	if holder != "" {
		if err := n.keepLock(ctx, own); err != nil {
			return 0, err
		}
	}
	nodes, err := n.db.ListIDs(ctx, n.locks, listNodes)
	if err != nil {
		return 0, fmt.Errorf("list nodes: %w", err)
	}
	for _, num := range nodes {
		if num == own && holder != "" {
			continue
		}
		some, err := n.takeOver(ctx, num)
		if counted += some; err != nil {
			return counted, err
		}
	}
	return counted, nil
}

// takeOver counts what a node left uncounted, if the node is dead.
func (n *Node) takeOver(ctx context.Context, num int64) (counted int, err error) {
	if locked, err := n.lock(ctx, num); err != nil || !locked {
		return 0, err
	}
	defer func() { err = errors.Join(err, n.unlock(ctx, num)) }()
	heir := sett.RandomString(16)
	err = n.db.InTx(ctx, "fence node", func(t *db.Tx) error {
		var holder string
		if err := t.QueryRowContext(ctx, fenceNode, num).Scan(&holder); err != nil {
			return err
		}
		_, err := t.Exec(ctx, disownNode, num, heir)
		return err
	})
	if errors.Is(err, sql.ErrNoRows) { // another node was faster
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	if counted, err = n.Counter.CatchUp(ctx, num, heir); err != nil {
		if errors.Is(err, ErrFenced) { // our lock was lost, and another node continues
			err = nil
		}
		return counted, err
	}
	return counted, n.drop(ctx, "drop node", num, heir)
}

// Leave gives the number back, once everything that was stored under it is counted. Nothing may be recorded meanwhile.
func (n *Node) Leave(ctx context.Context) error {
	num, holder := n.Current()
	if holder == "" {
		return nil
	}
	if err := n.drop(ctx, "leave node", num, holder); err != nil {
		return err
	}
	n.set(sett.FileNode, "")
	return n.Close()
}

func (n *Node) drop(ctx context.Context, what string, num int64, holder string) error {
	return n.db.InTx(ctx, what, func(t *db.Tx) error {
		_, err := t.Exec(ctx, dropNode, num, holder)
		return err
	})
}
