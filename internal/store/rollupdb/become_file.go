package rollupdb

import (
	"context"
	"fmt"

	"sett/internal/sett"
	"sett/internal/store/db"
)

const countingNodes = `-- rollupdb.countingNodes
SELECT DISTINCT node FROM digests WHERE node >= 0 ORDER BY node`

const forgetPositions = `-- rollupdb.forgetPositions
DELETE FROM digests WHERE node >= 0`

const forgetNodes = `-- rollupdb.forgetNodes
DELETE FROM nodes`

// BecomeFile prepares an SQLite file with the rows of a PostgreSQL database: it counts what the nodes of that database had stored and not
// counted, and replaces their positions by those of the one process that records into a file. It does nothing for another file.
func (s *Store) BecomeFile(ctx context.Context) error {
	nodes, err := s.db.ListIDs(ctx, s.db.Read, countingNodes)
	if err != nil || len(nodes) == 0 {
		return db.Wrap("list nodes that counted", err)
	}
	for _, num := range nodes {
		if _, err := s.CatchUp(ctx, num, ""); err != nil {
			return fmt.Errorf("count notices of node %d: %w", num, err)
		}
	}
	var last sett.NoticeID
	if err := s.db.Read.QueryRowContext(ctx, newestNotice).Scan(&last); err != nil {
		return fmt.Errorf("find newest notice: %w", err)
	}
	return s.inTx(ctx, "become a file", func(t tx) error {
		for _, statement := range []string{forgetPositions, forgetNodes} {
			if _, err := t.Exec(ctx, statement); err != nil {
				return err
			}
		}
		return t.flush(ctx, sett.FileNode, s.allAt(last))
	})
}

const newestNotice = `-- rollupdb.newestNotice
SELECT coalesce(max(id), 0) FROM notices`
