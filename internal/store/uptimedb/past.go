package uptimedb

import (
	"context"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/checks"
	"sett/internal/store/db"
)

// Past is what was known of a site or a check-in before sett watched it.
type Past struct {
	Since, Last time.Time           // when another service began to watch it, and when it looked last
	Outages     []checks.SiteOutage // that are over, oldest first, with Reasons
	Reasons     []string
	Days        []checks.UptimeDay // of sites
}

const beginEarlier = `-- uptimedb.beginEarlier
UPDATE sites SET created_at = $2 WHERE id = $1`

// A site was not checked between its last check elsewhere and its first one here; see checks.SiteRecord.Unchecked.
const checkedElsewhere = `-- uptimedb.checkedElsewhere
UPDATE site_states SET last_checked_at = $2 WHERE site_id = $1`

const insertPastOutages = `-- uptimedb.insertPastOutages
INSERT INTO outages (site_id, down_at, up_at, created_at, status, reason, headers, location, phase, body)
SELECT k.site_id, k.down_at, k.up_at, k.down_at, 0, k.reason, 'null', '', '', k.body
FROM {{rows k(site_id bigint, down_at bigint, up_at bigint, reason text, body bytea)}} WHERE true`

// AddSitePast gives a site that was just made its past. It stays pending, and no one is notified.
func (t Tx) AddSitePast(ctx context.Context, number int64, p Past) error {
	if _, err := t.Exec(ctx, beginEarlier, number, db.Micros(p.Since)); err != nil {
		return err
	}
	if _, err := t.Exec(ctx, checkedElsewhere, number, db.Micros(p.Last)); err != nil {
		return err
	}
	var down, up []int64
	var bodies [][]byte
	for _, o := range p.Outages {
		down, up, bodies = append(down, db.Micros(o.DownAt)), append(up, db.Micros(o.UpAt)), append(bodies, []byte{})
	}
	if err := t.Each(ctx, insertPastOutages, db.Repeated(number, len(down)), down, up, p.Reasons, bodies); err != nil {
		return err
	}
	days := dayRows{}
	for _, d := range p.Days {
		d.Day = accounts.Day(d.Day)
		days[dayKey{number, db.Micros(d.Day), locationNumber(d.Location)}] = &d
	}
	return t.writeDays(ctx, days)
}

// AddCheckInPast gives a check-in that was just made its past. It stays pending, and no one is notified.
func (t Tx) AddCheckInPast(ctx context.Context, number int64, p Past) error {
	turns := []checks.CheckInTurn{{At: p.Since, State: sett.CheckInReporting}}
	for _, o := range p.Outages {
		turns = append(turns, checks.CheckInTurn{At: o.DownAt, State: sett.CheckInMissing}, checks.CheckInTurn{At: o.UpAt, State: sett.CheckInReporting})
	}
	var w turned
	w.add(number, append(turns, checks.CheckInTurn{At: p.Last, State: sett.CheckInPending}))
	return t.EachOf(ctx, []db.RowsStatement{w.statement()})
}

var (
	siteNumbered    = sitesOf + "WHERE s.project_id = $1 AND s.id = $2"
	checkInNumbered = checkInsOf + " AND c.number = $2 {{for update}}"
	checkInSlugged  = checkInsOf + " AND c.slug = $2 AND c.slug <> ''"
)

// SiteNumbered returns the site of a project with a number; ok is false if there is none.
func (t Tx) SiteNumbered(ctx context.Context, projectID, number int64) (site checks.Site, ok bool, err error) {
	found, err := t.s.sites(ctx, t, siteNumbered, projectID, number)
	if err != nil || len(found) == 0 {
		return site, false, err
	}
	return found[0].Site, true, nil
}

// CheckInNumbered returns the check-in of a project with a number; ok is false if there is none.
func (t Tx) CheckInNumbered(ctx context.Context, projectID, number int64) (c checks.CheckIn, ok bool, err error) {
	found, err := t.s.checkIns(ctx, t, checkInNumbered, projectID, number)
	if err != nil || len(found) == 0 {
		return c, false, err
	}
	return found[0].CheckIn, true, nil
}

// CheckInNumber returns the number of the check-in of a project with an id or, when that is "", with a slug; 0 if there is none.
func (t Tx) CheckInNumber(ctx context.Context, projectID int64, id, slug string) (int64, error) {
	statement, key := checkInSlugged, slug
	if id != "" {
		statement, key = oneCheckIn, id
	}
	found, err := t.s.checkIns(ctx, t, statement, projectID, key)
	if err != nil || len(found) == 0 {
		return 0, err
	}
	return found[0].number, nil
}
