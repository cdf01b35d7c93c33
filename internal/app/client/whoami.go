package client

import (
	"context"
	"net/http"

	"sett/internal/api"
	"sett/internal/serve"
)

// Identity is whom a server takes a token for.
type Identity struct {
	Profile  string   `json:"profile"`
	Server   string   `json:"server"`
	Email    string   `json:"email"`
	Accounts []string `json:"accounts"` // their names
}

// NotSignedIn is the error of a command that has no token, or one that the server refuses.
type NotSignedIn struct{ Err error }

func (e NotSignedIn) Error() string { return e.Err.Error() }

func (e NotSignedIn) Unwrap() error { return e.Err }

// WhoAmI asks the server whose token this is.
func (s Server) WhoAmI(ctx context.Context) (who Identity, err error) {
	var all serve.List[api.Account]
	if err := s.call(ctx, http.MethodGet, "/v2/accounts", nil, &all); err != nil {
		return who, err
	}
	who.Server, who.Accounts = s.Address, []string{}
	for _, a := range all.Results {
		who.Accounts = append(who.Accounts, a.Name)
	}
	var info struct{ User *struct{ Email string } }
	if err := s.call(ctx, http.MethodGet, "/api/0/", nil, &info); err == nil && info.User != nil {
		who.Email = info.User.Email // the address is left out where only that path cannot be reached
	}
	return who, nil
}
