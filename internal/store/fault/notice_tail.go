package fault

import (
	"context"
	"database/sql"
	"fmt"

	"sett/internal/sett"
	"sett/internal/store/db"
)

// noticesAfter reads the notices of all projects in order of arrival, so it is only suitable for short times.
const noticesAfter = `-- store.NoticesAfter
SELECT n.id, f.id, f.class, f.message, f.component, f.action, f.environment
FROM notices n LEFT JOIN merged_faults m ON m.id = n.fault_id CROSS JOIN faults f
WHERE n.id > $1 AND f.id = coalesce(m.into_id, n.fault_id) AND f.project_id = $2 ORDER BY n.id DESC LIMIT $3`

// NoticesAfter returns the newest notices of a project that came after the given one, newest first.
func (s *Store) NoticesAfter(ctx context.Context, projectID int64, after sett.NoticeID, limit int) (found []sett.TailedNotice, err error) {
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(noticesAfter), int64(after), projectID, limit)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var n sett.TailedNotice
		var id int64
		err := rows.Scan(&id, &n.FaultID, &n.Class, &n.Message, &n.Component, &n.Action, &n.Environment)
		n.Key = sett.NoticeID(id)
		found = append(found, n)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read notices that came in: %w", err)
	}
	return found, nil
}
