package uptimedb

import (
	"context"

	"sett/internal/store/db"
	"sett/internal/store/statusdb"
)

const noteChecked = `-- uptimedb.noteChecked
INSERT INTO checked_days (site_id, stretch, days) SELECT k.site_id, k.stretch, k.days
FROM {{rows k(site_id bigint, stretch bigint, days bigint)}} WHERE true
ON CONFLICT (site_id, stretch) DO UPDATE SET days = checked_days.days | excluded.days`

// noteChecked records that rolled-up days have checks.
func (t Tx) noteChecked(ctx context.Context, days dayRows) error {
	var sites, stretches, bits []int64
	for _, k := range db.Sorted(days, dayKey.compare) {
		stretch, bit := k.day/statusdb.StretchMicros, int64(1)<<(k.day%statusdb.StretchMicros/statusdb.DayMicros)
		if last := len(sites) - 1; last >= 0 && sites[last] == k.number && stretches[last] == stretch {
			bits[last] |= bit // PostgreSQL does not update a row twice in one statement
			continue
		}
		sites, stretches, bits = append(sites, k.number), append(stretches, stretch), append(bits, bit)
	}
	return db.Wrap("note days with checks", t.Each(ctx, noteChecked, sites, stretches, bits))
}
