package statusdb

import (
	"context"
	"database/sql"
	"math/bits"
	"time"

	"sett/internal/sett/checks"
	"sett/internal/store/db"
)

// stretchDays is how many days a row of checked_days covers, one bit each; StretchMicros is their duration.
const (
	stretchDays   = 60
	StretchMicros = stretchDays * DayMicros
	DayMicros     = int64(24 * time.Hour / time.Microsecond)
)

// RolledDaysOf reads the rolled-up days of sites.
const RolledDaysOf = `-- statusdb.RolledDaysOf
SELECT site_id, stretch, days FROM checked_days WHERE stretch >= $1 AND site_id IN `

// rolledDaysOf adds the rolled-up days to the histories of sites, from the given day on.
func (s *Store) rolledDaysOf(ctx context.Context, q db.Querier, first time.Time, numbers []int64, of map[int64]*checks.SiteHistory) error {
	list, args := db.In(s.db, 2, numbers)
	rows, err := q.QueryContext(ctx, s.db.Text(RolledDaysOf+list), append([]any{db.Micros(first) / StretchMicros}, args...)...)
	return db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var number, stretch int64
		var days uint64
		err := rows.Scan(&number, &stretch, &days)
		for ; days > 0; days &= days - 1 {
			day := db.FromMicros(stretch*StretchMicros + int64(bits.TrailingZeros64(days))*DayMicros)
			of[number].Checked = append(of[number].Checked, day)
		}
		return err
	})
}
