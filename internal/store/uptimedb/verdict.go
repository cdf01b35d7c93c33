package uptimedb

import (
	"context"
	"database/sql"
	"fmt"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/store/db"
)

const verdictColumns = `v.site_id, v.location, v.up, v.at, v.failing_since, v.failures, v.status, v.reason, v.pace, v.pace_since`

func scanVerdict(rows *sql.Rows) (site int64, v checks.Verdict, err error) {
	var location, at, since, paceSince int64
	err = rows.Scan(&site, &location, &v.Up, &at, &since, &v.Failures, &v.Status, &v.Reason, &v.Pace.Run, &paceSince)
	v.Location, v.At, v.FailingSince, v.Pace.Since = locationOf(location), db.FromMicros(at), db.FromMicros(since), db.FromMicros(paceSince)
	return site, v, err
}

const verdictsOfSite = `-- uptimedb.Verdicts
SELECT ` + verdictColumns + ` FROM sites s JOIN verdicts v ON v.site_id = s.id WHERE s.project_id = $1 AND s.uuid = $2 ORDER BY v.location`

// Verdicts returns the last result of each location that has checked a site.
func (s *Store) Verdicts(ctx context.Context, projectID int64, siteID sett.UUID) (verdicts []checks.Verdict, err error) {
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(verdictsOfSite), projectID, siteID[:])
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		_, v, err := scanVerdict(rows)
		verdicts = append(verdicts, v)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list verdicts: %w", err)
	}
	return verdicts, nil
}

const verdictsToEvaluate = `-- uptimedb.verdictsToEvaluate
SELECT ` + verdictColumns + ` FROM {{rows k(id bigint)}} JOIN verdicts v ON v.site_id = k.id`

func (b *checkBatch) readVerdicts(ctx context.Context) error {
	var numbers []int64
	byNumber := map[int64]*checkedSite{}
	for _, c := range b.order {
		numbers = append(numbers, c.number)
		byNumber[c.number] = c
	}
	return b.t.EachRow(ctx, verdictsToEvaluate, func(rows *sql.Rows) error {
		number, v, err := scanVerdict(rows)
		if err == nil {
			byNumber[number].Verdicts[v.Location] = v
		}
		return err
	}, numbers)
}

const writeVerdicts = `-- uptimedb.writeVerdicts
INSERT INTO verdicts (site_id, location, up, at, failing_since, failures, status, reason, pace, pace_since)
SELECT k.site_id, k.location, k.up = 1, k.at, k.since, k.failures, k.status, k.reason, k.pace, k.pace_since
FROM {{rows k(site_id bigint, location bigint, up bigint, at bigint, since bigint, failures bigint, status bigint, reason text, pace bigint, pace_since bigint)}} WHERE true
ON CONFLICT (site_id, location) DO UPDATE SET up = excluded.up, at = excluded.at, failing_since = excluded.failing_since,
    failures = excluded.failures, status = excluded.status, reason = excluded.reason, pace = excluded.pace, pace_since = excluded.pace_since`

func (b *checkBatch) writeVerdicts(ctx context.Context) error {
	var sites, locations, ups, ats, since, failures, statuses, paces, pacesSince []int64
	var reasons []string
	for _, c := range b.order {
		for _, l := range checks.Locations() {
			if !c.verdicts[l] {
				continue
			}
			v := c.Verdicts[l]
			sites, locations, ups = append(sites, c.number), append(locations, locationNumber(l)), append(ups, bit(v.Up))
			ats, since, failures = append(ats, db.Micros(v.At)), append(since, db.Micros(v.FailingSince)), append(failures, v.Failures)
			statuses, reasons = append(statuses, int64(v.Status)), append(reasons, v.Reason)
			paces, pacesSince = append(paces, v.Pace.Run), append(pacesSince, db.Micros(v.Pace.Since))
		}
	}
	return b.t.Each(ctx, writeVerdicts, sites, locations, ups, ats, since, failures, statuses, reasons, paces, pacesSince)
}

// bit encodes a boolean for rows that are passed to a statement.
func bit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
