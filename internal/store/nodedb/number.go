package nodedb

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"sett/internal/sett"
	"sett/internal/store/db"
)

const listNodes = `-- nodedb.listNodes
SELECT number FROM nodes ORDER BY number`

const addNode = `-- nodedb.addNode
INSERT INTO nodes (number, holder, process) VALUES ($1, $2, $3) ON CONFLICT (number) DO NOTHING`

// startOfNode returns how far the notices of a number are counted when a process takes it: as far as its previous holders got, all of whose
// notices are counted. If nothing is known of them, no notice of the number can be later than the newest notice of all.
const startOfNode = `-- nodedb.startOfNode
SELECT coalesce(max(upto), (SELECT max(id) FROM notices), 0) FROM digests WHERE node = $1`

// Take assigns a number to this process, if it has none.
func (n *Node) Take(ctx context.Context) error {
	if n.db.SQLite() {
		return nil
	}
	if _, holder := n.Current(); holder != "" {
		return nil
	}
	return n.db.Explain(n.take(ctx))
}

func (n *Node) take(ctx context.Context) error {
	n.session.Lock()
	defer n.session.Unlock()
	if _, holder := n.Current(); holder != "" { // another goroutine has taken one meanwhile
		return nil
	}
	if err := n.connect(ctx, n.db.Locks); err != nil {
		return err
	}
	taken, err := n.db.ListIDs(ctx, n.locks, listNodes)
	if err != nil {
		return fmt.Errorf("list nodes: %w", err)
	}
	isTaken := map[int64]bool{}
	for _, num := range taken {
		isTaken[num] = true
	}
	for num := range n.numbers() {
		if isTaken[num] {
			continue
		}
		locked, err := n.lock(ctx, num)
		if err != nil {
			return err
		}
		if !locked {
			continue
		}
		holder := sett.RandomString(16)
		start, ok, err := n.enrol(ctx, num, holder)
		if err == nil && ok {
			n.ids.Skip(start) // this clock may even be behind it
			n.set(num, holder)
			return nil
		}
		if err = errors.Join(err, n.unlock(ctx, num)); err != nil {
			return err
		}
	}
	return &sett.Error{Code: sett.Unavailable, Message: fmt.Sprintf("%d nodes already record into this database, which is the maximum. Stop one of them.", sett.MaxNodes)}
}

// enrol registers the holder of a number, and returns the notice up to which everything of that number is counted. All notices that the
// holder stores must have greater ids: a flush considers everything up to that notice counted.
func (n *Node) enrol(ctx context.Context, num int64, holder string) (start sett.NoticeID, ok bool, err error) {
	err = n.db.InTx(ctx, "enrol node", func(t *db.Tx) error {
		added, err := t.Changed(ctx, addNode, num, holder, n.db.Process)
		if ok = added == 1; err != nil || !ok {
			return err
		}
		if err := t.QueryRowContext(ctx, n.startOf(), num).Scan(&start); err != nil {
			return err
		}
		return n.Counter.Begin(ctx, t, num, start)
	})
	return start, ok, err
}

// Renew assigns another number to this process in place of one that it has lost. The node that took this one for dead counts what was
// pending under the lost number.
func (n *Node) Renew(ctx context.Context, lost string) error {
	n.mu.Lock()
	if n.holder == lost {
		n.holder = ""
		n.Counter.Forget()
	}
	n.mu.Unlock()
	return n.Take(ctx)
}

// startOfSpool is startOfNode for a number of a spool. If nothing is known of its previous holders, there were none: earlier versions took the lowest free
// numbers only.
const startOfSpool = `-- nodedb.startOfSpool
SELECT coalesce(max(upto), 0) FROM digests WHERE node = $1`

// startOf returns the statement that finds where the ids of a number begin.
func (n *Node) startOf() string {
	if n.spool {
		return startOfSpool
	}
	return startOfNode
}

// numbers are those that a process may take, in the order in which it tries them. Nodes and spools begin at the opposite ends, so that a number stays
// one of a spool: the ids of a node would push the times of a spool forward.
func (n *Node) numbers() iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for num := range int64(sett.MaxNodes) {
			if n.spool {
				num = sett.MaxNodes - 1 - num
			}
			if num == sett.ImportNode {
				continue
			}
			if !yield(num) {
				return
			}
		}
	}
}
