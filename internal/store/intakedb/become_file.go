package intakedb

import (
	"context"
	"fmt"
	"math"

	"sett/internal/sett"
	"sett/internal/store/db"
)

const countingNodes = `-- store.countingNodes
SELECT DISTINCT node FROM digests WHERE node >= 0 ORDER BY node`

const forgetPositions = `-- store.forgetPositions
DELETE FROM digests WHERE node >= 0`

const forgetNodes = `-- store.forgetNodes
DELETE FROM nodes`

// BecomeFile prepares an SQLite file with the rows of a PostgreSQL database: it counts what the nodes of that database had stored and not
// counted, and replaces their positions by those of the one process that records into a file. It does nothing for another file.
func (s *Store) BecomeFile(ctx context.Context) error {
	nodes, err := s.db.ListIDs(ctx, s.db.Read, countingNodes)
	if err != nil || len(nodes) == 0 {
		return db.Wrap("list nodes that counted", err)
	}
	if err := s.dividePositions(ctx); err != nil {
		return err
	}
	if err := s.skipStoredAtOnce(ctx, nodes); err != nil {
		return err
	}
	for _, num := range nodes {
		if _, err := s.catchUp(ctx, num, ""); err != nil {
			return fmt.Errorf("count notices of node %d: %w", num, err)
		}
	}
	var last sett.NoticeID
	if err := s.db.Read.QueryRowContext(ctx, newestNotice).Scan(&last); err != nil {
		return fmt.Errorf("find newest notice: %w", err)
	}
	return s.inTx(ctx, "become a file", func(t Tx) error {
		for _, statement := range []string{forgetPositions, forgetNodes} {
			if _, err := t.Exec(ctx, statement); err != nil {
				return err
			}
		}
		ids, uptos := []int64{}, []int64{}
		for _, d := range s.rollups.Each {
			ids, uptos = append(ids, d.ID), append(uptos, int64(last))
		}
		return t.Each(ctx, setRollups, db.Repeated(sett.FileNode, len(ids)), ids, uptos)
	})
}

const newestNotice = `-- store.newestNotice
SELECT coalesce(max(id), 0) FROM notices`

const dividePosition = `-- store.dividePosition
INSERT INTO digests (node, id, upto) SELECT node, $1, upto FROM digests WHERE node >= 0 AND id = $2 ON CONFLICT (node, id) DO NOTHING`

// dividePositions gives each part of a rollup the positions of the whole: nodes do not divide rollups, and without a position of its own a
// part would be counted from the first notice on.
func (s *Store) dividePositions(ctx context.Context) error {
	return s.inTx(ctx, "divide positions", func(t Tx) error {
		t.KeepsCaches = true
		for _, d := range s.rollups.Each {
			if _, err := t.Exec(ctx, dividePosition, d.ID, rollupID(d.kind, 0)); err != nil {
				return err
			}
		}
		return nil
	})
}

// skipStoredAtOnce marks the rollups that nodes write together with the notices as complete.
func (s *Store) skipStoredAtOnce(ctx context.Context, nodes []int64) error {
	return s.inTx(ctx, "skip what was stored at once", func(t Tx) error {
		t.KeepsCaches = true
		for _, d := range s.rollups.Each {
			if d.kind != TokenRollup {
				continue
			}
			err := t.Each(ctx, setRollups, nodes, db.Repeated(d.ID, len(nodes)), db.Repeated(int64(math.MaxInt64), len(nodes)))
			if err != nil {
				return err
			}
		}
		return nil
	})
}
