package uptimedb

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/store/db"
)

// Must match checks.SiteSettings.Patience.
const lapsedSites = `-- uptimedb.lapsedSites
SELECT s.uuid FROM sites s JOIN site_states st ON st.site_id = s.id
WHERE s.active = true AND st.state <> 'pending' AND st.last_checked_at > 0 AND st.last_checked_at + (s.frequency * 60 + 2 * s.timeout + 30) * 1000000 < $1
ORDER BY s.uuid LIMIT $2`

// LapseSites makes at most limit sites pending whose last check is too old to say how they do, and reports whether there may be more.
func (s *Store) LapseSites(ctx context.Context, now time.Time, limit int) (more bool, err error) {
	var ids [][]byte
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(lapsedSites), db.Micros(now), limit)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var id []byte
		err := rows.Scan(&id)
		ids = append(ids, id)
		return err
	})
	if err != nil || len(ids) == 0 {
		return false, s.db.Explain(db.Wrap("look for unchecked sites", err))
	}
	err = s.inTx(ctx, "lapse sites", func(t Tx) error {
		t.KeepsCaches = true
		b := &checkBatch{t: t, now: now, ids: ids, sites: map[sett.UUID]*checkedSite{}}
		return b.lapse(ctx)
	})
	return len(ids) == limit, err
}

// lapse makes those of the sites pending that still are not checked.
func (b *checkBatch) lapse(ctx context.Context) error {
	if err := b.lockSites(ctx); err != nil {
		return fmt.Errorf("lock sites: %w", err)
	}
	if err := b.readSites(ctx); err != nil {
		return fmt.Errorf("read sites: %w", err)
	}
	for _, c := range b.order {
		for _, e := range c.Lapse(b.now) {
			if err := b.settle(ctx, c, checks.CheckReport{}, e); err != nil {
				return err
			}
		}
		c.noted = c.State != c.was
	}
	if err := b.writeStates(ctx); err != nil {
		return fmt.Errorf("write states: %w", err)
	}
	return b.evaluate(ctx)
}
