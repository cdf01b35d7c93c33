package store

import (
	"context"
	"fmt"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
)

const serverFigures = `-- store.ServerFigures
SELECT (SELECT count(*) FROM accounts), (SELECT count(*) FROM users), (SELECT count(*) FROM projects WHERE NOT deleting), (SELECT count(*) FROM sites),
    (SELECT count(*) FROM check_ins), (SELECT count(*) FROM mails WHERE NOT given_up), (SELECT count(*) FROM mails WHERE given_up),
    (SELECT count(*) FROM deliveries WHERE state = 'due' AND due_at <> quiet_until),
    (SELECT count(*) FROM nodes)`

// ServerFigures returns the totals of the server, and the lengths of its queues. It is for operators.
func (s *Store) ServerFigures(ctx context.Context) (f accounts.ServerFigures, err error) {
	row := s.Read.QueryRowContext(ctx, s.Text(serverFigures))
	if err := row.Scan(&f.Accounts, &f.Users, &f.Projects, &f.Sites, &f.CheckIns, &f.MailsWaiting, &f.MailsGivenUp, &f.DeliveriesWaiting, &f.Nodes); err != nil {
		return f, fmt.Errorf("read figures of the server: %w", err)
	}
	f.Nodes = max(f.Nodes, 1) // the process of an SQLite file has no number
	if f.NoticesWaiting, err = s.Blocks.Waiting(ctx); err != nil {
		return f, err
	}
	if f.Objects, err = s.Blocks.ObjectFigures(ctx); err != nil {
		return f, err
	}
	upto, last, err := s.Blocks.Old(ctx, s.Read)
	if last != 0 {
		f.OldUpto, f.OldLast = sett.NoticeID(upto).Time(), sett.NoticeID(last).Time()
	}
	return f, err
}
