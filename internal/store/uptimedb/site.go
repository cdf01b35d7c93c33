package uptimedb

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/store/accountdb"
	"sett/internal/store/db"
)

// numberedSite is a site with its key in the store, which is also the order of creation.
type numberedSite struct {
	checks.Site
	Number  int64
	headers string // JSON
}

// settings lists the columns that people write and that matter to all who read a site.
func (n *numberedSite) settings() db.Columns {
	return db.Columns{
		db.At("active", &n.Active),
		db.At("frequency", &n.Frequency),
		db.At("timeout", db.DurationIn(&n.Timeout, time.Second)),
		db.At("outage_threshold", &n.OutageThreshold),
		db.At("slow_after", db.DurationIn(&n.SlowAfter, time.Millisecond)),
		db.At("slow_checks", &n.SlowChecks),
		db.At("locations", db.TextIn(&n.Locations, splitLocations, joinLocations)),
		db.At("name", &n.Name),
		db.At("url", &n.URL),
	}
}

// probe lists the other columns that people write. They matter only to those who check the site.
func (n *numberedSite) probe() db.Columns {
	return db.Columns{
		db.At("match_type", (*string)(&n.MatchType)),
		db.At("match_value", &n.Match),
		db.At("request_method", &n.Method),
		db.At("validate_ssl", &n.ValidateSSL),
		db.At("request_headers", &n.headers),
		db.At("request_body", &n.Body),
		db.At("follow_redirects", &n.FollowRedirects),
	}
}

func (n *numberedSite) written() db.Columns { return slices.Concat(n.settings(), n.probe()) }

// record lists the columns that the store writes.
func (n *numberedSite) record() db.Columns {
	return db.Columns{
		db.At("uuid", db.UUIDIn(&n.ID)),
		db.At("project_id", &n.ProjectID),
		db.At("revision", &n.Revision),
		db.At("target_revision", &n.TargetRevision),
		db.At("asked_at", db.TimeIn(&n.AskedAt)),
		db.At("asked_by", (*string)(&n.AskedBy)),
		db.At("created_at", db.TimeIn(&n.CreatedAt)),
		db.At("updated_at", db.TimeIn(&n.UpdatedAt)),
	}
}

// found lists the columns of site_states.
func (n *numberedSite) found() db.Columns {
	return db.Columns{
		db.At("state", (*string)(&n.State)),
		db.At("changed_at", db.TimeIn(&n.ChangedAt)),
		db.At("last_checked_at", db.TimeIn(&n.LastCheckedAt)),
		db.At("slow_since", db.TimeIn(&n.SlowSince)),
		db.At("cert_not_after", db.TimeIn(&n.CertWillExpireAt)),
		db.At("cert_authority", &n.CertAuthority),
	}
}

// inserted lists the columns of a new site.
func (n *numberedSite) inserted() db.Columns { return slices.Concat(n.written(), n.record()) }

var aSite numberedSite // for names of columns

var sitesOf = "-- uptimedb.sites\nSELECT s.id, " + aSite.inserted().Of("s") + ", " + aSite.found().Of("st") +
	" FROM sites s JOIN site_states st ON st.site_id = s.id "

var (
	listSites     = sitesOf + "WHERE s.project_id = $1 AND s.id > $2 ORDER BY s.id LIMIT $3 OFFSET $4"
	listSitesBack = sitesOf + "WHERE s.project_id = $1 AND s.id <= $2 ORDER BY s.id DESC LIMIT $3 OFFSET $4"
	oneSite       = sitesOf + "WHERE s.project_id = $1 AND s.uuid = $2"
)

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
	return s.ReadSite(ctx, s.db.Read, projectID, id)
}

// ReadSite is SiteByID in a snapshot.
func (s *Store) ReadSite(ctx context.Context, q db.Querier, projectID int64, id sett.UUID) (checks.Site, error) {
	n, err := s.site(ctx, q, projectID, id)
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
	scan := s.siteScanner()
	rows, err := q.QueryContext(ctx, s.db.Text(statement), args...)
	return db.Collect(rows, err, scan)
}

// siteScanner returns a function that reads a row of sitesOf.
func (s *Store) siteScanner() func(db.Row) (numberedSite, error) {
	var n numberedSite
	into := slices.Concat(n.inserted(), n.found()).Into(&n.Number)
	return func(row db.Row) (numberedSite, error) {
		if err := row.Scan(into...); err != nil {
			return n, err
		}
		return s.revealed(n)
	}
}

// revealed returns a site with its sealed columns in clear, and its headers.
func (s *Store) revealed(n numberedSite) (numberedSite, error) {
	if err := s.db.RevealAll([]any{n.ID}, map[*db.SealedColumn]*string{accountdb.SealedURL: &n.URL, sealedHeaders: &n.headers, sealedBody: &n.Body}); err != nil {
		return n, err
	}
	if err := json.Unmarshal([]byte(n.headers), &n.Headers); err != nil {
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
