package statusdb

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/status"
	"sett/internal/store/db"
)

// ClaimedDomain is the domain of a status page for the caller to check in DNS now.
type ClaimedDomain struct {
	status.StatusDomain // DueAt is the end of the lease
	page                int64
}

const hasDueDomain = `-- statusdb.hasDueDomain
SELECT EXISTS (SELECT 1 FROM status_pages WHERE domain_due_at > 0 AND (domain_due_at <= $1 OR domain_due_at > $2))`

const dueDomains = `-- statusdb.dueDomains
SELECT number, domain, domain_secret FROM status_pages WHERE domain_due_at > 0 AND (domain_due_at <= $1 OR domain_due_at > $2)
ORDER BY domain_due_at, number LIMIT $3 {{for update skip locked}}`

const claimDomains = `-- statusdb.claimDomains
UPDATE status_pages SET domain_due_at = $2 WHERE number = $1`

// ClaimDomains returns at most limit due domains of status pages, and keeps others from claiming them until the lease ends. A domain
// without a result from RecordDomainLook is then due again.
func (s *Store) ClaimDomains(ctx context.Context, now time.Time, lease time.Duration, limit int) (claimed []ClaimedDomain, err error) {
	latest := db.Micros(status.LatestDomainLook(now))
	var due bool // read without a write transaction: usually there is nothing to do
	if err := s.db.Read.QueryRowContext(ctx, s.db.Text(hasDueDomain), db.Micros(now), latest).Scan(&due); err != nil || !due {
		return nil, s.db.Explain(db.Wrap("look for domains", err))
	}
	err = s.inTx(ctx, "claim domains", func(t Tx) error {
		t.KeepsCaches = true
		claimed = nil
		rows, err := t.QueryContext(ctx, t.s.db.Text(dueDomains), db.Micros(now), latest, limit)
		err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
			c := ClaimedDomain{StatusDomain: status.StatusDomain{DueAt: db.FromMicros(db.Micros(now.Add(lease)))}}
			err := rows.Scan(&c.page, &c.Name, &c.Secret)
			claimed = append(claimed, c)
			return err
		})
		if err != nil {
			return fmt.Errorf("find domains that are due: %w", err)
		}
		for _, c := range claimed {
			if _, err := t.Exec(ctx, claimDomains, c.page, db.Micros(c.DueAt)); err != nil {
				return err
			}
		}
		return nil
	})
	return claimed, err
}

const domainHolder = `-- statusdb.domainHolder
SELECT number FROM status_pages WHERE domain = $1 AND domain_verified_at > 0 AND number <> $2`

// RecordDomainLook stores the result of a check of a claimed domain, unless the page has another domain by now, or the domain was
// requested again or claimed by another process. If several pages are verified for the same domain, the first one keeps it, or the one
// with the better proof (sett.StatusDomain.Yields).
func (s *Store) RecordDomainLook(ctx context.Context, now time.Time, claimed ClaimedDomain, look status.DomainLook) error {
	return s.inTx(ctx, "record check of domain", func(t Tx) error {
		t.KeepsCaches = true
		page, holder, err := t.holdDomain(ctx, claimed)
		if err != nil || page == nil {
			return err
		}
		var changed []int64
		if holder != nil && look.Proof != status.NoProof {
			if !holder.Domain.Yields(look) {
				look = status.DomainLook{Problem: status.TakenDomain}
			} else if err := t.writeDomain(ctx, holder.Number, holder.Domain.Lost(now)); err != nil {
				return err
			} else {
				changed = append(changed, holder.Number)
			}
		}
		after := page.Domain.Looked(look, now)
		if after.Verified() != page.Domain.Verified() {
			changed = append(changed, page.Number)
		}
		if err := t.writeDomain(ctx, page.Number, after); err != nil {
			return err
		}
		return t.BumpPageRevisions(ctx, changed...)
	})
}

// holdDomain locks the page of a claimed domain, and the page for which the same domain is verified, and returns both. It returns no page
// if the claim has ended.
func (t Tx) holdDomain(ctx context.Context, claimed ClaimedDomain) (page, holder *status.StatusPage, err error) {
	others, err := t.s.db.ListIDs(ctx, t, domainHolder, claimed.Name, claimed.page)
	if err != nil {
		return nil, nil, fmt.Errorf("find holder of domain: %w", err)
	}
	for _, number := range slices.Sorted(slices.Values(append(others, claimed.page))) {
		if _, err := t.s.db.ListIDs(ctx, t, holdStatusPage, number); err != nil {
			return nil, nil, fmt.Errorf("hold status page: %w", err)
		}
		found, err := t.s.statusPage(ctx, t, statusPageByNumber, number)
		d := found.Domain
		switch {
		case sett.CodeOf(err) == sett.NotFound: // the page was deleted
		case err != nil:
			return nil, nil, err
		case number != claimed.page && d.Name == claimed.Name && d.Verified():
			holder = &found
		case number == claimed.page && d.Name == claimed.Name && d.Secret == claimed.Secret && d.DueAt.Equal(claimed.DueAt):
			page = &found
		}
	}
	return page, holder, nil
}

const writeDomain = `-- statusdb.writeDomain
UPDATE status_pages SET domain_state = $2, domain_problem = $3, domain_proof = $4, domain_verified_at = $5, domain_checked_at = $6,
    domain_due_at = $7, domain_failing_at = $8
WHERE number = $1`

func (t Tx) writeDomain(ctx context.Context, page int64, d status.StatusDomain) error {
	_, err := t.Exec(ctx, writeDomain, page, string(d.State), d.Problem, string(d.Proof), db.Micros(d.VerifiedAt), db.Micros(d.CheckedAt), db.Micros(d.DueAt), db.Micros(d.FailingAt))
	return db.Wrap("write domain", err)
}
