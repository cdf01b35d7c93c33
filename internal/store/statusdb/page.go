package statusdb

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"sett/internal/sett"
	"sett/internal/sett/status"
	"sett/internal/store/db"
)

// The topics of status pages.
const (
	StatusChanged   db.Topic = "status changed"    // the content of a page has changed
	StatusPublished db.Topic = "status published"  // subscribers have to be notified of an incident's update
	StatusDomainDue db.Topic = "status domain due" // a domain has to be looked up in DNS
)

const statusPagesOf = `-- statusdb.statusPages
SELECT number, id, account_id, slug, name, hide_branding, features, unlisted, auto_incidents, password_hash, password_key, domain,
    domain_secret, domain_state, domain_problem, domain_proof, domain_verified_at, domain_checked_at, domain_due_at, domain_failing_at, revision,
    created_at, updated_at, language, logo, response_times
FROM status_pages `

const (
	listStatusPages     = statusPagesOf + "WHERE account_id = $1 AND number > $2 ORDER BY number LIMIT $3 OFFSET $4"
	listStatusPagesBack = statusPagesOf + "WHERE account_id = $1 AND number <= $2 ORDER BY number DESC LIMIT $3 OFFSET $4"
	oneStatusPage       = statusPagesOf + "WHERE account_id = $1 AND id = $2"
)

// StatusPageByID returns a status page of an account with its components, or a NotFound error.
func (s *Store) StatusPageByID(ctx context.Context, accountID, id string) (status.StatusPage, error) {
	page, err := s.WatchedStatusPage(ctx, accountID, id)
	return page.StatusPage, err
}

// WatchedStatusPage is StatusPageByID with the states of the components.
func (s *Store) WatchedStatusPage(ctx context.Context, accountID, id string) (page status.WatchedStatusPage, err error) {
	err = s.db.Snapshot(ctx, "find status page", func(q db.Querier) error {
		page, err = s.watchedStatusPage(ctx, q, oneStatusPage, accountID, id)
		return err
	})
	return page, err
}

// ListStatusPages returns a page of the status pages of an account, in order of creation, and its cursors. An invalid cursor is an
// Invalid error.
func (s *Store) ListStatusPages(ctx context.Context, accountID string, p sett.Page) (pages []status.WatchedStatusPage, marks sett.Marks, err error) {
	var at int64
	statement := listStatusPages
	if p.Back {
		statement = listStatusPagesBack
	}
	if p.Mark != "" {
		if err := db.ParseMark(p.Mark, &at); err != nil {
			return nil, sett.Marks{}, err
		}
	}
	skip, most := p.Rows()
	err = s.db.Snapshot(ctx, "list status pages", func(q db.Querier) error {
		pages, err = s.watchedStatusPages(ctx, q, statement, accountID, at, most, skip)
		return err
	})
	if err != nil {
		return nil, sett.Marks{}, err
	}
	pages, marks = sett.Cut(p, pages, func(page status.WatchedStatusPage) string { return db.FormatMark(page.Number) })
	return pages, marks, nil
}

// statusPage runs a statement that returns the columns of statusPagesOf for one page, and reads its components.
func (s *Store) statusPage(ctx context.Context, q db.Querier, statement string, args ...any) (status.StatusPage, error) {
	page, err := s.watchedStatusPage(ctx, q, statement, args...)
	return page.StatusPage, err
}

// watchedStatusPage is statusPage with the states of the components.
func (s *Store) watchedStatusPage(ctx context.Context, q db.Querier, statement string, args ...any) (status.WatchedStatusPage, error) {
	page, _, err := s.pageAndComponents(ctx, q, statement, args...)
	return page, err
}

// pageAndComponents is pagesAndComponents for one page.
func (s *Store) pageAndComponents(ctx context.Context, q db.Querier, statement string, args ...any) (status.WatchedStatusPage, []watchedComponent, error) {
	pages, components, err := s.pagesAndComponents(ctx, q, statement, args...)
	switch {
	case err != nil:
		return status.WatchedStatusPage{}, nil, err
	case len(pages) == 0:
		return status.WatchedStatusPage{}, nil, sett.Errorf(sett.NotFound, "Status page not found")
	}
	return pages[0], components[pages[0].Number], nil
}

// watchedStatusPages runs a statement that returns the columns of statusPagesOf, and reads the components of the pages.
func (s *Store) watchedStatusPages(ctx context.Context, q db.Querier, statement string, args ...any) ([]status.WatchedStatusPage, error) {
	pages, _, err := s.pagesAndComponents(ctx, q, statement, args...)
	return pages, err
}

// pagesAndComponents is watchedStatusPages with the components as statusComponents returns them.
func (s *Store) pagesAndComponents(ctx context.Context, q db.Querier, statement string, args ...any) (pages []status.WatchedStatusPage, components map[int64][]watchedComponent, err error) {
	var numbers []int64
	rows, err := q.QueryContext(ctx, s.db.Text(statement), args...)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		p, err := s.scanStatusPage(rows)
		pages, numbers = append(pages, status.WatchedStatusPage{StatusPage: p}), append(numbers, p.Number)
		return err
	})
	if err != nil {
		return nil, nil, fmt.Errorf("read status pages: %w", err)
	}
	if components, err = s.statusComponents(ctx, q, numbers); err != nil {
		return nil, nil, fmt.Errorf("read components of status pages: %w", err)
	}
	for i, p := range pages {
		for _, c := range components[p.Number] {
			pages[i].Components = append(pages[i].Components, c.StatusComponent)
			pages[i].Watched = append(pages[i].Watched, c.WatchedComponent)
		}
	}
	return pages, components, nil
}

func (s *Store) scanStatusPage(rows *sql.Rows) (p status.StatusPage, err error) {
	var features, logo string
	var verified, checked, due, failing, created, updated int64
	d := &p.Domain
	err = rows.Scan(&p.Number, &p.ID, &p.AccountID, &p.Slug, &p.Name, &p.HideBranding, &features, &p.Unlisted, &p.AutoIncidents,
		&p.PasswordHash, &p.PasswordKey, &d.Name, &d.Secret, &d.State, &d.Problem, &d.Proof, &verified, &checked, &due, &failing, &p.Revision,
		&created, &updated, &p.Language, &logo, &p.ResponseTimes)
	if err != nil {
		return p, err
	}
	d.VerifiedAt, d.CheckedAt, d.DueAt, d.FailingAt = db.FromMicros(verified), db.FromMicros(checked), db.FromMicros(due), db.FromMicros(failing)
	p.CreatedAt, p.UpdatedAt = db.FromMicros(created), db.FromMicros(updated)
	if err := json.Unmarshal([]byte(features), &p.Features); err != nil {
		return p, fmt.Errorf("read features of status page %s: %w", p.ID, err)
	}
	if logo != "" {
		if err := json.Unmarshal([]byte(logo), &p.Logo); err != nil {
			return p, fmt.Errorf("read logo of status page %s: %w", p.ID, err)
		}
	}
	key, err := s.db.Reveal(sealedPageKey, string(p.PasswordKey), p.ID)
	p.PasswordKey = []byte(key)
	return p, err
}

// watchedComponent is a component with the state of its site or check-in.
type watchedComponent struct {
	status.WatchedComponent
	number int64 // of its site or check-in
}

// nameOfComponent is the displayed name of a component, which is a site or a check-in.
const nameOfComponent = `coalesce(nullif(c.display_name, ''), s.name, nullif(ci.name, ''), nullif(ci.slug, ''), '')`

const componentsOfPages = `-- statusdb.statusComponents
SELECT c.page, c.id, c.display_name, c.description, c.group_name, s.uuid, coalesce(ci.id, ''), coalesce(s.id, ci.number), ` + nameOfComponent + `,
    coalesce(s.active, true), coalesce(st.state, ci.state),
    coalesce(st.last_checked_at, ci.reported_at), coalesce(s.project_id, ci.project_id)
FROM status_components c
LEFT JOIN sites s ON s.id = c.site_id LEFT JOIN site_states st ON st.site_id = s.id LEFT JOIN check_ins ci ON ci.number = c.check_in
WHERE c.page IN `

// statusComponents returns the components of pages, by page number and in order, without their days. Their states are the measured ones:
// incidents are ignored.
func (s *Store) statusComponents(ctx context.Context, q db.Querier, pages []int64) (map[int64][]watchedComponent, error) {
	of := map[int64][]watchedComponent{}
	if len(pages) == 0 {
		return of, nil
	}
	list, args := db.In(s.db, 1, pages)
	rows, err := q.QueryContext(ctx, s.db.Text(componentsOfPages+list+" ORDER BY c.page, c.position, c.id"), args...)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var page int64
		c, err := scanComponent(rows, &page)
		of[page] = append(of[page], c)
		return err
	})
	return of, err
}

func scanComponent(rows *sql.Rows, page *int64) (c watchedComponent, err error) {
	var site []byte
	var active bool
	var seen int64
	err = rows.Scan(page, &c.ID, &c.DisplayName, &c.Description, &c.Group, &site, &c.CheckInID, &c.number, &c.Name, &active, &c.Found, &seen, &c.ProjectID)
	if err != nil {
		return c, err
	}
	copy(c.SiteID[:], site)
	c.Name, c.SeenAt = status.VisitorName(c.Name), db.FromMicros(seen)
	if c.IsSite() {
		c.State = status.SiteComponentState(active, sett.SiteState(c.Found))
	} else {
		c.State = status.CheckInComponentState(sett.CheckInState(c.Found))
		c.Failing = sett.CheckInState(c.Found) == sett.CheckInFailing
	}
	return c, nil
}
