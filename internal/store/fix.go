package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"sett/internal/sett/faults"
	"sett/internal/sett/release"
	"sett/internal/sett/repo"
)

// RecordDelivery records what a webhook of a repository says. An error whose fix it takes back reopens, unless it was resolved otherwise since. base
// is the address of this sett.
func (s *Store) RecordDelivery(ctx context.Context, now time.Time, r repo.Repository, d repo.Delivery, base string) error {
	return s.inTx(ctx, "record webhook of repository", func(t *tx) error {
		taken, err := t.repo.Record(ctx, now, r, d, base)
		for _, b := range taken {
			if err == nil {
				err = t.fault.TakeBack(ctx, now, r.ProjectID, b.FaultID, b.Release, release.TakenBackEntry(b.Name(r.Host), repo.Short(b.By)))
			}
		}
		return err
	})
}

const faultOf = `-- store.faultOf
SELECT f.id, f.environment FROM faults f WHERE f.project_id = $1
    AND f.id = coalesce((SELECT m.into_id FROM merged_faults m WHERE m.id = $2), $2)`

// SettleFix resolves the error of a fix in the revision of a deploy that contains it. It does nothing if that was done before, or if the deploy was to
// another environment than the error's.
func (s *Store) SettleFix(ctx context.Context, now time.Time, r repo.Repository, f repo.Fix, d faults.Deploy) error {
	return s.inTx(ctx, "resolve error of a fix", func(t *tx) error {
		var id int64
		var environment string
		err := t.QueryRowContext(ctx, s.Text(faultOf), f.ProjectID, f.FaultID).Scan(&id, &environment)
		if errors.Is(err, sql.ErrNoRows) { // it was deleted
			_, err := t.repo.Settle(ctx, f, d.Revision)
			return err
		}
		if err != nil {
			return fmt.Errorf("find error of a fix: %w", err)
		}
		if d.Environment != "" && d.Environment != environment {
			return nil
		}
		fresh, err := t.repo.Settle(ctx, f, d.Revision)
		if err != nil || !fresh {
			return err
		}
		return t.fault.Fixed(ctx, now, f.ProjectID, id, d.Revision, release.FixedEntry(f.Name(r.Host), d.Revision))
	})
}
