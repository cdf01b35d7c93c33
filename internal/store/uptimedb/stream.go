package uptimedb

import (
	"context"
	"database/sql"
	"time"

	"sett/internal/sett/checks"
	"sett/internal/store/db"
)

var eachSiteOf = sitesOf + "WHERE s.project_id = $1 ORDER BY s.id"

const checksDuring = checksOf + " ORDER BY at DESC, location DESC"

// EachCheck calls yield with the checks of a project's sites of a time: those of one site after another, each from the newest on.
func (s *Store) EachCheck(ctx context.Context, q db.Querier, projectID int64, from, to time.Time, yield func(checks.Site, checks.UptimeCheck) error) error {
	sites, err := s.sites(ctx, q, eachSiteOf, projectID)
	for _, n := range sites {
		if err == nil {
			var rows *sql.Rows
			rows, err = q.QueryContext(ctx, s.db.Text(checksDuring), n.Number, db.Micros(from), db.Micros(to))
			err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
				c, err := scanCheck(rows)
				if err != nil {
					return err
				}
				return yield(n.Site, c)
			})
		}
	}
	return db.Wrap("read checks of a project", err)
}

const outagesDuring = `-- uptimedb.outagesDuring
SELECT id, down_at, up_at, created_at, status, reason, headers, location, phase, body FROM outages
WHERE site_id = $1 AND created_at < $3 AND (up_at = 0 OR up_at >= $2) ORDER BY created_at DESC`

// EachOutage calls yield with the outages of a project's sites that lasted at some moment of a time.
func (s *Store) EachOutage(ctx context.Context, q db.Querier, projectID int64, from, to time.Time, yield func(checks.Site, checks.Outage) error) error {
	sites, err := s.sites(ctx, q, eachSiteOf, projectID)
	for _, n := range sites {
		if err != nil {
			break
		}
		var found []checks.Outage
		found, err = s.outages(ctx, q, n.ID, outagesDuring, n.Number, db.Micros(from), db.Micros(to))
		for _, o := range found {
			if err == nil {
				err = yield(n.Site, o)
			}
		}
	}
	return db.Wrap("read outages of a project", err)
}

const eventsDuring = `-- uptimedb.eventsDuring
SELECT c.id, c.name, c.slug, e.id, e.kind, e.at, e.payload, e.address, e.agent FROM check_ins c JOIN check_in_events e ON e.check_in = c.number
WHERE c.project_id = $1 AND e.at >= $2 AND e.at < $3 ORDER BY c.number, e.id DESC`

// EachCheckInEvent calls yield with the history of a project's check-ins of a time: that of one check-in after another, each from the newest on.
// Of a check-in, the id, name and slug are set.
func (s *Store) EachCheckInEvent(ctx context.Context, q db.Querier, projectID int64, from, to time.Time, yield func(checks.CheckIn, checks.CheckInEvent) error) error {
	rows, err := q.QueryContext(ctx, s.db.Text(eventsDuring), projectID, db.Micros(from), db.Micros(to))
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var c checks.CheckIn
		e, err := scanCheckInEvent(rows, &c.ID, &c.Name, &c.Slug)
		if err != nil {
			return err
		}
		return yield(c, e)
	})
	return db.Wrap("read histories of check-ins", err)
}
