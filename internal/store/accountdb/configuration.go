package accountdb

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/db"
)

const configurationOf = `-- accountdb.Configuration
SELECT version, salt, things, lease, holder, held_until, updated_at FROM configurations WHERE account_id = $1`

// Configuration returns what an account keeps of its configuration as code; the zero value if it has none.
func (s *Store) Configuration(ctx context.Context, accountID string) (accounts.Configuration, error) {
	c, err := readConfiguration(s.db.Read.QueryRowContext(ctx, s.db.Text(configurationOf), accountID))
	return c, s.db.Explain(db.Wrap("read configuration", err))
}

func readConfiguration(row interface{ Scan(...any) error }) (c accounts.Configuration, err error) {
	var things string
	var until, updated int64
	err = row.Scan(&c.Version, &c.Salt, &things, &c.Lease.ID, &c.Lease.Holder, &until, &updated)
	if errors.Is(err, sql.ErrNoRows) {
		return c, nil
	}
	c.Things = sett.ReadStored[map[string]accounts.ConfiguredThing](things)
	c.Lease.Until, c.UpdatedAt = db.FromMicros(until), db.FromMicros(updated)
	return c, err
}

const holdAccount = `-- accountdb.holdAccount
SELECT id FROM accounts WHERE id = $1 {{for update}}`

const setConfiguration = `-- accountdb.setConfiguration
INSERT INTO configurations (account_id, version, salt, things, lease, holder, held_until, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT (account_id) DO UPDATE SET version = excluded.version, salt = excluded.salt, things = excluded.things, lease = excluded.lease,
holder = excluded.holder, held_until = excluded.held_until, updated_at = excluded.updated_at`

// HoldConfiguration gives the lease of an account's configuration to a user's program. The error is a Conflict if another one has it.
func (s *Store) HoldConfiguration(ctx context.Context, now time.Time, accountID string, user accounts.User, change accounts.ConfigurationLeaseChange) (accounts.Configuration, error) {
	return s.changeConfiguration(ctx, accountID, func(c accounts.Configuration) (accounts.Configuration, error) {
		return c.Hold(now, sett.RandomString(32), user.Email, change)
	})
}

// UpdateConfiguration records what files made. The error is a Conflict if the caller has no lease any more.
func (s *Store) UpdateConfiguration(ctx context.Context, now time.Time, accountID string, change accounts.ConfigurationChange) (accounts.Configuration, error) {
	return s.changeConfiguration(ctx, accountID, func(c accounts.Configuration) (accounts.Configuration, error) { return c.Apply(now, change) })
}

// changeConfiguration holds the account meanwhile, so that of two programs one is first.
func (s *Store) changeConfiguration(ctx context.Context, accountID string, change func(accounts.Configuration) (accounts.Configuration, error)) (c accounts.Configuration, err error) {
	err = s.inTx(ctx, "change configuration", func(t Tx) error {
		var id string
		if err := t.QueryRowContext(ctx, s.db.Text(holdAccount), accountID).Scan(&id); err != nil {
			return db.NotFound(err, "Account", "hold account")
		}
		if c, err = readConfiguration(t.QueryRowContext(ctx, s.db.Text(configurationOf), accountID)); err != nil {
			return err
		}
		if c, err = change(c); err != nil {
			return err
		}
		things, err := json.Marshal(c.Things)
		if err != nil {
			return err
		}
		if len(things) > accounts.MostConfiguration {
			return sett.Refuse("things", "must have at most %d bytes together; leave some things out of the files", accounts.MostConfiguration)
		}
		_, err = t.Exec(ctx, setConfiguration, accountID, c.Version, c.Salt, string(things), c.Lease.ID, c.Lease.Holder, db.Micros(c.Lease.Until), db.Micros(c.UpdatedAt))
		return err
	})
	return c, err
}
