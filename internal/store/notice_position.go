package store

import (
	"context"
	"fmt"

	"sett/internal/sett"
)

// MostNewer is how many notices of a fault are counted that are newer than one.
const MostNewer = 1_000

var countNewer = fmt.Sprintf(`-- store.CountNewer
SELECT count(*) FROM (SELECT 1 FROM fault_notices n WHERE n.fault_id = $1 AND n.id > $2 LIMIT %d) AS few`, MostNewer+1)

// CountNewer returns how many notices of a fault are newer than one of them; a number above MostNewer says that there are more
// than that. The error is NotFound when the project has no such fault.
func (s *Store) CountNewer(ctx context.Context, projectID, faultID int64, than sett.NoticeID) (newer int64, err error) {
	err = s.snapshot(ctx, "count newer notices", func(q querier) error {
		if err := s.checkFault(ctx, q, projectID, faultID); err != nil {
			return err
		}
		parts, err := s.partsOf(ctx, q, faultID)
		for _, part := range parts {
			var n int64
			if err := q.QueryRowContext(ctx, s.text(countNewer), part, int64(than)).Scan(&n); err != nil {
				return err
			}
			newer += n
		}
		return err
	})
	return newer, err
}
