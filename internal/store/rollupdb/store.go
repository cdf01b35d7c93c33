// Package rollupdb counts notices that are stored: it adds up what each batch hands over, and writes the sums to the tables that lists read. It
// takes notices with their facts; it produces counts, the list of notices of each fault, and the alerts of pauses that end by count. It never
// stores a notice, and decides nothing about one. It loses no count when a process dies: what was not written is computed from the notices.
package rollupdb

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"sett/internal/sett"
	"sett/internal/store/block"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
	"sett/internal/store/nodedb"
	"sett/internal/store/releasedb"
)

// Store is this package's part of an open database, with the rollups of one node. It is safe for concurrent use.
type Store struct {
	db      *db.DB
	node    *nodedb.Node
	fault   *faultdb.Store
	block   *block.Store
	release *releasedb.Store

	flushing sync.Mutex            // held while sums are written
	mu       sync.RWMutex          // guards the following; lock the mutex of the node before it if you need both
	handed   []*Batch              // committed batches whose notices are not in the sums yet
	each     []*rollup             // all of them, by id
	kinds    [numRollups][]*rollup // the same, by kind and part
	summed   int                   // notices since the start
	saved    int                   // how many these were when the rollups that had nothing to flush last saved their position
	advanced time.Time             // when they did
	heldAt   atomic.Int64          // when a flush met rows that others hold, in ns since 1970; 0: the last one did not
}

// New returns the store of an open database, which counts what a node stores.
func New(d *db.DB, node *nodedb.Node, fault *faultdb.Store, block *block.Store, release *releasedb.Store) *Store {
	s := fresh(d, node, fault, block, release)
	node.Counter = s
	return s
}

// fresh returns a store whose rollups hold nothing.
func fresh(d *db.DB, node *nodedb.Node, fault *faultdb.Store, block *block.Store, release *releasedb.Store) *Store {
	s := &Store{db: d, node: node, fault: fault, block: block, release: release, advanced: time.Now()}
	s.divide()
	return s
}

// tx is a running write transaction with this package's methods.
type tx struct {
	*db.Tx
	s *Store
}

func (s *Store) in(t *db.Tx) tx { return tx{t, s} }

func (s *Store) inTx(ctx context.Context, what string, f func(tx) error) error {
	return s.db.InTx(ctx, what, func(t *db.Tx) error { return f(s.in(t)) })
}

func (t tx) fault() faultdb.Tx { return t.s.fault.In(t.Tx) }

func (t tx) release() releasedb.Tx { return t.s.release.In(t.Tx) }

// Batch is what one transaction stored and hands over to be counted.
type Batch struct {
	Node    int64 // the number that it was stored under; Holder proves that it was this process's
	Holder  string
	At      time.Time
	Last    sett.NoticeID // the greatest id that was assigned
	Exact   bool          // a limit is near: the counts of projects are written with the batch
	Notices []Notice      // in the order of their ids
	Done    func()        // is called once the batch is committed, before anything that depends on its notices; it must not call the store
}

// Notice is the part of a stored notice that is counted.
type Notice struct {
	ID          sett.NoticeID
	Account     string
	Project     int64
	Environment string
	Fault       int64
	Token       sett.UUID
	Facts       faultdb.Facts
}
