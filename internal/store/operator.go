package store

import (
	"context"
	"fmt"

	"sett/internal/sett"
	"sett/internal/store/db"
)

const isOperator = `-- store.IsOperator
SELECT operator FROM users WHERE id = $1`

// IsOperator reports whether a user runs the server. The error is NotFound when there is no such user.
func (s *Store) IsOperator(ctx context.Context, userID int64) (is bool, err error) {
	err = s.Read.QueryRowContext(ctx, s.Text(isOperator), userID).Scan(&is)
	return is, db.NotFound(err, "User", "look whether a user is an operator")
}

const setOperator = `-- store.SetOperator
UPDATE users SET operator = $2 WHERE id = $1 AND operator <> $2`

// SetOperator says whether a user runs the server. It is for those who run it.
func (s *Store) SetOperator(ctx context.Context, userID int64, is bool) error {
	return s.changeOwn(ctx, "set operator", sett.ByOperator(userID), func(t *tx) error {
		changed, err := t.Changed(ctx, setOperator, userID, is)
		if err != nil || changed == 0 {
			return err
		}
		return t.auditOwn(ctx, userID, map[string]any{"operator": is})
	})
}

const serverFigures = `-- store.ServerFigures
SELECT (SELECT count(*) FROM accounts), (SELECT count(*) FROM users), (SELECT count(*) FROM projects), (SELECT count(*) FROM sites),
    (SELECT count(*) FROM check_ins), (SELECT count(*) FROM mails WHERE NOT given_up), (SELECT count(*) FROM mails WHERE given_up),
    (SELECT count(*) FROM deliveries WHERE state = 'due' AND due_at <> quiet_until)`

// ServerFigures returns how much there is on the server, and how much waits. It is for those who run it.
func (s *Store) ServerFigures(ctx context.Context) (f sett.ServerFigures, err error) {
	row := s.Read.QueryRowContext(ctx, s.Text(serverFigures))
	if err := row.Scan(&f.Accounts, &f.Users, &f.Projects, &f.Sites, &f.CheckIns, &f.MailsWaiting, &f.MailsGivenUp, &f.DeliveriesWaiting); err != nil {
		return f, fmt.Errorf("count what is on the server: %w", err)
	}
	return f, nil
}
