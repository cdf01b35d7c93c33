package directory

import "sett/internal/sett/accounts"

// Required is the account that requires a user to sign in with its identity provider: their address is in a domain that it has verified. One
// account at most has verified a domain, so there is at most one; AccountID is "" if there is none.
type Required struct {
	AccountID string
	Account   string // its name
	Domain    string // of the user's address
	Role      accounts.Role
	SAML      bool // the account has an identity provider of its own
}

// Opens reports whether a session may be used. accountID is the account whose identity provider began it; factors says that it began with two
// factors at sett, with which owners reach an account whose provider fails.
func (r Required) Opens(accountID string, factors bool) bool {
	return r.AccountID == "" || accountID == r.AccountID || factors && r.Role == accounts.Owner
}
