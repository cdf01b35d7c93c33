package sourcemapdb

import (
	"context"
	"database/sql"
	"math"
	"time"

	"sett/internal/sett"
	"sett/internal/store/db"
)

// Revision is a revision with source maps.
type Revision struct {
	Name       string // "": maps that are found by their debug id alone
	Maps       int64
	Bytes      int64 // of the maps, before they are compressed
	UploadedAt time.Time
	UsedAt     time.Time // to the day
}

const listRevisions = `-- sourcemapdb.Revisions
SELECT m.revision, count(*), CAST(sum(f.bytes) AS bigint), max(m.created_at), max(m.used_at)
FROM source_maps m JOIN source_files f ON f.id = m.file_id WHERE m.project_id = $1
GROUP BY m.revision ORDER BY max(m.created_at) DESC, m.revision LIMIT $2`

// Revisions returns the revisions of a project that have source maps, those with the latest uploads first.
func (s *Store) Revisions(ctx context.Context, project int64, most int) (all []Revision, err error) {
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(listRevisions), project, most)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var r Revision
		var uploaded, used int64
		err := rows.Scan(&r.Name, &r.Maps, &r.Bytes, &uploaded, &used)
		r.UploadedAt, r.UsedAt = db.FromMicros(uploaded), db.FromMicros(used)
		all = append(all, r)
		return err
	})
	return all, s.db.Explain(db.Wrap("list revisions of source maps", err))
}

const mapsOf = `SELECT ` + foundColumns + ` FROM source_maps m JOIN source_files f ON f.id = m.file_id WHERE m.project_id = $1 `

const (
	listMaps       = "-- sourcemapdb.List\n" + mapsOf + "AND m.id < $2 ORDER BY m.id DESC LIMIT $3 OFFSET $4"
	listMapsBack   = "-- sourcemapdb.List\n" + mapsOf + "AND m.id >= $2 ORDER BY m.id LIMIT $3 OFFSET $4"
	listMapsOf     = "-- sourcemapdb.List\n" + mapsOf + "AND m.id < $2 AND m.revision = $5 ORDER BY m.id DESC LIMIT $3 OFFSET $4"
	listMapsOfBack = "-- sourcemapdb.List\n" + mapsOf + "AND m.id >= $2 AND m.revision = $5 ORDER BY m.id LIMIT $3 OFFSET $4"
)

// List returns a page of the maps of a project, or of one of its revisions, the newest first, and its cursors. An invalid cursor is an
// Invalid error.
func (s *Store) List(ctx context.Context, project int64, revision sett.Optional[string], p sett.Page) (found []Found, marks sett.Marks, err error) {
	at := int64(math.MaxInt64)
	if p.Mark != "" {
		if err := db.ParseMark(p.Mark, &at); err != nil {
			return nil, sett.Marks{}, err
		}
	}
	statement := map[bool]string{false: listMaps, true: listMapsBack}[p.Back]
	skip, most := p.Rows()
	args := []any{project, at, most, skip}
	if revision.Sent {
		statement, args = map[bool]string{false: listMapsOf, true: listMapsOfBack}[p.Back], append(args, revision.Value)
	}
	found, err = s.found(ctx, statement, args...)
	found, marks = sett.Cut(p, found, func(f Found) string { return db.FormatMark(f.ID) })
	return found, marks, err
}
