package uptimedb

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/store/db"
)

const openSpell = `-- uptimedb.openSlowSpell
INSERT INTO slow_spells (site_id, slow_at, fast_at, created_at, slow_after, took, ending)
VALUES ($1, $2, 0, $3, $4, $5, '') ON CONFLICT (site_id) WHERE fast_at = 0 DO NOTHING`

func (t Tx) openSpell(ctx context.Context, number int64, s checks.SlowSpell) error {
	_, err := t.Exec(ctx, openSpell, number, db.Micros(s.SlowAt), db.Micros(s.CreatedAt), s.Limit.Milliseconds(), s.Took.Microseconds())
	return db.Wrap("open slow time", err)
}

const closeSpell = `-- uptimedb.closeSlowSpell
UPDATE slow_spells SET fast_at = $2, ending = $3 WHERE site_id = $1 AND fast_at = 0 RETURNING slow_at`

// closeSpell ends the time in which a site is slow, and returns it; the zero SlowSpell if there is none.
func (t Tx) closeSpell(ctx context.Context, number int64, at time.Time, why checks.SlowEnding) (s checks.SlowSpell, err error) {
	var slow int64
	err = t.QueryRowContext(ctx, t.s.db.Text(closeSpell), number, db.Micros(at), string(why)).Scan(&slow)
	if errors.Is(err, sql.ErrNoRows) {
		return s, nil
	}
	return checks.SlowSpell{SlowAt: db.FromMicros(slow), FastAt: at, Ending: why}, db.Wrap("close slow time", err)
}

const forgetSlow = `-- uptimedb.forgetSlow
UPDATE site_states SET slow_since = 0, was_slow = (was_slow OR slow_since > 0) AND $2 = 1 WHERE site_id = $1`

const forgetPaces = `-- uptimedb.forgetPaces
UPDATE verdicts SET pace = 0, pace_since = 0 WHERE site_id = $1`

// changePace ends what is known of the pace of a site with the settings that it was found under. Checks under another limit count anew.
func (t Tx) changePace(ctx context.Context, now time.Time, have numberedSite, want checks.SiteSettings) error {
	if want.SlowAfter != have.SlowAfter {
		if _, err := t.Exec(ctx, forgetPaces, have.Number); err != nil {
			return err
		}
	}
	why := have.EndsSlow(want)
	if why == checks.SlowLasts {
		return nil
	}
	if _, err := t.closeSpell(ctx, have.Number, later(now, have.SlowSince), why); err != nil {
		return err
	}
	_, err := t.Exec(ctx, forgetSlow, have.Number, bit(why == checks.SlowEndedPaused))
	return err
}

const slowSpells = `-- uptimedb.SlowSpells
SELECT p.id, p.slow_at, p.fast_at, p.created_at, p.slow_after, p.took, p.ending FROM slow_spells p JOIN sites s ON s.id = p.site_id
WHERE s.project_id = $1 AND s.uuid = $2 ORDER BY p.created_at DESC, p.id DESC LIMIT $3`

// SlowSpells returns the newest times in which a site of a project was slow, the newest first.
func (s *Store) SlowSpells(ctx context.Context, projectID int64, siteID sett.UUID, most int) (found []checks.SlowSpell, err error) {
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(slowSpells), projectID, siteID[:], most)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var p checks.SlowSpell
		var slow, fast, created, limit, took int64
		err := rows.Scan(&p.ID, &slow, &fast, &created, &limit, &took, &p.Ending)
		p.SlowAt, p.FastAt, p.CreatedAt = db.FromMicros(slow), db.FromMicros(fast), db.FromMicros(created)
		p.Limit, p.Took = time.Duration(limit)*time.Millisecond, time.Duration(took)*time.Microsecond
		found = append(found, p)
		return err
	})
	return found, db.Wrap("list slow times", err)
}
