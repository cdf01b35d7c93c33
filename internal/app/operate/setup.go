package operate

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/signin"
	"sett/internal/store"
	"sett/internal/store/accountdb"
	"sett/internal/store/db"
)

// SetupOptions name what a new server begins with; they count only where there is nothing yet.
type SetupOptions struct {
	Email    string
	Name     string
	Password string // "" for none: the owner signs in with tokens until they set one
	Account  string
	Project  string
	Team     string // "" for none
}

// trimmed returns the options as they are stored, or an Invalid error that names every flag that is wrong.
func (o SetupOptions) trimmed() (SetupOptions, error) {
	o.Email = strings.ToLower(strings.TrimSpace(o.Email))
	o.Name, o.Account, o.Project = strings.TrimSpace(o.Name), strings.TrimSpace(o.Account), strings.TrimSpace(o.Project)
	o.Team = strings.TrimSpace(o.Team)
	var p sett.Problems
	sett.CheckEmail(&p, "--email", o.Email)
	sett.CheckName(&p, "--name", o.Name)
	sett.CheckName(&p, "--account", o.Account)
	sett.CheckName(&p, "--project", o.Project)
	if o.Team != "" {
		sett.CheckName(&p, "--team", o.Team)
	}
	if o.Password != "" {
		signin.CheckNewPassword(&p, "--password", o.Password, o.Email, o.Name)
	}
	return o, p.Err()
}

// SetupResult is the credentials of the first account: the token of its owner and the API key of its first project.
type SetupResult struct {
	AccountID string `json:"account_id"`
	UserID    int64  `json:"user_id"`
	AuthToken string `json:"auth_token"`
	ProjectID int64  `json:"project_id"`
	APIKey    string `json:"api_key"`

	Email       string `json:"-"` // of the owner
	HasPassword bool   `json:"-"` // the owner can sign in
}

// Setup makes the first account, owner and project where there are none, and gives the owner a new personal token. It
// may run beside a live server on the same database. Options that cannot be used are an Invalid error, and nothing is
// made.
func Setup(ctx context.Context, in Installation, o SetupOptions) (r SetupResult, err error) {
	return setUp(ctx, in, o, false)
}

// SetupEmpty is Setup for a database without users. Where there are some, nothing is made, and the error is NotFound.
func SetupEmpty(ctx context.Context, in Installation, o SetupOptions) (SetupResult, error) {
	return setUp(ctx, in, o, true)
}

func setUp(ctx context.Context, in Installation, o SetupOptions, first bool) (r SetupResult, err error) {
	if o, err = o.trimmed(); err != nil {
		return r, err
	}
	s, err := store.Open(ctx, in.Options)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if _, _, err := s.Migrate(ctx); err != nil {
		return r, err
	}
	if _, err := s.Unlock(ctx); err != nil {
		return r, err
	}
	token := sett.NewUserToken()
	wanted := accountdb.Setup{
		Account: o.Account, Email: o.Email, Name: o.Name, Project: o.Project, Team: o.Team, TokenHash: auth.HashToken(token), First: first,
	}
	if o.Password != "" {
		wanted.Password = auth.HashPassword(o.Password)
	}
	made, err := s.Accounts.SetUp(ctx, time.Now(), wanted)
	if err != nil {
		return r, err
	}
	return SetupResult{made.AccountID, made.UserID, token, made.ProjectID, made.APIKey, made.Email, made.HasPassword}, nil
}

// SetupCommand is the command line that makes the first account in the database of in. The address of a PostgreSQL
// database is a secret, and so it only says where that is to be found.
func SetupCommand(o db.Options) string {
	if o.Database != "" {
		return "sett setup, with the same --database or SETT_DATABASE as this server"
	}
	data, err := filepath.Abs(o.Dir) // the command may be given elsewhere
	if err != nil {
		data = o.Dir
	}
	if strings.ContainsFunc(data, func(r rune) bool {
		return !strings.ContainsRune("/._-", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		data = "'" + strings.ReplaceAll(data, "'", `'\''`) + "'"
	}
	return "sett setup --data " + data
}

// Migrated is what became of a schema.
type Migrated struct {
	From, To int64  // versions
	Copy     string // file with the database as it was; "" for none
}

// Migrate brings the schema of the database up to date.
func Migrate(ctx context.Context, in Installation) (m Migrated, err error) {
	s, err := store.Open(ctx, in.Options)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if m.From, m.To, err = s.Migrate(ctx); err != nil {
		return m, err
	}
	m.Copy = s.CopyBefore()
	_, err = s.Unlock(ctx)
	return m, err
}
