package uptimedb

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/store/db"
)

const openOutage = `-- uptimedb.openOutage
INSERT INTO outages (site_id, down_at, up_at, created_at, status, reason, headers, location, phase, body)
VALUES ($1, $2, 0, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (site_id) WHERE up_at = 0 DO NOTHING`

func (t Tx) openOutage(ctx context.Context, number int64, o checks.Outage) error {
	headers, err := json.Marshal(o.Headers)
	if err != nil {
		return err
	}
	if o.Body == nil {
		o.Body = []byte{}
	}
	_, err = t.Exec(ctx, openOutage, number, db.Micros(o.DownAt), db.Micros(o.CreatedAt), o.Status, o.Reason, string(headers),
		string(o.Location), string(o.Phase), o.Body)
	return err
}

const closeOutage = `-- uptimedb.closeOutage
UPDATE outages SET up_at = $2 WHERE site_id = $1 AND up_at = 0 RETURNING down_at, created_at, status, reason, headers, location`

// closeOutage ends the open outage of a site, and returns the data for its alert; the zero Outage if there is none.
func (t Tx) closeOutage(ctx context.Context, number int64, at time.Time) (o checks.Outage, err error) {
	var down, created int64
	var headers []byte
	err = t.QueryRowContext(ctx, t.s.db.Text(closeOutage), number, db.Micros(at)).Scan(&down, &created, &o.Status, &o.Reason, &headers, &o.Location)
	if errors.Is(err, sql.ErrNoRows) {
		return checks.Outage{}, nil
	}
	if err != nil {
		return o, err
	}
	o.DownAt, o.UpAt, o.CreatedAt = db.FromMicros(down), at, db.FromMicros(created)
	err = json.Unmarshal(headers, &o.Headers)
	o.Headers = checks.ShownHeaders(o.Headers)
	return o, err
}

// SpanFilter selects rows of a history that were created at or after one time and before another. A zero time sets no bound.
type SpanFilter struct {
	CreatedAfter  time.Time
	CreatedBefore time.Time
	sett.Page
}

// bounds returns the filter's times for the database; before is exclusive.
func (f SpanFilter) bounds() (after, before int64) {
	if before = math.MaxInt64; !f.CreatedBefore.IsZero() {
		before = db.Micros(f.CreatedBefore)
	}
	return db.Micros(f.CreatedAfter), before
}

const outagesOf = `-- uptimedb.outages
SELECT id, down_at, up_at, created_at, status, reason, headers, location, phase, body FROM outages
WHERE site_id = $1 AND created_at >= $2 AND created_at < $3`

const (
	listOutages     = outagesOf + " AND (created_at, id) < ($4, $5) ORDER BY created_at DESC, id DESC LIMIT $6 OFFSET $7"
	listOutagesBack = outagesOf + " AND (created_at, id) >= ($4, $5) ORDER BY created_at, id LIMIT $6 OFFSET $7"
)

// ListOutages returns a page of the outages of a site, newest first, and its cursors. The error is NotFound if the project has no such
// site, and Invalid for an invalid cursor.
func (s *Store) ListOutages(ctx context.Context, projectID int64, siteID sett.UUID, f SpanFilter) (outages []checks.Outage, marks sett.Marks, err error) {
	created, id := int64(math.MaxInt64), int64(math.MaxInt64)
	statement := listOutages
	if f.Back {
		statement = listOutagesBack
	}
	if f.Mark != "" {
		if err := db.ParseMark(f.Mark, &created, &id); err != nil {
			return nil, sett.Marks{}, err
		}
	}
	err = s.db.Snapshot(ctx, "list outages", func(q db.Querier) error {
		number, err := s.siteNumber(ctx, q, projectID, siteID)
		if err != nil {
			return err
		}
		after, before := f.bounds()
		skip, most := f.Rows()
		outages, err = s.outages(ctx, q, siteID, statement, number, after, before, created, id, most, skip)
		outages, marks = sett.Cut(f.Page, outages, func(o checks.Outage) string { return db.FormatMark(db.Micros(o.CreatedAt), o.ID) })
		return err
	})
	return outages, marks, err
}

const siteNumber = `-- uptimedb.siteNumber
SELECT id FROM sites WHERE project_id = $1 AND uuid = $2`

// siteNumber returns the key of a site in the store, or a NotFound error.
func (s *Store) siteNumber(ctx context.Context, q db.Querier, projectID int64, id sett.UUID) (number int64, err error) {
	err = q.QueryRowContext(ctx, s.db.Text(siteNumber), projectID, id[:]).Scan(&number)
	return number, db.NotFound(err, "Site", "find site")
}

// outages runs a statement that returns the columns of outagesOf.
func (s *Store) outages(ctx context.Context, q db.Querier, siteID sett.UUID, statement string, args ...any) (found []checks.Outage, err error) {
	rows, err := q.QueryContext(ctx, s.db.Text(statement), args...)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		o := checks.Outage{SiteID: siteID}
		var down, up, created int64
		var headers []byte
		if err := rows.Scan(&o.ID, &down, &up, &created, &o.Status, &o.Reason, &headers, &o.Location, &o.Phase, &o.Body); err != nil {
			return err
		}
		o.DownAt, o.UpAt, o.CreatedAt = db.FromMicros(down), db.FromMicros(up), db.FromMicros(created)
		if err := json.Unmarshal(headers, &o.Headers); err != nil {
			return fmt.Errorf("read headers of outage %d: %w", o.ID, err)
		}
		o.Headers, o.Body = checks.ShownHeaders(o.Headers), checks.ShownPage(o.Body) // older versions stored them unfiltered
		found = append(found, o)
		return nil
	})
	return found, err
}
