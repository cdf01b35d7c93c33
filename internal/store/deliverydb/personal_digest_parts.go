package deliverydb

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/store/db"
)

// digestReader reads the parts of a personal digest.
type digestReader struct {
	s        *Store
	q        db.Querier
	project  int64
	from, to time.Time
}

// readPart runs a statement with the project and the times as its first arguments. The first column of its rows is the total count.
func readPart[T any](ctx context.Context, r digestReader, statement string, scan func(rows *sql.Rows, count *int64) (T, error), more ...any) (part alerts.DigestPart[T], err error) {
	args := append([]any{r.project, db.Micros(r.from), db.Micros(r.to)}, more...)
	rows, err := r.q.QueryContext(ctx, r.s.db.Text(statement), args...)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		row, err := scan(rows, &part.Count)
		part.Rows = append(part.Rows, row)
		return err
	})
	return part, err
}

func scanDigestFault(rows *sql.Rows, count *int64) (f alerts.DigestFault, err error) {
	err = rows.Scan(count, &f.ID, &f.Class, &f.Message, &f.Environment, &f.Notices)
	return f, err
}

// firstLines ends a statement of which a digest shows only the first rows.
var firstLines = fmt.Sprint(" LIMIT ", alerts.DigestLines)

// audibleIn holds if an environment of project $1 is not muted.
func audibleIn(environment string) string {
	return ` NOT EXISTS (SELECT 1 FROM environments e WHERE e.project_id = $1 AND e.name = ` + environment + ` AND NOT e.notifications)`
}

var faultsMadeIn = `-- deliverydb.digest new faults
SELECT count(*) OVER (), f.id, f.class, f.message, f.environment, coalesce(c.notices_count, 0)
FROM faults f LEFT JOIN fault_counts c ON c.fault_id = f.id
WHERE f.project_id = $1 AND f.created_at >= $2 AND f.created_at < $3 AND NOT f.ignored AND` + audibleIn("f.environment") + `
ORDER BY 6 DESC, f.id` + firstLines

func (r digestReader) faultsMade(ctx context.Context, d *alerts.PersonalDigest) (err error) {
	d.New, err = readPart(ctx, r, faultsMadeIn, scanDigestFault)
	return err
}

var resolvedIn = `-- deliverydb.digest resolved faults
SELECT count(*) OVER (), f.id, f.class, f.message, f.environment, CAST(0 AS bigint)
FROM comments c JOIN faults f ON f.id = c.fault_id
WHERE f.project_id = $1 AND c.created_at >= $2 AND c.created_at < $3 AND c.event = 'resolved' AND f.resolved AND NOT f.ignored
    AND` + audibleIn("f.environment") + `
GROUP BY f.id, f.class, f.message, f.environment ORDER BY max(c.id) DESC` + firstLines

func (r digestReader) resolved(ctx context.Context, d *alerts.PersonalDigest) (err error) {
	d.Resolved, err = readPart(ctx, r, resolvedIn, scanDigestFault)
	return err
}

var outagesIn = `-- deliverydb.digest outages
SELECT count(*) OVER (), s.uuid, s.name, o.down_at, CASE WHEN o.up_at < $3 THEN o.up_at ELSE 0 END, o.reason
FROM sites s JOIN outages o ON o.site_id = s.id
WHERE s.project_id = $1 AND o.down_at < $3 AND (o.up_at = 0 OR o.up_at >= $2) ORDER BY o.down_at DESC, o.id DESC` + firstLines

func (r digestReader) outages(ctx context.Context, d *alerts.PersonalDigest) (err error) {
	d.Outages, err = readPart(ctx, r, outagesIn, func(rows *sql.Rows, count *int64) (o alerts.DigestOutage, err error) {
		var id []byte
		var down, up int64
		if err = rows.Scan(count, &id, &o.Site, &down, &up, &o.Reason); err == nil {
			o.SiteID, o.DownAt, o.UpAt = sett.UUID(id).String(), db.FromMicros(down), db.FromMicros(up)
		}
		return o, err
	})
	return err
}

// A payload begins with what says that the job failed, and quotation marks in its texts are escaped. Must match checks.PingPayload.Failed.
const failedReport = `(e.kind = 'reported' AND (e.payload LIKE '{"status":"error"%' OR substr(e.payload, 1, 160) LIKE '%"exit_code":%'
    AND substr(e.payload, 1, 160) NOT LIKE '%"exit_code":0,%' AND substr(e.payload, 1, 160) NOT LIKE '%"exit_code":0}%'))`

var missedIn = `-- deliverydb.digest missed check-ins
SELECT count(*) OVER (), c.id, coalesce(nullif(c.name, ''), c.slug), count(CASE WHEN e.kind = 'missing' THEN 1 END), count(CASE WHEN e.kind = 'reported' THEN 1 END)
FROM check_ins c JOIN check_in_events e ON e.check_in = c.number
WHERE c.project_id = $1 AND (e.kind = 'missing' OR ` + failedReport + `) AND e.at >= $2 AND e.at < $3
GROUP BY c.number, c.id, c.name, c.slug ORDER BY count(*) DESC, c.number` + firstLines

func (r digestReader) missed(ctx context.Context, d *alerts.PersonalDigest) (err error) {
	d.Missed, err = readPart(ctx, r, missedIn, func(rows *sql.Rows, count *int64) (m alerts.DigestMiss, err error) {
		err = rows.Scan(count, &m.CheckInID, &m.CheckIn, &m.Count, &m.Failed)
		return m, err
	})
	return err
}

var deploysIn = `-- deliverydb.digest deploys
SELECT count(*) OVER (), d.environment, d.revision, d.local_username, d.created_at FROM deploys d
WHERE d.project_id = $1 AND d.created_at >= $2 AND d.created_at < $3 AND` + audibleIn("d.environment") + `
ORDER BY d.created_at DESC, d.id DESC` + firstLines

func (r digestReader) deploys(ctx context.Context, d *alerts.PersonalDigest) (err error) {
	d.Deploys, err = readPart(ctx, r, deploysIn, func(rows *sql.Rows, count *int64) (p alerts.DigestDeploy, err error) {
		var at int64
		err = rows.Scan(count, &p.Environment, &p.Revision, &p.By, &at)
		p.At = db.FromMicros(at)
		return p, err
	})
	return err
}
