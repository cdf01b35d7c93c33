package operate

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/signin"
)

// NewToken is a personal token to be made.
type NewToken struct {
	Email   string // of the user whose it is
	Name    string
	Scope   string // signin.ScopeRead, signin.ScopeWrite, or scopes of signin.Scopes with commas between them
	Account string // in which a token with such scopes works; "": the only one of the user
	Expires string // see signin.ParseExpiry
}

// ListedToken is a personal token as the command line shows it.
type ListedToken struct {
	ID        int64      `json:"id"`
	Name      string     `json:"name"`
	Scope     string     `json:"scope"`
	CreatedAt time.Time  `json:"created_at"`
	ExpiresAt *time.Time `json:"expires_at"` // nil: never; of a connected program, when its connection ends
	UsedAt    *time.Time `json:"used_at"`    // nil: never
	Expired   bool       `json:"expired"`
}

func (a *administration) listed(t signin.PersonalToken) ListedToken {
	ends := t.ExpiresAt
	if t.Renewed.After(ends) {
		ends = t.Renewed
	}
	return ListedToken{t.ID, t.Name, t.Scope(), t.CreatedAt, unlessZero(ends), unlessZero(t.UsedAt), t.Over(a.now)}
}

func unlessZero(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// AddedToken is a new token with its secret, which is shown only once.
type AddedToken struct {
	ListedToken
	Email string `json:"email"`
	Token string `json:"auth_token"`
}

// AddToken makes a personal token of a user. What cannot be used is an Invalid error, and nothing is made.
func AddToken(ctx context.Context, in Installation, o NewToken) (AddedToken, error) {
	return administer(ctx, in, func(a *administration) (r AddedToken, err error) {
		user, err := a.user(ctx, o.Email)
		if err != nil {
			return r, err
		}
		token := signin.PersonalToken{Name: strings.TrimSpace(o.Name), ReadOnly: o.Scope != signin.ScopeWrite, CreatedAt: a.now}
		sett.CheckName(&a.problems, "--name", token.Name)
		if token.Grant, err = a.grant(ctx, o, user); err != nil {
			return r, err
		}
		token.ExpiresAt = signin.ParseExpiry(&a.problems, "--expires", a.now, o.Expires)
		if err := a.problems.Err(); err != nil {
			return r, err
		}
		secret := token.NewSecret()
		ctx := a.auditedOwn(ctx, "sett token add", "makeToken", user)
		if err := a.Accounts.CreatePersonalToken(ctx, signin.ByOperator(user.ID), token, auth.HashToken(secret)); err != nil {
			return r, err
		}
		token, _, err = a.Accounts.PersonalTokenByHash(ctx, auth.HashToken(secret))
		return AddedToken{a.listed(token), user.Email, secret}, err
	})
}

// scopesOfAgents is an example.
const scopesOfAgents = "faults:read,faults:write"

// grant returns what a token is limited to that has scopes by their names, and otherwise nothing.
func (a *administration) grant(ctx context.Context, o NewToken, user accounts.User) (g signin.Grant, err error) {
	if o.Scope == signin.ScopeRead || o.Scope == signin.ScopeWrite {
		if o.Account != "" {
			a.problems.Add("--account", "is only for a token with names of scopes: one that may %s works in all accounts of the user", o.Scope)
		}
		return g, nil
	}
	for scope := range strings.SplitSeq(o.Scope, ",") {
		if scope = strings.TrimSpace(scope); !slices.Contains(signin.Scopes(), scope) {
			a.problems.Add("--scope", "has %.40q, which is no scope: it must be %s, %s, or names such as %s", scope, signin.ScopeRead, signin.ScopeWrite, scopesOfAgents)
			return g, nil
		}
		g.Scopes = append(g.Scopes, scope)
	}
	if g.AccountID = o.Account; g.AccountID == "" {
		mine, _, err := a.Accounts.ListAccounts(ctx, user.ID, sett.Page{Size: 2})
		if err != nil {
			return g, err
		}
		if len(mine) != 1 {
			a.problems.Add("--account", "can't be blank: a token with names of scopes works in one account, and this user does not have exactly one")
			return g, nil
		}
		g.AccountID = mine[0].ID
	}
	switch _, err := a.Accounts.AccountUserByID(ctx, g.AccountID, user.ID); {
	case sett.CodeOf(err) == sett.NotFound:
		a.problems.Add("--account", "%q is no account of this user", o.Account)
	case err != nil:
		return g, err
	}
	return signin.CheckGrant(&a.problems, g), nil
}

// ListTokens returns the personal tokens of a user, the newest first.
func ListTokens(ctx context.Context, in Installation, email string) ([]ListedToken, error) {
	return administer(ctx, in, func(a *administration) ([]ListedToken, error) {
		_, tokens, err := a.tokensOf(ctx, email)
		list := []ListedToken{}
		for _, t := range tokens {
			list = append(list, a.listed(t))
		}
		return list, err
	})
}

// tokensOf returns a user and their personal tokens, or an Invalid error with all that is wrong.
func (a *administration) tokensOf(ctx context.Context, email string) (accounts.User, []signin.PersonalToken, error) {
	user, err := a.user(ctx, email)
	if err != nil {
		return user, nil, err
	}
	if err := a.problems.Err(); err != nil {
		return user, nil, err
	}
	tokens, err := a.Store.Accounts.ListTokens(ctx, user.ID)
	return user, tokens, err
}

// RevokeToken revokes a personal token of a user by its id, and returns its name.
func RevokeToken(ctx context.Context, in Installation, email, id string) (name string, err error) {
	return administer(ctx, in, func(a *administration) (string, error) {
		number, err := strconv.ParseInt(id, 10, 64)
		if err != nil {
			a.problems.Add(strconv.Quote(id), "is not the id of a token: ids are numbers, shown by sett token list")
		}
		user, tokens, err := a.tokensOf(ctx, email)
		if err != nil {
			return "", err
		}
		i := slices.IndexFunc(tokens, func(t signin.PersonalToken) bool { return t.ID == number })
		if i < 0 {
			return "", sett.Errorf(sett.NotFound, "%s has no token with the id %d; sett token list %[1]s shows all tokens", user.Email, number)
		}
		return tokens[i].Name, a.Store.Accounts.RevokeToken(a.auditedOwn(ctx, "sett token revoke", "revokeToken", user), signin.ByOperator(user.ID), number)
	})
}
