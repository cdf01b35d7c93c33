package faultdb

import (
	"context"
	"fmt"

	"sett/internal/sett"
	"sett/internal/store/accountdb"
	"sett/internal/store/db"
)

// placeOfNotice starts from a few ids, so that it only does lookups by key.
const placeOfNotice = `-- faultdb.NoticePlace
SELECT p.id, f.id FROM (SELECT k.notice_id AS id FROM notice_tokens k WHERE k.token = $2
    UNION SELECT CAST($3 AS bigint) AS id) AS named JOIN notices n ON n.id = named.id
LEFT JOIN merged_faults g ON g.id = n.fault_id JOIN faults f ON f.id = coalesce(g.into_id, n.fault_id)
JOIN projects p ON p.id = f.project_id JOIN memberships m ON m.account_id = p.account_id
WHERE m.user_id = $1 AND ` + accountdb.SeenBy + ` ORDER BY n.id DESC LIMIT 1`

// NoticePlace returns the project and fault of the notice with a public id, among the projects that a user can see, or a NotFound error.
// Clients choose ids of their own, so several projects may have the same id; the newest notice wins.
func (s *Store) NoticePlace(ctx context.Context, userID int64, uuid sett.UUID) (projectID, faultID int64, err error) {
	derived, ok := sett.NoticeIDFromUUID(uuid)
	if !ok {
		if derived, err = s.pendingNotice(ctx, userID, uuid); err != nil {
			return 0, 0, err
		}
	}
	row := s.db.Read.QueryRowContext(ctx, s.db.Text(placeOfNotice), userID, uuid[:], int64(derived))
	if err := row.Scan(&projectID, &faultID); err != nil {
		return 0, 0, db.NotFound(err, "Notice", "find place of notice")
	}
	return projectID, faultID, nil
}

// pendingNotice returns the newest notice of a token that table notice_tokens does not hold yet, or 0.
func (s *Store) pendingNotice(ctx context.Context, userID int64, token sett.UUID) (id sett.NoticeID, err error) {
	projects, err := s.account.VisibleProjectIDs(ctx, userID)
	if err != nil {
		return 0, fmt.Errorf("find pending notice: %w", err)
	}
	return s.Counter.Pending(token, projects...), nil
}
