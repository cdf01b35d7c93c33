package accountdb

import (
	"context"
	"fmt"

	"sett/internal/store/db"
)

const (
	samlKey = `-- accountdb.SAMLKey
SELECT coalesce(y.saml_key, '') FROM accounts a LEFT JOIN directories y ON y.account_id = a.id WHERE a.id = $1`
	setSAMLKey = `-- accountdb.setSAMLKey
UPDATE directories SET saml_key = $2 WHERE account_id = $1`
)

// SAMLKey returns the key, and its certificate, with which the identity provider of an account encrypts for sett. make makes both at the
// first call, on one node. The error is NotFound if there is no such account.
func (s *Store) SAMLKey(ctx context.Context, accountID string, make func() (string, error)) (key string, err error) {
	if key, err = s.readSAMLKey(ctx, s.db.Read, accountID); err != nil || key != "" {
		return key, err
	}
	made, err := make()
	if err != nil {
		return "", err
	}
	err = s.inTx(ctx, "make key for SAML", func(t Tx) error {
		if err := t.lockAccount(ctx, accountID); err != nil {
			return err
		}
		if key, err = s.readSAMLKey(ctx, t, accountID); err != nil || key != "" {
			return err
		}
		d, err := s.readDirectory(ctx, t, accountID)
		if err != nil {
			return err
		}
		if err := t.saveDirectory(ctx, d); err != nil {
			return err
		}
		sealed, err := t.Seal(ctx, sealedSAMLKey, made, accountID)
		if err != nil {
			return err
		}
		key = made
		_, err = t.Exec(ctx, setSAMLKey, accountID, sealed)
		return err
	})
	return key, err
}

func (s *Store) readSAMLKey(ctx context.Context, q db.Querier, accountID string) (key string, err error) {
	if err := db.NotFound(q.QueryRowContext(ctx, s.db.Text(samlKey), accountID).Scan(&key), "Account", "find key for SAML"); err != nil {
		return "", err
	}
	if key, err = s.db.Reveal(sealedSAMLKey, key, accountID); err != nil {
		return "", fmt.Errorf("read key for SAML: %w", err)
	}
	return key, nil
}
