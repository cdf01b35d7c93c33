package accountdb

import (
	"context"
	"strings"

	"sett/internal/sett"
	"sett/internal/sett/signin"
)

// writtenName returns a name as it is stored, or an Invalid error.
func writtenName(name string) (string, error) {
	var p sett.Problems
	name = strings.TrimSpace(name)
	sett.CheckName(&p, "name", name)
	return name, p.Refusal()
}

const renameAccount = `-- accountdb.RenameAccount
UPDATE accounts SET name = $2 WHERE id = $1`

// RenameAccount renames an account. An invalid name is an Invalid error.
func (s *Store) RenameAccount(ctx context.Context, accountID, name string) error {
	name, err := writtenName(name)
	if err != nil {
		return err
	}
	return s.inTx(ctx, "rename account", func(t Tx) error {
		t.KeepsCaches = true
		changed, err := t.Changed(ctx, renameAccount, accountID, name)
		if err == nil && changed == 0 {
			err = sett.Errorf(sett.NotFound, "Account not found")
		}
		return err
	})
}

const renameUser = `-- accountdb.RenameUser
UPDATE users SET name = $2 WHERE id = $1`

// RenameUser renames the user of a session. An invalid name is an Invalid error.
func (s *Store) RenameUser(ctx context.Context, by signin.Session, name string) error {
	name, err := writtenName(name)
	if err != nil {
		return err
	}
	return s.ChangeOwn(ctx, "rename user", by, func(t Tx) error {
		if _, err := t.Exec(ctx, renameUser, by.UserID, name); err != nil {
			return err
		}
		return t.auditOwn(ctx, by.UserID, map[string]any{"name": name})
	})
}
