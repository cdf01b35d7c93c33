package accountdb

import (
	"context"
	"fmt"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/directory"
	"sett/internal/store/db"
)

const domainsOf = `-- accountdb.Domains
SELECT domain, proof, verified_at FROM domains WHERE account_id = $1 ORDER BY domain`

// Domains returns the domains of an account by name, with those that it has not verified yet.
func (s *Store) Domains(ctx context.Context, accountID string) ([]directory.Domain, error) {
	return s.readDomains(ctx, s.db.Read, accountID)
}

func (s *Store) readDomains(ctx context.Context, q db.Querier, accountID string) ([]directory.Domain, error) {
	rows, err := q.QueryContext(ctx, s.db.Text(domainsOf), accountID)
	domains, err := db.Collect(rows, err, func(r db.Row) (d directory.Domain, err error) {
		var at int64
		err = r.Scan(&d.Name, &d.Proof, &at)
		d.VerifiedAt = db.FromMicros(at)
		return d, err
	})
	if err != nil {
		return nil, fmt.Errorf("list domains: %w", err)
	}
	return domains, nil
}

const addDomain = `-- accountdb.AddDomain
INSERT INTO domains (account_id, domain, proof, verified_at) VALUES ($1, $2, $3, 0) ON CONFLICT (account_id, domain) DO NOTHING`

// AddDomain adds a domain that the account has yet to verify. One that it has already stays as it is.
func (s *Store) AddDomain(ctx context.Context, accountID string, d directory.Domain) error {
	return s.inTx(ctx, "add domain", func(t Tx) error {
		if err := t.lockAccount(ctx, accountID); err != nil {
			return err
		}
		has, err := s.readDomains(ctx, t, accountID)
		if err != nil {
			return err
		}
		if len(has) >= directory.MostDomains {
			return sett.Errorf(sett.Invalid, "An account has at most %d domains. Remove one first.", directory.MostDomains)
		}
		_, err = t.Exec(ctx, addDomain, accountID, d.Name, d.Proof)
		return err
	})
}

const verifyDomain = `-- accountdb.VerifyDomain
UPDATE domains SET verified_at = $3 WHERE account_id = $1 AND domain = $2 AND verified_at = 0`

// VerifyDomain records that the proof of a domain was found. The error is Conflict if another account has verified it.
func (s *Store) VerifyDomain(ctx context.Context, now time.Time, accountID, domain string) error {
	return s.inTx(ctx, "verify domain", func(t Tx) error {
		_, err := t.Exec(ctx, verifyDomain, accountID, domain, db.Micros(now))
		if err != nil && t.s.db.Conflict(err) {
			return sett.Errorf(sett.Conflict, "Another account of this server has verified %s. Remove it there first.", domain)
		}
		return err
	})
}

const removeDomain = `-- accountdb.RemoveDomain
DELETE FROM domains WHERE account_id = $1 AND domain = $2`

// RemoveDomain removes a domain of an account. People who are in the account stay.
func (s *Store) RemoveDomain(ctx context.Context, accountID, domain string) error {
	return s.inTx(ctx, "remove domain", func(t Tx) error {
		_, err := t.Exec(ctx, removeDomain, accountID, domain)
		return err
	})
}

const hasDomain = `-- accountdb.hasDomain
SELECT EXISTS (SELECT 1 FROM domains WHERE account_id = $1 AND domain = $2 AND verified_at > 0)`

// checkDomain returns a Forbidden error for an address outside of the domains that the account has verified.
func (t Tx) checkDomain(ctx context.Context, accountID, address string) error {
	var has bool
	domain := directory.DomainOf(address)
	if err := t.QueryRowContext(ctx, t.s.db.Text(hasDomain), accountID, domain).Scan(&has); err != nil {
		return fmt.Errorf("find domain: %w", err)
	}
	if !has {
		return sett.Errorf(sett.Forbidden, "The account has not verified the domain %s. An owner can verify it on the page Directory of the account's settings.", domain)
	}
	return nil
}

const accountOfDomain = `-- accountdb.AccountOfDomain
SELECT d.account_id FROM domains d JOIN directories s ON s.account_id = d.account_id
WHERE d.domain = $1 AND d.verified_at > 0 AND s.metadata <> ''`

// AccountOfDomain returns the account that has verified a domain and signs its people in by SAML; the error is NotFound if none does.
func (s *Store) AccountOfDomain(ctx context.Context, domain string) (accountID string, err error) {
	err = s.db.Read.QueryRowContext(ctx, s.db.Text(accountOfDomain), domain).Scan(&accountID)
	return accountID, db.NotFound(err, "Account", "find account of domain")
}

const hasSAML = `-- accountdb.HasSAML
SELECT EXISTS (SELECT 1 FROM directories WHERE metadata <> '')`

// HasSAML reports whether an account signs its people in by SAML.
func (s *Store) HasSAML(ctx context.Context) (has bool, err error) {
	err = s.db.Read.QueryRowContext(ctx, s.db.Text(hasSAML)).Scan(&has)
	return has, db.Wrap("look for single sign-on", err)
}
