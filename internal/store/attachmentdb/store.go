// Package attachmentdb stores the files that clients sent with notices, compressed, each as long as its notice. It takes the files of one
// notice, and returns those that are stored and how many did not fit: it drops files beyond the limits of a notice, a project and the
// server. A file that is sent twice with a notice is stored once. It never reads what is in a file, and never changes a notice.
package attachmentdb

import (
	"context"
	"database/sql"
	"sync"
	"time"

	"sett/internal/store/db"
	"sett/internal/store/faultdb"
)

// Store is this package's part of an open database. It is safe for concurrent use.
type Store struct {
	db    *db.DB
	fault *faultdb.Store

	// MostBytes is how much all attachments of the server may take, compressed; 0: none are stored. It may be set before the store is
	// used.
	MostBytes int64

	mu     sync.Mutex // guards what follows
	sums   map[int64]int64
	readAt time.Time
}

// Tx is a running write transaction with this package's methods.
type Tx struct {
	*db.Tx
	s *Store
}

// New returns the store of an open database.
func New(d *db.DB, faults *faultdb.Store) *Store { return &Store{db: d, fault: faults} }

// In wraps a running transaction in this package's Tx.
func (s *Store) In(t *db.Tx) Tx { return Tx{t, s} }

// On reports whether attachments are stored at all.
func (s *Store) On() bool { return s.MostBytes > 0 }

// rowBytes is how much an attachment counts beside its compressed bytes, for the row that says what it is.
const rowBytes = 1000

// sumsFor is how long what was counted is believed: other servers store attachments too, and retention deletes them.
const sumsFor = time.Minute

const readSums = `-- attachmentdb.sums
SELECT project_id, count(*), CAST(sum(stored) AS bigint) FROM attachments GROUP BY project_id`

// full reports whether the server, or a project, has as much as it may. One project may have half of what the server has room for, so that
// others have some left.
func (s *Store) full(ctx context.Context, now time.Time, project int64) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sums == nil || now.Sub(s.readAt).Abs() >= sumsFor {
		sums := map[int64]int64{}
		rows, err := s.db.Read.QueryContext(ctx, s.db.Text(readSums))
		err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
			var id, count, bytes int64
			err := rows.Scan(&id, &count, &bytes)
			sums[id] = bytes + count*rowBytes
			return err
		})
		if err != nil {
			return false, db.Wrap("count attachments", err)
		}
		s.sums, s.readAt = sums, now
	}
	var all int64
	for _, bytes := range s.sums {
		all += bytes
	}
	return all >= s.MostBytes || s.sums[project] >= s.MostBytes/2, nil
}

// added counts what was stored, until all is counted again.
func (s *Store) added(project, bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sums[project] += bytes
}
