package uptimedb

import (
	"context"
	"database/sql"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/store/db"
)

// KeepSiteGaps is longer than the time that a status page shows.
const KeepSiteGaps = KeepCheckInTurns

const beginGap = `-- uptimedb.beginGap
INSERT INTO site_gaps (site_id, from_at, to_at) SELECT $1, CAST($2 AS bigint), 0
WHERE NOT EXISTS (SELECT 1 FROM site_gaps WHERE site_id = $1 AND to_at = 0) ON CONFLICT (site_id, from_at) DO NOTHING`

// beginGap begins a time without checks, as a user ends the checks of a site.
func (t Tx) beginGap(ctx context.Context, now time.Time, have numberedSite) error {
	from := now
	if w := (&checks.SiteRecord{Site: have.Site}).Unchecked(now, now); !w.IsZero() {
		from = w.From
	}
	_, err := t.Exec(ctx, beginGap, have.Number, db.Micros(from))
	return db.Wrap("begin time without checks", err)
}

// gapWrites are what checks change of the times without checks.
type gapWrites struct {
	ended spans                          // from is not used: a pause may end with the check
	new   spans                          // their ends are checks
	late  map[int64][]checks.BlindWindow // by site, what checks that arrived late say something of, by start
}

// spans holds times of sites, as columns.
type spans struct{ sites, froms, tos []int64 }

func (s *spans) add(number int64, w checks.BlindWindow) {
	s.sites, s.froms, s.tos = append(s.sites, number), append(s.froms, db.Micros(w.From)), append(s.tos, db.Micros(w.To))
}

// note notes a check of a site that was as before says.
func (g *gapWrites) note(number int64, before checks.SiteRecord, at time.Time, use checks.CheckUse, now time.Time) {
	if use == checks.History && !at.After(before.LastCheckedAt) {
		if g.late == nil {
			g.late = map[int64][]checks.BlindWindow{}
		}
		g.late[number] = append(g.late[number], checks.BlindWindow{From: at, To: at.Add(before.Patience())})
		return
	}
	if before.State == sett.SitePending {
		g.ended.add(number, checks.BlindWindow{To: at})
	}
	if w := before.Unchecked(at, now); !w.IsZero() {
		g.new.add(number, w)
	}
}

const endGaps = `-- uptimedb.endGaps
WITH k AS (SELECT r.site_id, r.at FROM {{rows r(site_id bigint, at bigint)}})
UPDATE site_gaps SET to_at = (SELECT min(k.at) FROM k WHERE k.site_id = site_gaps.site_id AND k.at > site_gaps.from_at)
WHERE to_at = 0 AND EXISTS (SELECT 1 FROM k WHERE k.site_id = site_gaps.site_id AND k.at > site_gaps.from_at)`

const insertGaps = `-- uptimedb.insertGaps
INSERT INTO site_gaps (site_id, from_at, to_at) SELECT k.site_id, k.from_at, k.to_at
FROM {{rows k(site_id bigint, from_at bigint, to_at bigint)}}
WHERE NOT EXISTS (SELECT 1 FROM site_gaps g WHERE g.site_id = k.site_id AND g.from_at <= k.from_at AND g.to_at >= k.to_at)`

// writeGaps keeps the times of a site apart: what a pause covers that ends with a check is not written again.
func (b *checkBatch) writeGaps(ctx context.Context) error {
	g := &b.gaps
	if len(g.ended.sites) > 0 {
		if err := b.t.Each(ctx, endGaps, g.ended.sites, g.ended.tos); err != nil {
			return err
		}
	}
	if err := b.fillGaps(ctx); err != nil || len(g.new.sites) == 0 {
		return err
	}
	return b.t.Each(ctx, insertGaps, g.new.sites, g.new.froms, g.new.tos)
}

const gapsAfter = `-- uptimedb.gapsAfter
SELECT g.site_id, g.from_at, g.to_at FROM {{rows k(site_id bigint, at bigint)}} JOIN site_gaps g ON g.site_id = k.site_id AND g.to_at > k.at`

const dropGaps = `-- uptimedb.dropGaps
DELETE FROM site_gaps WHERE (site_id, from_at) IN (SELECT k.site_id, k.from_at FROM {{rows k(site_id bigint, from_at bigint)}})`

// fillGaps takes checks that arrived late, because an agent kept them, out of the times without checks.
func (b *checkBatch) fillGaps(ctx context.Context) error {
	var sites, ats []int64
	for _, number := range db.Sorted(b.gaps.late, func(a, b int64) int { return int(a - b) }) {
		sites, ats = append(sites, number), append(ats, db.Micros(b.gaps.late[number][0].From))
	}
	if len(sites) == 0 {
		return nil
	}
	var filled, left spans
	err := b.t.EachRow(ctx, gapsAfter, func(rows *sql.Rows) error {
		var number, from, to int64
		err := rows.Scan(&number, &from, &to)
		gap := checks.BlindWindow{From: db.FromMicros(from), To: db.FromMicros(to)}
		filled.add(number, gap)
		for _, w := range gap.Less(b.gaps.late[number]) {
			left.add(number, w)
		}
		return err
	}, sites, ats)
	if err != nil || len(filled.sites) == 0 {
		return err
	}
	if err := b.t.Each(ctx, dropGaps, filled.sites, filled.froms); err != nil || len(left.sites) == 0 {
		return err
	}
	return b.t.Each(ctx, insertGaps, left.sites, left.froms, left.tos)
}
