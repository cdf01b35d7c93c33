package accountdb

import (
	"context"
	"time"

	"sett/internal/sett/accounts"
	"sett/internal/store/db"
)

type (
	ScopedTeam = scopedTeam
)

func (s *Store) Projects(ctx context.Context, q db.Querier, ids []int64) ([]accounts.Project, error) {
	return s.projects(ctx, q, ids, withCounts)
}

func (s *Store) Teams(ctx context.Context, q db.Querier, found []scopedTeam) ([]accounts.Team, error) {
	return s.teams(ctx, q, found, whole)
}

func (t Tx) CloseInvitation(ctx context.Context, now time.Time, i accounts.Invitation, userID int64) error {
	return t.closeInvitation(ctx, now, i, userID)
}

func (t Tx) Leave(ctx context.Context, accountID string, userID int64) error {
	return t.leave(ctx, accountID, userID)
}

func (t Tx) Prove(ctx context.Context, userID int64) (bool, error) {
	return t.prove(ctx, userID)
}

func (t Tx) SetPassword(ctx context.Context, now time.Time, userID int64, keep int64, p NewPassword) error {
	return t.setPassword(ctx, now, userID, keep, p)
}

func (s *Store) InOwnTx(ctx context.Context, what string, f func(Tx) error) error {
	return s.inTx(ctx, what, f)
}
