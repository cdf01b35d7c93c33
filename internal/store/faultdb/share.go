package faultdb

import (
	"context"
	"database/sql"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/faults"
	"sett/internal/store/db"
)

const sharingDisabled = `-- faultdb.sharingDisabled
SELECT p.disable_public_links FROM faults f JOIN projects p ON p.id = f.project_id WHERE f.project_id = $1 AND f.id = $2`

const insertShare = `-- faultdb.ShareFault
INSERT INTO fault_shares (fault_id, project_id, hash, made_by, created_at) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (fault_id) DO UPDATE SET hash = excluded.hash, made_by = excluded.made_by, created_at = excluded.created_at`

// ShareFault sets the public link of a fault to the one whose token has the given hash, and ends an earlier one. The error is NotFound if
// the project has no such fault, and Forbidden while it does not allow public links.
func (s *Store) ShareFault(ctx context.Context, now time.Time, userID, projectID, faultID int64, hash []byte) error {
	return s.inTx(ctx, "share fault", func(t Tx) error {
		t.KeepsCaches = true
		var disabled bool
		if err := t.QueryRowContext(ctx, s.db.Text(sharingDisabled), projectID, faultID).Scan(&disabled); err != nil {
			return db.NotFound(err, "Fault", "find fault")
		}
		if disabled {
			return sett.ErrSharingDisabled()
		}
		_, err := t.Exec(ctx, insertShare, faultID, projectID, hash, userID, db.Micros(now))
		return db.Wrap("insert link", err)
	})
}

const deleteShare = `-- faultdb.UnshareFault
DELETE FROM fault_shares WHERE project_id = $1 AND fault_id = $2`

// UnshareFault ends the public link of a fault. The error is NotFound if it has none.
func (s *Store) UnshareFault(ctx context.Context, projectID, faultID int64) error {
	return s.inTx(ctx, "end link of fault", func(t Tx) error {
		t.KeepsCaches = true
		if err := s.checkFault(ctx, t, projectID, faultID); err != nil {
			return err
		}
		ended, err := t.Changed(ctx, deleteShare, projectID, faultID)
		if err == nil && ended == 0 {
			err = errNotShared()
		}
		return err
	})
}

func errNotShared() error {
	return sett.Errorf(sett.NotFound, "Public link not found: this fault has none")
}

const shareOfFault = `-- faultdb.ShareOfFault
SELECT h.created_at, p.disable_public_links, u.id, u.email, u.name
FROM faults f JOIN fault_shares h ON h.fault_id = f.id JOIN projects p ON p.id = f.project_id LEFT JOIN users u ON u.id = h.made_by
WHERE f.project_id = $1 AND f.id = $2`

// ShareOfFault returns who created the public link of a fault and when. The error is NotFound if it has none.
func (s *Store) ShareOfFault(ctx context.Context, projectID, faultID int64) (faults.FaultShare, error) {
	return s.shareOfFault(ctx, s.db.Read, projectID, faultID)
}

func (s *Store) shareOfFault(ctx context.Context, q db.Querier, projectID, faultID int64) (faults.FaultShare, error) {
	share := faults.FaultShare{FaultID: faultID}
	var created int64
	var id sql.NullInt64
	var email, name sql.NullString
	err := q.QueryRowContext(ctx, s.db.Text(shareOfFault), projectID, faultID).Scan(&created, &share.Disabled, &id, &email, &name)
	if err = db.NotFound(err, "Public link", "find link of fault"); err != nil {
		if sett.CodeOf(err) == sett.NotFound {
			err = errNotShared()
		}
		return share, err
	}
	if share.CreatedAt = db.FromMicros(created); id.Valid {
		share.MadeBy = &sett.Person{ID: id.Int64, Email: email.String, Name: name.String}
	}
	return share, nil
}

var sharedFault = `-- faultdb.SharedFault
SELECT ` + Columns + `
FROM fault_shares h JOIN projects p ON p.id = h.project_id JOIN faults f ON f.id = h.fault_id AND f.project_id = h.project_id
JOIN fault_counts c ON c.fault_id = f.id LEFT JOIN users u ON u.id = f.assignee_id
WHERE h.hash = $1 AND NOT p.disable_public_links`

// SharedFault returns the fault of the public link whose token has the given hash. The error is NotFound if there is no such link, its
// fault is merged into another, or its project no longer allows public links.
func (s *Store) SharedFault(ctx context.Context, hash []byte) (faults.Fault, error) {
	f, err := Scanner()(s.db.Read.QueryRowContext(ctx, s.db.Text(sharedFault), hash))
	return f, db.NotFound(err, "Page", "find shared fault")
}
