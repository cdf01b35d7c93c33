package intakedb

import (
	"context"
	"database/sql"
	"database/sql/driver"
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

// node is this process's identity among several.
type node struct {
	mu     sync.Mutex
	Num    int64
	holder string // "" while no number is held

	Session sync.Mutex // guards the following; lock it before mu if you need both
	Locks   *sql.Conn  // the session with the advisory locks
	unheld  int        // rounds in a row in which it did not hold the lock on the number
}

// errFenced says that another node has taken this one for dead.
var errFenced = errors.New("this node was taken for dead")

func (n *node) Current() (num int64, holder string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.Num, n.holder
}

// inIDs returns the number that is part of the ids of a node's notices.
func inIDs(num int64) int64 { return max(num, 0) }

func (n *node) set(num int64, holder string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.Num, n.holder = num, holder
}

func (n *node) close() error {
	n.Session.Lock()
	defer n.Session.Unlock()
	if n.Locks == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), unlockTimeout)
	defer cancel()
	_, _ = n.Locks.ExecContext(ctx, unlockAll) // so that the next process need not wait until the server notices
	err := n.Locks.Close()
	n.Locks = nil
	if errors.Is(err, sql.ErrConnDone) { // the server has ended the session
		return nil
	}
	return err
}

// unlockTimeout is how long a node that stops waits for its locks to be released.
const unlockTimeout = time.Second

const unlockAll = `-- intakedb.unlockAll
SELECT pg_advisory_unlock_all()`

const checkNode = `-- intakedb.checkNode
SELECT pg_current_xact_id()::text FROM nodes WHERE number = $1 AND holder = $2 FOR KEY SHARE`

// holdNode ensures that the number stays the holder's until the transaction has ended; otherwise the error is errFenced. It returns
// PostgreSQL's id of the transaction, by which its outcome can be queried.
func (t Tx) holdNode(ctx context.Context, num int64, holder string) (name string, err error) {
	if t.s.db.SQLite() {
		return "", nil
	}
	err = t.QueryRowContext(ctx, checkNode, num, holder).Scan(&name)
	if errors.Is(err, sql.ErrNoRows) {
		err = errFenced
	}
	return name, err
}

// askNode is holdNode for a transaction that is pipelined: the answer is the name, or nothing if the number is not the holder's.
func (t Tx) askNode(num int64, holder string, name *string) {
	if !t.s.db.SQLite() {
		t.AskOne(checkNode, func(r db.Row) error { return r.Scan(name) }, num, holder)
	}
}

const listNodes = `-- intakedb.listNodes
SELECT number FROM nodes ORDER BY number`

const lockNode = `-- intakedb.lockNode
SELECT pg_try_advisory_lock($1, $2)`

const unlockNode = `-- intakedb.unlockNode
SELECT pg_advisory_unlock($1, $2)`

const addNode = `-- intakedb.addNode
INSERT INTO nodes (number, holder, process) VALUES ($1, $2, $3) ON CONFLICT (number) DO NOTHING`

// startOf returns how far the notices of a number are counted when a process takes it: as far as its previous holders got, all of whose
// notices are counted. If nothing is known of them, no notice of the number can be later than the newest notice of all.
const startOf = `-- intakedb.startOf
SELECT coalesce(max(upto), (SELECT max(id) FROM notices), 0) FROM digests WHERE node = $1`

// takeNode assigns a number to this process, if it has none.
func (s *Store) takeNode(ctx context.Context) error {
	if s.db.SQLite() {
		return nil
	}
	if _, holder := s.node.Current(); holder != "" {
		return nil
	}
	return s.db.Explain(s.takeNumber(ctx))
}

func (s *Store) takeNumber(ctx context.Context) error {
	s.node.Session.Lock()
	defer s.node.Session.Unlock()
	if _, holder := s.node.Current(); holder != "" { // another goroutine has taken one meanwhile
		return nil
	}
	if err := s.node.connect(ctx, s.db.Locks); err != nil {
		return err
	}
	taken, err := s.db.ListIDs(ctx, s.node.Locks, listNodes)
	if err != nil {
		return fmt.Errorf("list nodes: %w", err)
	}
	isTaken := map[int64]bool{}
	for _, num := range taken {
		isTaken[num] = true
	}
	for num := range s.numbers() {
		if isTaken[num] {
			continue
		}
		locked, err := s.node.lock(ctx, num)
		if err != nil {
			return err
		}
		if !locked {
			continue
		}
		holder := sett.RandomString(16)
		start, ok, err := s.enrol(ctx, num, holder)
		if err == nil && ok {
			s.ids.Skip(start) // this clock may even be behind it
			s.node.set(num, holder)
			return nil
		}
		if err = errors.Join(err, s.node.unlock(ctx, num)); err != nil {
			return err
		}
	}
	return &sett.Error{Code: sett.Unavailable, Message: fmt.Sprintf("%d nodes already record into this database, which is the maximum. Stop one of them.", sett.MaxNodes)}
}

// connect opens the session that holds the locks, again if it was lost.
func (n *node) connect(ctx context.Context, pool *sql.DB) (err error) {
	if n.Locks != nil {
		if n.Locks.PingContext(ctx) == nil {
			return nil
		}
		n.hangUp()
	}
	if n.Locks, err = pool.Conn(ctx); err != nil {
		return db.Unanswered("lock number of node", err)
	}
	return nil
}

// hangUp ends the session that holds the locks.
func (n *node) hangUp() {
	_ = n.Locks.Raw(func(any) error { return driver.ErrBadConn }) // it must not be used again
	_ = n.Locks.Close()
	n.Locks = nil
}

const holdsLock = `-- intakedb.holdsLock
SELECT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted AND pid = pg_backend_pid() AND CAST(classid AS bigint) = $1
    AND CAST(objid AS bigint) = $2 AND objsubid = 2 AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`

func (n *node) holds(ctx context.Context, num int64) (held bool, err error) {
	err = n.Locks.QueryRowContext(ctx, holdsLock, int64(db.LockClass), num).Scan(&held)
	return held, db.Wrap("look for lock of node", err)
}

// errUnheld says that the lock that keeps a number is not where this process put it.
var errUnheld = &sett.Error{Code: sett.Unavailable, Message: "This server's session in PostgreSQL does not hold the lock on the server's number, and cannot get it. " +
	"If a pooler such as PgBouncer stands between them, set --database-direct to the address of PostgreSQL itself."}

// keepLock ensures that the session holds the lock on this process's number. Another node may hold it for a round: it has fenced this one, or
// will release it. If that lasts, a pooler has lent the session to others, and no other node would notice this one's death.
func (n *node) keepLock(ctx context.Context, num int64) error {
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

func (n *node) lock(ctx context.Context, num int64) (locked bool, err error) {
	if err := n.Locks.QueryRowContext(ctx, lockNode, int64(db.LockClass), num).Scan(&locked); err != nil {
		return false, fmt.Errorf("lock number of node: %w", err)
	}
	return locked, nil
}

func (n *node) unlock(ctx context.Context, num int64) error {
	_, err := n.Locks.ExecContext(ctx, unlockNode, int64(db.LockClass), num)
	return err
}

// enrol registers the holder of a number, and returns the notice up to which everything of that number is counted. All notices that the
// holder stores must have greater ids: a flush considers everything up to that notice counted.
func (s *Store) enrol(ctx context.Context, num int64, holder string) (start sett.NoticeID, ok bool, err error) {
	err = s.inTx(ctx, "enrol node", func(t Tx) error {
		added, err := t.Changed(ctx, addNode, num, holder, s.db.Process)
		if ok = added == 1; err != nil || !ok {
			return err
		}
		if err := t.QueryRowContext(ctx, s.startOf(), num).Scan(&start); err != nil {
			return err
		}
		return t.savePositions(ctx, num, s.rollups.allAt(start))
	})
	return start, ok, err
}

// renewNode assigns another number to this process in place of one that it has lost. The node that took this one for dead counts what was
// pending under the lost number.
func (s *Store) renewNode(ctx context.Context, lost string) error {
	s.node.mu.Lock()
	if s.node.holder == lost {
		s.node.holder = ""
		s.rollups.mu.Lock()
		for _, d := range s.rollups.Each {
			d.reset()
			d.flushing = nil
		}
		s.rollups.mu.Unlock()
	}
	s.node.mu.Unlock()
	return s.takeNode(ctx)
}

// Rejoin assigns another number to this process if it was taken for dead. Nothing is recorded or flushed meanwhile.
func (s *Store) Rejoin(ctx context.Context) error {
	s.rollups.Recording.Lock()
	defer s.rollups.Recording.Unlock()
	s.rollups.Settled()
	s.rollups.flushing.Lock()
	defer s.rollups.flushing.Unlock()
	if held, err := s.HoldsClaims(ctx); err != nil || held { // a recorder or a flush has noticed it already
		return err
	}
	_, holder := s.node.Current()
	return s.renewNode(ctx, holder)
}

const fenceNode = `-- intakedb.fenceNode
SELECT holder FROM nodes WHERE number = $1 FOR UPDATE`

// disownNode transfers the number to the process that counts what its holder left. Until another process takes over from it, only that
// process flushes the notices of the number.
const disownNode = `-- intakedb.disownNode
UPDATE nodes SET holder = $2, process = '' WHERE number = $1`

// dropNode keeps the rows of table digests: they say which ids the number has used.
const dropNode = `-- intakedb.dropNode
DELETE FROM nodes WHERE number = $1 AND holder = $2`

// TakeOver takes over dead nodes: it counts the notices that they stored and did not count, and returns how many these were. It is called
// every few seconds; on SQLite there is nothing to do.
func (s *Store) TakeOver(ctx context.Context) (counted int, err error) {
	if s.db.SQLite() {
		return 0, nil
	}
	s.node.Session.Lock()
	defer s.node.Session.Unlock()
	own, holder := s.node.Current()
	if err := s.node.connect(ctx, s.db.Locks); err != nil {
		return 0, err
	}
	if holder != "" {
		if err := s.node.keepLock(ctx, own); err != nil {
			return 0, err
		}
	}
	nodes, err := s.db.ListIDs(ctx, s.node.Locks, listNodes)
	if err != nil {
		return 0, fmt.Errorf("list nodes: %w", err)
	}
	for _, num := range nodes {
		if num == own && holder != "" {
			continue
		}
		n, err := s.takeOver(ctx, num)
		if counted += n; err != nil {
			return counted, err
		}
	}
	return counted, nil
}

// takeOver counts what a node left uncounted, if the node is dead.
func (s *Store) takeOver(ctx context.Context, num int64) (counted int, err error) {
	if locked, err := s.node.lock(ctx, num); err != nil || !locked {
		return 0, err
	}
	defer func() { err = errors.Join(err, s.node.unlock(ctx, num)) }()
	heir := sett.RandomString(16)
	err = s.inTx(ctx, "fence node", func(t Tx) error {
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
	if counted, err = s.catchUp(ctx, num, heir); err != nil {
		if errors.Is(err, errFenced) { // our lock was lost, and another node continues
			err = nil
		}
		return counted, err
	}
	return counted, s.inTx(ctx, "drop node", func(t Tx) error {
		_, err := t.Exec(ctx, dropNode, num, heir)
		return err
	})
}

// HoldClaims confirms that this process is alive, so that it keeps its claims in all queues. If contested, other processes may take them:
// then call it about every second, and if it fails for some time – well below the wait of queue.Queue.Free – cancel what is being sent.
func (s *Store) HoldClaims(ctx context.Context) (contested bool, err error) {
	if s.db.SQLite() {
		return false, nil
	}
	held, err := s.HoldsClaims(ctx)
	if err != nil || held {
		return true, err
	}
	return true, s.Rejoin(ctx)
}

const holdsClaims = `-- intakedb.HoldClaims
SELECT EXISTS (SELECT 1 FROM nodes WHERE process = $1)`

func (s *Store) HoldsClaims(ctx context.Context) (held bool, err error) {
	err = s.db.Read.QueryRowContext(db.FromPrimary(ctx), holdsClaims, s.db.Process).Scan(&held)
	return held, s.db.Explain(db.Wrap("look for node", err))
}
