package app

import (
	"context"
	"errors"
	"strings"
	"time"

	"sett/internal/auth"
	"sett/internal/sett"
	"sett/internal/store"
)

// SetupOptions name what a new server begins with; they count only where there is nothing yet.
type SetupOptions struct {
	Email    string
	Name     string
	Password string // "" for none: this owner works with tokens until they set one
	Account  string
	Project  string
}

// SetupResult is the credentials of the first account: the token of its owner and the API key of its first project.
type SetupResult struct {
	AccountID string `json:"account_id"`
	UserID    int64  `json:"user_id"`
	AuthToken string `json:"auth_token"`
	ProjectID int64  `json:"project_id"`
	APIKey    string `json:"api_key"`
}

// Setup makes the first account, owner and project where there are none, and gives the owner a new personal token. It
// may run beside a live server on the same database.
func Setup(ctx context.Context, cfg Config, o SetupOptions) (r SetupResult, err error) {
	s, err := openStore(ctx, cfg)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if _, _, err := s.Migrate(ctx); err != nil {
		return r, err
	}
	token := sett.NewUserToken()
	first := store.Setup{
		Account: o.Account, Email: strings.ToLower(strings.TrimSpace(o.Email)), Name: o.Name, Project: o.Project,
		TokenHash: auth.HashToken(token),
	}
	if o.Password != "" {
		first.Password = auth.HashPassword(o.Password)
	}
	made, err := s.SetUp(ctx, time.Now(), first)
	if err != nil {
		return r, err
	}
	return SetupResult{made.AccountID, made.UserID, token, made.ProjectID, made.APIKey}, nil
}

// Migrate brings the schema of the database up to date and returns its version before and after.
func Migrate(ctx context.Context, cfg Config) (from, to int64, err error) {
	s, err := openStore(ctx, cfg)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return s.Migrate(ctx)
}
