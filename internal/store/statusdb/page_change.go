package statusdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/status"
	"sett/internal/store/db"
	"sett/internal/store/work"
)

const holdAccount = `-- statusdb.holdAccount
SELECT id FROM accounts WHERE id = $1 {{for no key update}}`

const countStatusPages = `-- statusdb.countStatusPages
SELECT count(*) FROM status_pages WHERE account_id = $1`

// CreateStatusPage creates a status page of an account. The error is NotFound if there is no such account, and Invalid if a field is
// rejected or the account has the maximum number of pages.
func (s *Store) CreateStatusPage(ctx context.Context, now time.Time, accountID string, rules status.StatusPageRules, change status.StatusPageChange) (made status.WatchedStatusPage, err error) {
	err = s.inTx(ctx, "create status page", func(t Tx) error {
		t.KeepsCaches = true
		page, err := t.AddStatusPage(ctx, now, accountID, rules, change)
		if err == nil {
			made, err = s.watchedStatusPage(ctx, t, oneStatusPage, accountID, page.ID)
		}
		return err
	})
	return made, err
}

// AddStatusPage is CreateStatusPage in a transaction.
func (t Tx) AddStatusPage(ctx context.Context, now time.Time, accountID string, rules status.StatusPageRules, change status.StatusPageChange) (page status.StatusPage, err error) {
	if err := t.holdAccountForPage(ctx, accountID); err != nil {
		return page, err
	}
	known, err := t.knownComponents(ctx, accountID, change.Named())
	if err != nil {
		return page, err
	}
	page = status.StatusPage{ID: status.NewStatusPageID(db.RandomOf(ctx)), AccountID: accountID, CreatedAt: now}
	if page, err = t.applyStatusPage(ctx, now, page, rules, change, known); err != nil {
		return page, err
	}
	if page.Number, err = t.insertStatusPage(ctx, page); err != nil {
		return page, err
	}
	if err := t.writeComponents(ctx, page.Number, nil, page.Components); err != nil {
		return page, err
	}
	if err := t.writeLogo(ctx, page, status.StatusLogo{}); err != nil {
		return page, err
	}
	return page, t.statusPageChanged(ctx, now, status.StatusDomain{}, page)
}

// PageNumbered returns the status page with a number, or a NotFound error.
func (t Tx) PageNumbered(ctx context.Context, number int64) (status.StatusPage, error) {
	return t.s.statusPage(ctx, t, statusPageByNumber, number)
}

// holdAccountForPage prevents the creation of other pages of an account, and returns an error unless it may have one more.
func (t Tx) holdAccountForPage(ctx context.Context, accountID string) error {
	var id string
	if err := t.QueryRowContext(ctx, t.s.db.Text(holdAccount), accountID).Scan(&id); err != nil {
		return db.NotFound(err, "Account", "hold account")
	}
	var n int64
	if err := t.QueryRowContext(ctx, t.s.db.Text(countStatusPages), accountID).Scan(&n); err != nil {
		return fmt.Errorf("count status pages: %w", err)
	}
	if n >= status.MaxStatusPages {
		return sett.Errorf(sett.Invalid, "This account has %d status pages, which is the maximum. Delete one that you no longer need.", n)
	}
	return nil
}

const lockStatusPage = `-- statusdb.lockStatusPage
SELECT id FROM status_pages WHERE account_id = $1 AND id = $2 {{for update}}`

// UpdateStatusPage applies a change to a status page. The error is NotFound if the account has no such page, and Invalid if a field is
// rejected.
func (s *Store) UpdateStatusPage(ctx context.Context, now time.Time, accountID, id string, rules status.StatusPageRules, change status.StatusPageChange) error {
	return s.inTx(ctx, "update status page", func(t Tx) error {
		t.KeepsCaches = true
		known, err := t.knownComponents(ctx, accountID, change.Named())
		if err != nil {
			return err
		}
		have, err := t.lockStatusPage(ctx, accountID, id)
		if err != nil {
			return err
		}
		want, err := t.applyStatusPage(ctx, now, have, rules, change, known)
		if err != nil {
			return err
		}
		if want.Slug, err = t.chooseSlug(ctx, want); err != nil {
			return err
		}
		if err := t.updateStatusPage(ctx, want); err != nil {
			return err
		}
		if err := t.writeComponents(ctx, want.Number, have.Components, want.Components); err != nil {
			return err
		}
		if err := t.writeLogo(ctx, want, have.Logo); err != nil {
			return err
		}
		return t.statusPageChanged(ctx, now, have.Domain, want)
	})
}

// lockStatusPage locks a page against changes and returns it. New sites and check-ins of the page must be locked before, as in all
// transactions that change both.
func (t Tx) lockStatusPage(ctx context.Context, accountID, id string) (status.StatusPage, error) {
	if err := t.QueryRowContext(ctx, t.s.db.Text(lockStatusPage), accountID, id).Scan(new(string)); err != nil {
		return status.StatusPage{}, db.NotFound(err, "Status page", "lock status page")
	}
	return t.s.statusPage(ctx, t, oneStatusPage, accountID, id)
}

const (
	takenSlug   = "has already been taken by another status page of this server"
	takenDomain = "has already been verified for another status page of this server"
)

// applyStatusPage applies a change to a page; its error lists all rejected fields.
func (t Tx) applyStatusPage(ctx context.Context, now time.Time, have status.StatusPage, rules status.StatusPageRules, change status.StatusPageChange, known status.KnownComponents) (status.StatusPage, error) {
	var p sett.Problems
	want := change.Apply(&p, have, rules, known, now)
	for _, taken := range []struct{ field, statement, before, after, says string }{
		{"slug", slugTaken, have.Slug, want.Slug, takenSlug},
		{"domain", domainTaken, have.Domain.Name, want.Domain.Name, takenDomain},
	} {
		if taken.after == "" || taken.after == taken.before {
			continue
		}
		var is bool
		if err := t.QueryRowContext(ctx, t.s.db.Text(taken.statement), taken.after, have.Number).Scan(&is); err != nil {
			return want, fmt.Errorf("look for %s of status page: %w", taken.field, err)
		}
		if is {
			p.Add(taken.field, "%s", taken.says)
		}
	}
	return want, p.Refusal()
}

const slugTaken = `-- statusdb.slugTaken
SELECT EXISTS (SELECT 1 FROM status_pages WHERE slug = $1 AND number <> $2)`

// A CNAME only proves which server the domain points to, not which page: a better proof may still come.
const domainTaken = `-- statusdb.domainTaken
SELECT EXISTS (SELECT 1 FROM status_pages WHERE domain = $1 AND domain_verified_at > 0 AND domain_proof <> 'cname' AND number <> $2)`

// chooseSlug returns the slug of a page, or a free one if it has none.
func (t Tx) chooseSlug(ctx context.Context, page status.StatusPage) (string, error) {
	if page.Slug != "" {
		return page.Slug, nil
	}
	slugs := status.StatusSlugs(page.Name)
	for _, slug := range slugs {
		var taken bool
		if err := t.QueryRowContext(ctx, t.s.db.Text(slugTaken), slug, page.Number).Scan(&taken); err != nil {
			return "", fmt.Errorf("look for slug: %w", err)
		}
		if !taken {
			return slug, nil
		}
	}
	return "", fmt.Errorf("all slugs like %s are taken", slugs[0])
}

const insertStatusPage = `-- statusdb.CreateStatusPage
INSERT INTO status_pages (id, account_id, slug, name, hide_branding, features, unlisted, auto_incidents, password_hash, password_key,
    domain, domain_secret, domain_state, domain_problem, domain_verified_at, domain_checked_at, domain_due_at, domain_failing_at, revision,
    created_at, updated_at, language, logo, response_times)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, '', 0, 0, $14, 0, 0, $15, $15, $16, $17, $18)
ON CONFLICT (slug) DO NOTHING RETURNING number`

// insertStatusPage stores a new page and returns its number. If the slug was not chosen by the user and is taken, it tries others.
func (t Tx) insertStatusPage(ctx context.Context, page status.StatusPage) (number int64, err error) {
	slugs := []string{page.Slug}
	if page.Slug == "" {
		slugs = status.StatusSlugs(page.Name)
	}
	d := page.Domain
	key, err := t.Seal(ctx, sealedPageKey, string(page.PasswordKey), page.ID)
	if err != nil {
		return 0, err
	}
	for _, slug := range slugs {
		row := t.QueryRowContext(ctx, t.s.db.Text(insertStatusPage), page.ID, page.AccountID, slug, page.Name, page.HideBranding, db.JSONText(page.Features),
			page.Unlisted, page.AutoIncidents, page.PasswordHash, []byte(key), d.Name, d.Secret, string(d.State), db.Micros(d.DueAt), db.Micros(page.CreatedAt),
			string(page.Language), logoText(page.Logo), page.ResponseTimes)
		if err = row.Scan(&number); !errors.Is(err, sql.ErrNoRows) {
			return number, db.Wrap("insert status page", err)
		}
	}
	return 0, sett.Refuse("slug", takenSlug) // by another transaction just now
}

const updateStatusPage = `-- statusdb.UpdateStatusPage
UPDATE status_pages SET slug = $2, name = $3, hide_branding = $4, features = $5, unlisted = $6, auto_incidents = $7, password_hash = $8,
    password_key = $9, domain = $10, domain_secret = $11, domain_state = $12, domain_problem = $13, domain_verified_at = $14,
    domain_checked_at = $15, domain_due_at = $16, domain_failing_at = $17, updated_at = $18, domain_proof = $19, language = $20, logo = $21, response_times = $22
WHERE number = $1`

func (t Tx) updateStatusPage(ctx context.Context, page status.StatusPage) error {
	d := page.Domain
	key, err := t.Seal(ctx, sealedPageKey, string(page.PasswordKey), page.ID)
	if err != nil {
		return err
	}
	_, err = t.Exec(ctx, updateStatusPage, page.Number, page.Slug, page.Name, page.HideBranding, db.JSONText(page.Features), page.Unlisted,
		page.AutoIncidents, page.PasswordHash, []byte(key), d.Name, d.Secret, string(d.State), d.Problem, db.Micros(d.VerifiedAt),
		db.Micros(d.CheckedAt), db.Micros(d.DueAt), db.Micros(d.FailingAt), db.Micros(page.UpdatedAt), string(d.Proof),
		string(page.Language), logoText(page.Logo), page.ResponseTimes)
	if err != nil && t.s.db.Conflict(err) {
		return sett.Refuse("slug", takenSlug)
	}
	return db.Wrap("update status page", err)
}

// statusPageChanged wakes the domain check if the page has a new domain, and evaluates the automatic incidents of its components.
func (t Tx) statusPageChanged(ctx context.Context, now time.Time, before status.StatusDomain, page status.StatusPage) error {
	if page.Domain.Name != before.Name && page.Domain.Name != "" {
		t.Wake(StatusDomainDue)
	}
	return t.evaluateStatusPages(ctx, now, page.Number)
}

const deleteStatusPage = `-- statusdb.DeleteStatusPage
DELETE FROM status_pages WHERE account_id = $1 AND id = $2`

const deletionOfPage work.Kind = "delete status page"

// pagePieces is how many pieces of a deletion are done before the answer: all, as a page has at most status.MostSubscribers.
const pagePieces = 50

// gonePage is a page that is being deleted.
type gonePage struct {
	AccountID string `json:"account"`
	ID        string `json:"id"`
}

// DeleteStatusPage deletes a status page with its incidents and subscribers, the subscribers first and in pieces. The error is NotFound if
// the account has no such page.
func (s *Store) DeleteStatusPage(ctx context.Context, accountID, id string) error {
	var i work.Item
	err := s.inTx(ctx, "begin to delete status page", func(t Tx) error {
		t.KeepsCaches = true
		number, err := s.db.ListIDs(ctx, t, numberOfPage, accountID, id)
		if err == nil && len(number) == 0 {
			err = sett.Errorf(sett.NotFound, "Status page not found")
		}
		if err == nil {
			i, err = s.work.In(t.Tx).Add(ctx, deletionOfPage, 0, gonePage{accountID, id})
		}
		return err
	})
	if err != nil {
		return err
	}
	_, err = s.work.Begin(ctx, i, pagePieces, nil)
	return err
}

const numberOfPage = `-- statusdb.numberOfPage
SELECT number FROM status_pages WHERE account_id = $1 AND id = $2 {{for update}}`

const sweepSubscribers = `-- statusdb.sweepSubscribers
DELETE FROM status_subscribers WHERE id IN (SELECT s.id FROM status_pages p JOIN status_subscribers s ON s.page = p.number
    WHERE p.account_id = $1 AND p.id = $2 LIMIT $3)`

// continuePage deletes what is left of a page.
func (s *Store) continuePage(ctx context.Context, i work.Item) error {
	var gone gonePage
	if err := i.Read(&gone); err != nil {
		return err
	}
	err := s.db.Sweep(ctx, "delete subscribers", db.RowsAtOnce, func(t *db.Tx) (int64, error) {
		t.KeepsCaches = true
		return t.Changed(ctx, sweepSubscribers, gone.AccountID, gone.ID, db.RowsAtOnce)
	})
	if err != nil {
		return err
	}
	return s.inTx(ctx, "delete status page", func(t Tx) error {
		t.KeepsCaches = true
		_, err := t.Exec(ctx, deleteStatusPage, gone.AccountID, gone.ID)
		t.pages().removed = true
		return err
	})
}

const askDomain = `-- statusdb.AskDomain
UPDATE status_pages SET domain_due_at = $2, domain_failing_at = CASE WHEN domain_verified_at = 0 THEN 0 ELSE domain_failing_at END,
    domain_state = CASE WHEN domain_state = 'failed' THEN 'pending' ELSE domain_state END
WHERE number = $1`

// AskDomain makes the DNS check of a status page's domain due now; if the domain is not verified, it is then checked as often as a new
// one. The error is NotFound if the account has no such page, and Invalid if the page has no domain.
func (s *Store) AskDomain(ctx context.Context, now time.Time, accountID, id string) error {
	return s.inTx(ctx, "ask domain", func(t Tx) error {
		t.KeepsCaches = true
		page, err := t.lockStatusPage(ctx, accountID, id)
		switch {
		case err != nil:
			return err
		case page.Domain.Name == "":
			return sett.Errorf(sett.Invalid, "This status page has no domain. Add one: sett then checks it automatically.")
		}
		t.Wake(StatusDomainDue)
		_, err = t.Exec(ctx, askDomain, page.Number, db.Micros(now))
		return err
	})
}
