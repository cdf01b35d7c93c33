package operate

import (
	"context"
	"time"

	"sett/internal/serve"
	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/signin"
	"sett/internal/store/accountdb"
)

// generatedLength is how many characters a password has that sett makes: 119 bits.
const generatedLength = 20

// GeneratePassword returns a password that cannot be guessed.
func GeneratePassword() string { return sett.RandomString(generatedLength) }

// SetPassword gives a user a new password, which ends their sessions and all that a reset by mail ends, and lets them
// sign in without a wait.
func SetPassword(ctx context.Context, in Installation, email, password string) (accounts.User, error) {
	return administer(ctx, in, func(a *administration) (u accounts.User, err error) {
		if u, err = a.user(ctx, email); err != nil {
			return u, err
		}
		signin.CheckNewPassword(&a.problems, "the new password", password, u.Email, u.Name)
		if err := a.problems.Err(); err != nil {
			return u, err
		}
		chosen := accountdb.NewPassword{PHC: auth.HashPassword(password), Device: accounts.OperatorDevice}
		ctx := a.auditedOwn(ctx, "sett user password", "changePassword", u)
		if err := a.Accounts.AssignPassword(ctx, a.now, u.ID, chosen); err != nil {
			return u, err
		}
		return u, a.throttle().Forget(ctx, auth.PasswordOf(u.Email))
	})
}

// DropSecondFactor turns off the second factor of a user who has lost it and the recovery codes.
func DropSecondFactor(ctx context.Context, in Installation, email string) (accounts.User, error) {
	return administer(ctx, in, func(a *administration) (u accounts.User, err error) {
		if u, err = a.user(ctx, email); err != nil {
			return u, err
		}
		if err := a.problems.Err(); err != nil {
			return u, err
		}
		factor, err := a.Accounts.SecondFactor(ctx, u.ID)
		if err != nil {
			return u, err
		}
		if !factor.Confirmed {
			return u, sett.Errorf(sett.Invalid, "%s has no second factor", u.Email)
		}
		ctx := a.auditedOwn(ctx, "sett user second-factor", "dropFactor", u)
		if err := a.Store.Accounts.DropSecondFactor(ctx, a.now, signin.ByOperator(u.ID)); err != nil {
			return u, err
		}
		return u, a.throttle().Forget(ctx, auth.SecondFactorOf(u.ID))
	})
}

func (a *administration) throttle() *auth.Throttle {
	return auth.NewThrottle(a.Store.Accounts, serve.Proxies{}, func() time.Time { return a.now })
}
