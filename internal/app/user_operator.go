package app

import (
	"context"

	"sett/internal/sett"
)

// SetOperator says whether a user sees the pages about the server itself.
func SetOperator(ctx context.Context, cfg Config, email string, is bool) (sett.User, error) {
	return administer(ctx, cfg, func(a *administration) (u sett.User, err error) {
		if u, err = a.user(ctx, email); err != nil {
			return u, err
		}
		if err := a.problems.Err(); err != nil {
			return u, err
		}
		return u, a.Store.Accounts.SetOperator(a.auditedOwn(ctx, "sett user operator", "setOperator", u), u.ID, is)
	})
}
