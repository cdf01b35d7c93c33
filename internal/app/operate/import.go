package operate

import (
	"context"
	"os"
	"slices"
	"time"

	"sett/internal/app/movein"
	"sett/internal/app/movein/errand"
	"sett/internal/app/movein/fromsentry"
	"sett/internal/base/dial"
	"sett/internal/ingest/unminify"
	"sett/internal/ingest/upload"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/move"
	"sett/internal/store/movedb"
)

// Import says what is brought from another error tracker.
type Import struct {
	URL, Token string
	Org        string // of Sentry: its slug
	File       string // of Sentry: an export, which is read instead of the server
	Theirs     string // of Honeybadger: the id of the account there; "" if there is one
	Projects   []string
	Events     int
	Account    string // id of the account that gets the projects; "" if there is one
	DryRun     bool

	source movein.Source // opened; nil: that of the settings
}

// ImportFromSentry brings an organization from a Sentry server, beside a live server or without one. The report is there
// once anything was read, also with an error.
func ImportFromSentry(ctx context.Context, in Installation, o Import) (*move.Report, error) {
	settings := move.Settings{From: move.FromSentry, URL: o.URL, Org: o.Org, Projects: o.Projects, Events: o.Events}
	if o.File == "" {
		return o.run(ctx, in, settings)
	}
	file, err := os.Open(o.File)
	if err != nil {
		return nil, sett.Errorf(sett.Invalid, "--file cannot be read: %v", err)
	}
	defer file.Close()
	if o.source, err = fromsentry.OpenExport(file, o.URL, o.Org); err != nil {
		return nil, err
	}
	return o.run(ctx, in, settings)
}

// ImportFromHoneybadger brings an account from Honeybadger or a server with its API, as ImportFromSentry does.
func ImportFromHoneybadger(ctx context.Context, in Installation, o Import) (*move.Report, error) {
	return o.run(ctx, in, move.Settings{From: move.FromHoneybadger, URL: o.URL, Theirs: o.Theirs, Projects: o.Projects, Events: o.Events})
}

// ImportFromBugsink brings an installation of Bugsink, as ImportFromSentry does.
func ImportFromBugsink(ctx context.Context, in Installation, o Import) (*move.Report, error) {
	return o.run(ctx, in, move.Settings{From: move.FromBugsink, URL: o.URL, Projects: o.Projects, Events: o.Events})
}

// run brings what settings say from another server.
func (o Import) run(ctx context.Context, in Installation, settings move.Settings) (*move.Report, error) {
	return administer(ctx, in, func(a *administration) (*move.Report, error) {
		if o.Events < 0 || o.Events > movein.MostEvents {
			a.problems.Add("--events", "must be from 0 to %d", movein.MostEvents)
		}
		owner, err := a.ownerOf(ctx, o.Account)
		if err != nil {
			return nil, err
		}
		if err := a.problems.Err(); err != nil {
			return nil, err
		}
		originals := unminify.New(a.SourceMaps, time.Now)
		defer originals.Close()
		return errand.Errand{
			Settings: settings, Token: o.Token, DryRun: o.DryRun, Source: o.source, Moves: a.Moves, Owner: owner, Role: accounts.Owner, Host: hostOf(in.BaseURL), Now: time.Now,
			Code: movein.Code{Uploads: upload.NewDesk(a.SourceMaps, ""), Maps: originals, Stored: originals.Forget},
			Do:   dial.New(dial.Anywhere()).Client(errand.RequestLasts).Do, // the operator has set the address
			Audited: func(ctx context.Context, action, of string) context.Context {
				return a.audited(ctx, accounts.OperatorAction{Command: "sett import " + settings.From, Name: action, AccountID: owner.AccountID, Account: of})
			},
		}.Run(ctx)
	})
}

// ownerOf returns the account that gets projects, and the first of its owners; an id that is missing or unknown is added to the problems.
func (a *administration) ownerOf(ctx context.Context, id string) (owner movedb.Owner, err error) {
	all, err := a.Accounts.AllAccounts(ctx)
	if err != nil {
		return owner, err
	}
	if id == "" && len(all) == 1 {
		id = all[0].ID
	}
	account, err := a.account(ctx, id)
	if err != nil || account.ID == "" {
		return owner, err
	}
	users, err := a.Accounts.AllUsers(ctx, account.ID)
	if err != nil {
		return owner, err
	}
	owner.AccountID = account.ID
	for _, u := range users {
		of := slices.IndexFunc(u.Accounts, func(m accounts.UserAccount) bool { return m.ID == account.ID && m.Role == accounts.Owner })
		if of >= 0 {
			owner.UserID = u.ID
			return owner, nil
		}
	}
	return owner, sett.Errorf(sett.Conflict, "the account %s has no owner", account.ID)
}
