package repodb

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"sett/internal/sett/repo"
	"sett/internal/store/db"
)

// finding lists the columns of what was found.
func finding(f *repo.Finding) db.Columns {
	c := &f.Commit
	return db.Columns{
		db.At("repository_id", &f.RepositoryID),
		db.At("outcome", (*string)(&f.Outcome)),
		db.At("sha", &c.SHA),
		db.At("message", &c.Message),
		db.At("author", &c.Author),
		db.At("email", &c.Email),
		db.At("at", db.TimeIn(&c.At)),
		db.At("url", &c.URL),
		db.At("change_number", &f.Change),
		db.At("why", &f.Why),
		db.At("revision", &f.Revision),
		db.At("found_at", db.TimeIn(&f.FoundAt)),
	}
}

var (
	aFinding     = finding(&repo.Finding{})
	writeSuspect = "-- repodb.SetSuspect\nINSERT INTO suspects (fault_id, project_id, " + aFinding.Names() + ")\nSELECT f.id, f.project_id, " + aFinding.Parameters(3) +
		" FROM faults f WHERE f.id = $1 AND f.project_id = $2\nON CONFLICT (fault_id) DO UPDATE SET " + aFinding.SetFrom("excluded")
	readSuspect = "-- repodb.SuspectOf\nSELECT " + aFinding.Names() + " FROM suspects WHERE project_id = $1 AND fault_id = $2"
)

// SetSuspect sets the commit that an error most likely came from, or why there is none. It does nothing if the error was deleted.
func (s *Store) SetSuspect(ctx context.Context, f repo.Finding) error {
	f.Commit.Message = firstLine(f.Commit.Message)
	return s.inTx(ctx, "set suspect commit", func(t Tx) error {
		_, err := t.Exec(ctx, writeSuspect, finding(&f).Values(f.FaultID, f.ProjectID)...)
		return err
	})
}

// SuspectOf returns the commit that an error most likely came from, or why there is none; nil if that was not looked for.
func (s *Store) SuspectOf(ctx context.Context, projectID, faultID int64) (*repo.Finding, error) {
	return s.ReadSuspectOf(ctx, s.db.Read, projectID, faultID)
}

// ReadSuspectOf is SuspectOf in a snapshot.
func (s *Store) ReadSuspectOf(ctx context.Context, q db.Querier, projectID, faultID int64) (*repo.Finding, error) {
	f := repo.Finding{FaultID: faultID, ProjectID: projectID}
	err := q.QueryRowContext(ctx, s.db.Text(readSuspect), projectID, faultID).Scan(finding(&f).Into()...)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return &f, s.db.Explain(db.Wrap("read suspect commit", err))
}

const suspectsSince = `-- repodb.SuspectsSince
SELECT count(*) FROM suspects WHERE project_id = $1 AND found_at >= $2`

// SuspectsSince returns for how many errors of a project a suspect commit was looked for since a time.
func (s *Store) SuspectsSince(ctx context.Context, projectID int64, since time.Time) (n int64, err error) {
	err = s.db.Read.QueryRowContext(ctx, s.db.Text(suspectsSince), projectID, db.Micros(since)).Scan(&n)
	return n, s.db.Explain(db.Wrap("count suspect commits", err))
}
