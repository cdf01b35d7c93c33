package accountdb

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/db"
)

// Setup is the initial content of a new server.
type Setup struct {
	Account   string // name
	Email     string // of the owner
	Name      string
	Password  string // PHC text, or ""
	Project   string // name
	Team      string // name of a team with the owner and the project; "" for none
	TokenHash []byte // SHA-256 of a new personal token of the owner; nil for none
	First     bool   // only if there is no user yet; otherwise it is a NotFound error
}

// SetupResult holds the ids of the initial content.
type SetupResult struct {
	AccountID string
	UserID    int64
	ProjectID int64
	APIKey    string
	Made      bool // false: everything existed before, and only a token was added

	Email       string // of the owner
	HasPassword bool   // the owner has
}

const anyUser = `-- accountdb.anyUser
SELECT count(*) FROM (SELECT 1 FROM users LIMIT 1) found`

const firstOwner = `-- accountdb.firstOwner
SELECT a.id, m.user_id FROM accounts a JOIN memberships m ON m.account_id = a.id
WHERE m.role = 'Owner' ORDER BY a.created_at, a.id, m.user_id LIMIT 1`

const firstProject = `-- accountdb.firstProject
SELECT p.id, k.key FROM projects p JOIN project_keys k ON k.project_id = p.id
WHERE p.account_id = $1 ORDER BY p.id, k.ends_at > 0, k.created_at DESC LIMIT 1`

const passwordOfOwner = `-- accountdb.passwordOfOwner
SELECT email, password <> '' FROM users WHERE id = $1`

const insertAccount = `-- accountdb.insertAccount
INSERT INTO accounts (id, name, email, active, parked, created_at) VALUES ($1, $2, $3, true, false, $4)`

// SetUp creates the first account, its owner and a project, if there are none, and gives the owner a new token.
func (s *Store) SetUp(ctx context.Context, now time.Time, o Setup) (r SetupResult, err error) {
	err = s.inTx(ctx, "set up", func(t Tx) error {
		r = SetupResult{}
		if err := t.setUpAlone(ctx); err != nil {
			return err
		}
		if err := t.checkFirst(ctx, o); err != nil {
			return err
		}
		if err := t.findOrMakeOwner(ctx, now, o, &r); err != nil {
			return err
		}
		if err := t.findOrMakeProject(ctx, now, o, &r); err != nil {
			return err
		}
		if err := t.QueryRowContext(ctx, passwordOfOwner, r.UserID).Scan(&r.Email, &r.HasPassword); err != nil {
			return err
		}
		if o.TokenHash == nil {
			return nil
		}
		_, err := t.Exec(ctx, insertToken, o.TokenHash, r.UserID, "setup", db.Micros(now))
		return err
	})
	return r, err
}

const lockSetup = `-- accountdb.lockSetup
SELECT pg_advisory_xact_lock($1, -3)`

// setUpAlone waits until no other node runs the setup: otherwise each would find no account yet, and create one.
func (t Tx) setUpAlone(ctx context.Context) error {
	if t.s.db.SQLite() {
		return nil
	}
	_, err := t.Exec(ctx, lockSetup, int64(db.LockClass))
	return err
}

// checkFirst rejects what is only allowed on a server without users, if there are any.
func (t Tx) checkFirst(ctx context.Context, o Setup) error {
	var users int64
	if !o.First {
		return nil
	}
	if err := t.QueryRowContext(ctx, t.s.db.Text(anyUser)).Scan(&users); err != nil {
		return err
	}
	if users > 0 {
		return sett.Errorf(sett.NotFound, "This link does not work any more: the first account already exists. Sign in with it.")
	}
	return nil
}

func (t Tx) findOrMakeOwner(ctx context.Context, now time.Time, o Setup, r *SetupResult) error {
	err := t.QueryRowContext(ctx, t.s.db.Text(firstOwner)).Scan(&r.AccountID, &r.UserID)
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	r.Made = true
	r.AccountID, r.UserID, err = t.createAccount(ctx, now, o.Account, NewUser{Email: o.Email, Name: o.Name, Password: o.Password, Proven: true})
	if err != nil {
		return err
	}
	_, err = t.Exec(ctx, setOperator, r.UserID, true)
	return err
}

// CreateAccount creates an account and its owner, a new user. The error is Conflict if the address is taken.
func (s *Store) CreateAccount(ctx context.Context, now time.Time, name string, owner NewUser) (accountID string, userID int64, err error) {
	err = s.inTx(ctx, "create account", func(t Tx) error {
		accountID, userID, err = t.createAccount(ctx, now, name, owner)
		return err
	})
	return accountID, userID, err
}

func (t Tx) createAccount(ctx context.Context, now time.Time, name string, owner NewUser) (string, int64, error) {
	owner.AccountID, owner.Role = sett.NewAccountID(db.RandomOf(ctx)), accounts.Owner
	if _, err := t.Exec(ctx, insertAccount, owner.AccountID, name, owner.Email, db.Micros(now)); err != nil {
		return "", 0, err
	}
	id, err := t.createUser(ctx, now, owner)
	return owner.AccountID, id, err
}

func (t Tx) findOrMakeProject(ctx context.Context, now time.Time, o Setup, r *SetupResult) error {
	err := t.QueryRowContext(ctx, t.s.db.Text(firstProject), r.AccountID).Scan(&r.ProjectID, &r.APIKey)
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	r.Made = true
	settings := accounts.NewProjectSettings()
	settings.Name = o.Project
	r.ProjectID, r.APIKey, err = t.AddProject(ctx, now, r.AccountID, r.UserID, settings)
	if err != nil || o.Team == "" {
		return err
	}
	return t.makeFirstTeam(ctx, now, o.Team, r)
}

// makeFirstTeam creates a team with the first project, so that who is invited to it finds something. It needs no team yet.
func (t Tx) makeFirstTeam(ctx context.Context, now time.Time, name string, r *SetupResult) error {
	id, err := t.createTeam(ctx, now, r.AccountID, name, sql.NullInt64{Int64: r.UserID, Valid: true}, map[int64]bool{r.UserID: true})
	if err != nil {
		return err
	}
	_, err = t.Exec(ctx, insertTeamProject, id, r.AccountID, r.ProjectID)
	return err
}
