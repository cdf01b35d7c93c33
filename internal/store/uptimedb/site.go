package uptimedb

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/store/accountdb"
	"sett/internal/store/db"
)

const sitesOf = `-- store.sites
SELECT s.id, s.uuid, s.project_id, s.active, s.frequency, s.timeout, s.outage_threshold, s.locations, s.revision, s.target_revision,
    s.asked_at, s.asked_by, s.created_at, s.updated_at, s.name, s.url, s.match_type, s.match_value, s.request_method, s.validate_ssl,
    s.request_headers, s.request_body, s.follow_redirects, st.state, st.changed_at, st.last_checked_at, st.cert_not_after, st.cert_authority
FROM sites s JOIN site_states st ON st.site_id = s.id `

const (
	listSites     = sitesOf + "WHERE s.project_id = $1 AND s.id > $2 ORDER BY s.id LIMIT $3 OFFSET $4"
	listSitesBack = sitesOf + "WHERE s.project_id = $1 AND s.id <= $2 ORDER BY s.id DESC LIMIT $3 OFFSET $4"
	oneSite       = sitesOf + "WHERE s.project_id = $1 AND s.uuid = $2"
)

// numberedSite is a site with its key in the store, which is also the order of creation.
type numberedSite struct {
	checks.Site
	Number int64
}

// ListSites returns a page of the sites of a project, in order of creation, and its cursors. An invalid cursor is an Invalid error.
func (s *Store) ListSites(ctx context.Context, projectID int64, p sett.Page) (sites []checks.Site, marks sett.Marks, err error) {
	found, marks, err := s.listSites(ctx, s.db.Read, projectID, p)
	for _, n := range found {
		sites = append(sites, n.Site)
	}
	return sites, marks, err
}

func (s *Store) listSites(ctx context.Context, q db.Querier, projectID int64, p sett.Page) (found []numberedSite, marks sett.Marks, err error) {
	var at int64
	statement := listSites
	if p.Back {
		statement = listSitesBack
	}
	if p.Mark != "" {
		if err := db.ParseMark(p.Mark, &at); err != nil {
			return nil, sett.Marks{}, err
		}
	}
	skip, most := p.Rows()
	if found, err = s.sites(ctx, q, statement, projectID, at, most, skip); err != nil {
		return nil, sett.Marks{}, fmt.Errorf("list sites: %w", err)
	}
	found, marks = sett.Cut(p, found, func(n numberedSite) string { return db.FormatMark(n.Number) })
	return found, marks, nil
}

// SiteByID returns a site of a project, or a NotFound error.
func (s *Store) SiteByID(ctx context.Context, projectID int64, id sett.UUID) (checks.Site, error) {
	n, err := s.site(ctx, s.db.Read, projectID, id)
	return n.Site, err
}

func (s *Store) site(ctx context.Context, q db.Querier, projectID int64, id sett.UUID) (numberedSite, error) {
	found, err := s.sites(ctx, q, oneSite, projectID, id[:])
	switch {
	case err != nil:
		return numberedSite{}, fmt.Errorf("find site: %w", err)
	case len(found) == 0:
		return numberedSite{}, sett.Errorf(sett.NotFound, "Site not found")
	}
	return found[0], nil
}

// sites runs a statement that returns the columns of sitesOf.
func (s *Store) sites(ctx context.Context, q db.Querier, statement string, args ...any) (found []numberedSite, err error) {
	rows, err := q.QueryContext(ctx, s.db.Text(statement), args...)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		n, err := s.scanSite(rows)
		found = append(found, n)
		return err
	})
	return found, err
}

func (s *Store) scanSite(rows *sql.Rows) (n numberedSite, err error) {
	var id []byte
	var locations, headers string
	var asked, created, updated, changed, checked, expires int64
	err = rows.Scan(&n.Number, &id, &n.ProjectID, &n.Active, &n.Frequency, &n.Timeout, &n.OutageThreshold, &locations, &n.Revision,
		&n.TargetRevision, &asked, &n.AskedBy, &created, &updated, &n.Name, &n.URL, &n.MatchType, &n.Match, &n.RequestMethod,
		&n.ValidateSSL, &headers, &n.RequestBody, &n.FollowRedirects, &n.State, &changed, &checked, &expires, &n.CertAuthority)
	if err != nil {
		return n, err
	}
	copy(n.ID[:], id)
	n.Locations = splitLocations(locations)
	n.AskedAt, n.CreatedAt, n.UpdatedAt = db.FromMicros(asked), db.FromMicros(created), db.FromMicros(updated)
	n.ChangedAt, n.LastCheckedAt, n.CertWillExpireAt = db.FromMicros(changed), db.FromMicros(checked), db.FromMicros(expires)
	if err := s.db.RevealAll([]any{n.ID}, map[*db.SealedColumn]*string{accountdb.SealedURL: &n.URL, sealedHeaders: &headers, sealedBody: &n.RequestBody}); err != nil {
		return n, err
	}
	if err := json.Unmarshal([]byte(headers), &n.RequestHeaders); err != nil {
		return n, fmt.Errorf("read headers of site %s: %w", n.ID, err)
	}
	return n, nil
}

func joinLocations(locations []checks.Location) string {
	var names []string
	for _, l := range locations {
		names = append(names, string(l))
	}
	return strings.Join(names, ",")
}

func splitLocations(text string) (locations []checks.Location) {
	for _, name := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' }) {
		locations = append(locations, checks.Location(name))
	}
	return locations
}

// locationNumber is the number of a location in tables of checks; 0 if it is unknown.
func locationNumber(l checks.Location) int64 { return int64(slices.Index(checks.Locations(), l) + 1) }

func locationOf(number int64) checks.Location {
	if all := checks.Locations(); number > 0 && int(number) <= len(all) {
		return all[number-1]
	}
	return ""
}
