package uptimedb

import (
	"context"
	"database/sql"
	"fmt"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/store/db"
)

// SitesChanged is the topic of sites that were created, changed, asked for a check, or deleted.
const SitesChanged db.Topic = "sites changed"

// NextRevision takes a number of revisions of sites, and returns the last of them.
const NextRevision = `-- uptimedb.NextRevision
UPDATE site_feed SET revision = revision + $1 RETURNING revision`

// nextRevision takes a number of revisions and returns the last of them. It blocks other transactions that take one until this one ends,
// so it comes after all other locks, except those of status pages.
func (t Tx) nextRevision(ctx context.Context, many int64) (revision int64, err error) {
	t.Wake(SitesChanged)
	if err = t.QueryRowContext(ctx, t.s.db.Text(NextRevision), many).Scan(&revision); err != nil {
		return 0, fmt.Errorf("take a revision: %w", err)
	}
	return revision, nil
}

// SiteFeed is the update of a location's knowledge of sites.
type SiteFeed struct {
	Sites    []checks.Site // to check, in their current state
	Gone     []sett.UUID   // not, or no longer, to check
	Revision int64         // where to continue
	Whole    bool          // these are all its sites: discard everything older
}

var sitesSince = sitesOf + "WHERE s.revision > $1 ORDER BY s.revision"

const tombstonesSince = `-- uptimedb.tombstonesSince
SELECT uuid FROM site_graves WHERE revision > $1 ORDER BY revision`

const siteFeed = `-- uptimedb.siteFeed
SELECT revision, forgotten FROM site_feed`

// SitesSince returns the changes for a location since a revision. It returns everything for revision 0, for one that is so old that
// tombstones since then were dropped, and for one that this database has not reached.
func (s *Store) SitesSince(ctx context.Context, l checks.Location, revision int64) (f SiteFeed, err error) {
	err = s.db.Snapshot(ctx, "read sites", func(q db.Querier) error {
		f = SiteFeed{}
		var forgotten int64
		if err := q.QueryRowContext(ctx, s.db.Text(siteFeed)).Scan(&f.Revision, &forgotten); err != nil {
			return err
		}
		if f.Whole = revision < max(forgotten, 1) || revision > f.Revision; f.Whole {
			revision = 0
		}
		changed, err := s.sites(ctx, q, sitesSince, revision)
		if err != nil {
			return err
		}
		f.sort(l, changed)
		if f.Whole {
			return nil
		}
		return s.listTombstones(ctx, q, &f, revision)
	})
	return f, err
}

// sort separates the sites that a location checks from the others.
func (f *SiteFeed) sort(l checks.Location, changed []numberedSite) {
	for _, n := range changed {
		switch {
		case n.CheckedAt(l):
			f.Sites = append(f.Sites, n.Site)
		case !f.Whole:
			f.Gone = append(f.Gone, n.ID)
		}
	}
}

func (s *Store) listTombstones(ctx context.Context, q db.Querier, f *SiteFeed, revision int64) error {
	rows, err := q.QueryContext(ctx, s.db.Text(tombstonesSince), revision)
	return db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var id []byte
		err := rows.Scan(&id)
		f.Gone = append(f.Gone, sett.UUID(id))
		return err
	})
}
