package statusdb

import (
	"context"
	"database/sql"
	"time"

	"sett/internal/sett/status"
	"sett/internal/store/db"
)

// ResponseTimesOfPage reads the checks of the sites of a page.
const ResponseTimesOfPage = `-- statusdb.ResponseTimes
SELECT c.id, (u.at - $2) / 3600000000, sum(u.duration), count(*) FROM status_components c JOIN uptime_checks u ON u.site_id = c.site_id
WHERE c.page = $1 AND u.at >= $2 AND u.at < $3 AND u.up GROUP BY 1, 2`

// ResponseTimes returns the response times of the sites of a status page by component, without those of which no check succeeded. It reads every
// check of these hours: call it rarely.
func (s *Store) ResponseTimes(ctx context.Context, now time.Time, page int64) (map[int64]status.ResponseTimes, error) {
	times := map[int64]status.ResponseTimes{}
	first := status.FirstResponseHour(now)
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(ResponseTimesOfPage), page, db.Micros(first), db.Micros(first.Add(status.ResponseHours*time.Hour)))
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var id, hour, micros, count int64
		if err := rows.Scan(&id, &hour, &micros, &count); err != nil {
			return err
		}
		of := times[id]
		of.Hours[hour] = status.ResponseHour{Total: time.Duration(micros) * time.Microsecond, Checks: count}
		times[id] = of
		return nil
	})
	return times, s.db.Explain(db.Wrap("read response times of status page", err))
}
