package operate

import (
	"context"
	"net/http"
	"slices"
	"time"

	"sett/internal/app/movein"
	"sett/internal/app/movein/frombugsink"
	"sett/internal/app/movein/fromhoneybadger"
	"sett/internal/app/movein/fromsentry"
	"sett/internal/base/dial"
	"sett/internal/base/progress"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/move"
	"sett/internal/store/movedb"
)

// Import says what is brought from another error tracker.
type Import struct {
	URL, Token string
	Org        string // of Sentry: its slug
	Theirs     string // of Honeybadger: the id of the account there; "" if there is one
	Projects   []string
	Events     int
	Account    string // id of the account that gets the projects; "" if there is one
	DryRun     bool
}

// requestLasts is how long one request to the other server may take.
const requestLasts = 2 * time.Minute

// ImportFromSentry brings an organization from a Sentry server, beside a live server or without one. The report is there
// once anything was read, also with an error.
func ImportFromSentry(ctx context.Context, in Installation, o Import) (*move.Report, error) {
	return o.run(ctx, in, "sett import sentry", func(do doer) (movein.Source, error) {
		return fromsentry.New(fromsentry.Options{URL: o.URL, Token: o.Token, Org: o.Org, Now: time.Now, Wait: waitFor, Do: do})
	}, false)
}

// ImportFromHoneybadger brings an account from Honeybadger or a server with its API, as ImportFromSentry does.
func ImportFromHoneybadger(ctx context.Context, in Installation, o Import) (*move.Report, error) {
	return o.run(ctx, in, "sett import honeybadger", func(do doer) (movein.Source, error) {
		return fromhoneybadger.New(fromhoneybadger.Options{URL: o.URL, Token: o.Token, Account: o.Theirs, Now: time.Now, Wait: waitFor, Do: do})
	}, true)
}

// ImportFromBugsink brings an installation of Bugsink, as ImportFromSentry does.
func ImportFromBugsink(ctx context.Context, in Installation, o Import) (*move.Report, error) {
	return o.run(ctx, in, "sett import bugsink", func(do doer) (movein.Source, error) {
		return frombugsink.New(frombugsink.Options{URL: o.URL, Token: o.Token, Now: time.Now, Wait: waitFor, Do: do})
	}, false)
}

type doer = func(*http.Request) (*http.Response, error)

func (o Import) run(ctx context.Context, in Installation, command string, open func(doer) (movein.Source, error), openFirst bool) (*move.Report, error) {
	return administer(ctx, in, func(a *administration) (*move.Report, error) {
		source, err := open(dial.New(dial.Anywhere()).Client(requestLasts).Do) // the operator has set the address
		if err != nil {
			return nil, err
		}
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
		return movein.Run(ctx, movein.Options{
			Source: source, Moves: a.Moves, Owner: owner, Projects: o.Projects, Events: o.Events, DryRun: o.DryRun, OpenFirst: openFirst, Rules: importRules(in), Now: time.Now,
			Audited: func(ctx context.Context, action, of string) context.Context {
				return a.audited(ctx, accounts.OperatorAction{Command: command, Name: action, AccountID: owner.AccountID, Account: of})
			},
		})
	})
}

// waitFor waits as the other server has asked, and shows that it does.
func waitFor(ctx context.Context, d time.Duration, why string) error {
	step := progress.Begin(ctx, "waiting for "+why, progress.Percent, 0)
	defer step.End()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
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
