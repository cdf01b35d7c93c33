package alarmdb

import (
	"context"
	"database/sql"
	"time"

	"sett/internal/sett/alarm"
	"sett/internal/store/db"
)

const changesDuring = `-- alarmdb.EachChange
SELECT a.id, a.name, c.id, c.at, c.state, c.from_at, c.to_at, c.count, c.error, c.query, c.condition FROM alarms a JOIN alarm_changes c ON c.alarm = a.number
WHERE a.project_id = $1 AND c.at >= $2 AND c.at < $3 ORDER BY a.number, c.id DESC`

// EachChange calls yield with the changes of a project's alarms of a time: those of one alarm after another, each from the newest on. Of an alarm,
// the id and name are set.
func (s *Store) EachChange(ctx context.Context, q db.Querier, project int64, from, to time.Time, yield func(alarm.Alarm, alarm.Change) error) error {
	rows, err := q.QueryContext(ctx, s.db.Text(changesDuring), project, db.Micros(from), db.Micros(to))
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var a alarm.Alarm
		c, err := scanChange(rows, &a.ID, &a.Name)
		if err != nil {
			return err
		}
		return yield(a, c)
	})
	return db.Wrap("read changes of alarms", err)
}
