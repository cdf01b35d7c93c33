package statusdb

import (
	"context"
	"database/sql"
	"fmt"

	"sett/internal/store/db"
)

// StatusEntry is the location of a status page, and the revision of its content.
type StatusEntry struct {
	ID       string
	Slug     string
	Domain   string // verified; "" for none
	Revision int64
}

// StatusDirectory lists the locations of status pages.
type StatusDirectory struct {
	Revision int64 // the newest one that Entries may contain; pass it to the next call of StatusDirectory
	Whole    bool  // Entries contains all pages
	Entries  []StatusEntry
}

const statusFeed = `-- statusdb.statusFeed
SELECT revision, removed FROM status_feed`

const statusEntries = `-- statusdb.StatusDirectory
SELECT id, slug, CASE WHEN domain_verified_at > 0 THEN domain ELSE '' END, revision FROM status_pages `

// ChangedStatusEntries reads the entries that have changed since a revision.
const (
	allStatusEntries     = statusEntries + "ORDER BY number"
	ChangedStatusEntries = statusEntries + "WHERE revision > $1 ORDER BY revision, number"
)

// StatusDirectory returns the status pages of the server that have changed since a revision, or all pages if one was deleted since; 0
// returns all. If nothing has changed, it takes one statement, however many pages there are.
func (s *Store) StatusDirectory(ctx context.Context, since int64) (d StatusDirectory, err error) {
	var removed int64
	if err := s.db.Read.QueryRowContext(ctx, s.db.Text(statusFeed)).Scan(&d.Revision, &removed); err != nil {
		return d, fmt.Errorf("look for changes of status pages: %w", err)
	}
	if d.Revision == since {
		return d, nil
	}
	statement, args := ChangedStatusEntries, []any{since}
	if d.Whole = since == 0 || since < removed || since > d.Revision; d.Whole { // the last condition: a backup of the database was restored
		statement, args = allStatusEntries, nil
	}
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(statement), args...)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var e StatusEntry
		err := rows.Scan(&e.ID, &e.Slug, &e.Domain, &e.Revision)
		d.Entries = append(d.Entries, e)
		return err
	})
	if err != nil {
		return d, fmt.Errorf("list addresses of status pages: %w", err)
	}
	return d, nil
}
