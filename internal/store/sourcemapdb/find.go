package sourcemapdb

import (
	"context"
	"database/sql"
	"time"

	"sett/internal/event/sourcemap"
	"sett/internal/store/db"
)

// Found is a stored map.
type Found struct {
	ID, FileID         int64
	FunctionsID        int64 // the file with the table of functions; 0: none
	DebugID, Revision  string
	URL                string // or a pattern
	Bytes              int64  // of the map
	Sources, Contained int64
	UploadedAt, UsedAt time.Time // UsedAt to the day
}

const foundColumns = `m.id, m.file_id, m.debug_id, m.revision, m.url, f.bytes, m.sources, m.contained, m.created_at, m.used_at,
    coalesce((SELECT x.file_id FROM source_map_files x WHERE x.map_id = m.id AND x.url = '` + functionsURL + `'), 0)`

func scanFound(row db.Row) (f Found, err error) {
	var uploaded, used int64
	err = row.Scan(&f.ID, &f.FileID, &f.DebugID, &f.Revision, &f.URL, &f.Bytes, &f.Sources, &f.Contained, &uploaded, &used, &f.FunctionsID)
	f.UploadedAt, f.UsedAt = db.FromMicros(uploaded), db.FromMicros(used)
	return f, err
}

func (s *Store) found(ctx context.Context, text string, args ...any) (all []Found, err error) {
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(text), args...)
	all, err = db.Collect(rows, err, scanFound)
	return all, s.db.Explain(db.Wrap("find source maps", err))
}

// DefaultRevision is the revision of uploads and events that name none.
const DefaultRevision = "master"

const byDebugID = `-- sourcemapdb.byDebugID
SELECT ` + foundColumns + ` FROM source_maps m JOIN source_files f ON f.id = m.file_id
WHERE m.project_id = $1 AND m.debug_id = $2 ORDER BY m.id DESC LIMIT 1`

// mostPatterns is how many URLs with wildcards of a revision are looked at, the newest.
const mostPatterns = 500

const byURL = `-- sourcemapdb.byURL
SELECT * FROM (
    SELECT ` + foundColumns + ` FROM source_maps m JOIN source_files f ON f.id = m.file_id
    WHERE m.project_id = $1 AND m.revision = $2 AND m.url IN ($3, $4) AND NOT m.wild ORDER BY m.id DESC LIMIT 4) exact
UNION ALL SELECT * FROM (
    SELECT ` + foundColumns + ` FROM source_maps m JOIN source_files f ON f.id = m.file_id
    WHERE m.project_id = $1 AND m.revision = $2 AND m.wild ORDER BY m.id DESC LIMIT $5) wild`

// Find returns the map of a minified file: by its debug id, else by its revision and URL, else by its URL in DefaultRevision. Of several
// with the same debug id or URL it is the newest.
func (s *Store) Find(ctx context.Context, project int64, debugID, revision, url string) (f Found, ok bool, err error) {
	if debugID != "" {
		all, err := s.found(ctx, byDebugID, project, debugID)
		if err != nil || len(all) > 0 {
			return append(all, f)[0], len(all) > 0, err
		}
	}
	revisions := []string{revision, DefaultRevision}
	if revision == "" || revision == DefaultRevision {
		revisions = revisions[1:]
	}
	clean := sourcemap.CleanURL(url)
	for _, revision := range revisions {
		all, err := s.found(ctx, byURL, project, revision, clean, sourcemap.AnyHost(clean), mostPatterns)
		if err != nil {
			return f, false, err
		}
		if best := sourcemap.Best(patterns(all), clean); best >= 0 {
			return all[best], true, nil
		}
	}
	return f, false, nil
}

func patterns(all []Found) (patterns []sourcemap.Pattern) {
	for _, f := range all {
		patterns = append(patterns, sourcemap.Pattern(f.URL))
	}
	return patterns
}

const someURLs = `-- sourcemapdb.URLs
SELECT url FROM source_maps WHERE project_id = $1 AND revision = $2 ORDER BY id DESC LIMIT 200`

// URLs returns URLs and patterns that were uploaded for a revision, newest first and not all if there are many.
func (s *Store) URLs(ctx context.Context, project int64, revision string) (urls []string, err error) {
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(someURLs), project, revision)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var url string
		err := rows.Scan(&url)
		urls = append(urls, url)
		return err
	})
	return urls, s.db.Explain(db.Wrap("list URLs of source maps", err))
}

const findMapFile = `-- sourcemapdb.MapFile
SELECT f.file_id FROM source_map_files f JOIN source_maps m ON m.id = f.map_id WHERE m.project_id = $1 AND m.id = $2 AND f.url = $3`

// OriginalFile returns an original file that was uploaded with a map, by its URL.
func (s *Store) OriginalFile(ctx context.Context, project, mapID int64, url string) (file []byte, ok bool, err error) {
	ids, err := s.db.ListIDs(ctx, s.db.Read, findMapFile, project, mapID, url)
	if err != nil || len(ids) == 0 {
		return nil, false, s.db.Explain(db.Wrap("find original file", err))
	}
	file, err = s.File(ctx, project, ids[0])
	return file, err == nil, err
}

const touchMap = `-- sourcemapdb.Touch
UPDATE source_maps SET used_at = $3 WHERE project_id = $1 AND id = $2 AND used_at < $3`

// Touch notes that a map was used, so that it is kept. It writes once a day.
func (s *Store) Touch(ctx context.Context, now time.Time, project int64, f Found) error {
	if db.Micros(f.UsedAt) >= day(now) {
		return nil
	}
	return s.inTx(ctx, "note use of source map", func(t Tx) error {
		_, err := t.Exec(ctx, touchMap, project, f.ID, day(now))
		return err
	})
}
