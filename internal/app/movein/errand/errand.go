// Package errand runs imports from other servers, for the command line and for pages. It takes settings with a token, whose account it is
// for, and what this server can have; it opens the source and brings what there is, or says what it would bring. Imports of a page wait in the store: a
// worker takes one after the other under a lease, notes how far it is, and ends when people stop it. It sends no mail, and says the token to
// no one but the source.
package errand

import (
	"context"
	"errors"
	"net/http"
	"time"

	"sett/internal/app/movein"
	"sett/internal/app/movein/frombugsink"
	"sett/internal/app/movein/fromfile"
	"sett/internal/app/movein/fromgatus"
	"sett/internal/app/movein/fromhealthchecks"
	"sett/internal/app/movein/fromhoneybadger"
	"sett/internal/app/movein/fromopenstatus"
	"sett/internal/app/movein/fromsentry"
	"sett/internal/base/progress"
	"sett/internal/monitor/probe"
	"sett/internal/notify/channel"
	"sett/internal/sett/accounts"
	"sett/internal/sett/move"
	"sett/internal/sett/status"
	"sett/internal/store/movedb"
)

// RequestLasts is how long one request to the other server may take.
const RequestLasts = 2 * time.Minute

// Errand is one import from another server.
type Errand struct {
	move.Settings
	Token  string
	DryRun bool
	Source movein.Source // nil: that of the settings

	Moves *movedb.Store
	Code  movein.Code
	Owner movedb.Owner
	Role  accounts.Role // of the owner in the account: only an owner invites owners
	Host  string        // of this server, which no status page can have as its own

	Do  func(*http.Request) (*http.Response, error) // asks the other server, within the rules for outbound requests
	Now func() time.Time

	Audited func(ctx context.Context, action, of string) context.Context // of a change that makes a project, a team or an invitation
}

// Run brings what there is, or says what it would bring. It can be stopped at any moment and run again. The report is there once anything was
// read, also with an error.
func (e Errand) Run(ctx context.Context) (*move.Report, error) {
	if e.Monitor() {
		return e.watch(ctx)
	}
	source, err := e.source()
	if err != nil {
		return nil, err
	}
	if e.Role != accounts.Owner {
		source = modest{source}
	}
	return movein.Run(ctx, movein.Options{
		Source: source, Moves: e.Moves, Code: e.Code, Owner: e.Owner, Projects: e.Projects, Events: e.Events, DryRun: e.DryRun,
		OpenFirst: e.From == move.FromHoneybadger, Rules: Rules(e.Host), Now: e.Now, Audited: e.Audited,
	})
}

func (e Errand) source() (movein.Source, error) {
	if e.Source != nil {
		return e.Source, nil
	}
	switch e.From {
	case move.FromHoneybadger:
		return fromhoneybadger.New(fromhoneybadger.Options{URL: e.URL, Token: e.Token, Account: e.Theirs, Now: e.Now, Wait: waitFor, Do: e.Do})
	case move.FromBugsink:
		return frombugsink.New(frombugsink.Options{URL: e.URL, Token: e.Token, Now: e.Now, Wait: waitFor, Do: e.Do})
	}
	return fromsentry.New(fromsentry.Options{URL: e.URL, Token: e.Token, Org: e.Org, Now: e.Now, Wait: waitFor, Do: e.Do})
}

func (e Errand) watch(ctx context.Context) (*move.Report, error) {
	found, err := e.watched(ctx)
	if err != nil {
		return nil, err
	}
	return movein.RunWatch(ctx, movein.WatchOptions{
		Found: found, Moves: e.Moves, Owner: e.Owner, Project: move.Line(e.Project, move.MostName), DryRun: e.DryRun, Rules: Rules(e.Host), Now: e.Now,
		Audited: func(ctx context.Context, project string) context.Context {
			return e.Audited(ctx, "createProject", project)
		},
	})
}

// watched reads what another monitor watches. Variables of files have no values here: those of this server are not for who imports.
func (e Errand) watched(ctx context.Context) (*move.Monitoring, error) {
	if !e.OfFiles() {
		return fromhealthchecks.Read(ctx, fromhealthchecks.Options{URL: e.URL, Token: e.Token, Now: e.Now, Wait: waitFor, Do: e.Do})
	}
	packed, err := move.UnpackFiles(e.Token)
	if err != nil {
		return nil, err
	}
	var files []fromfile.File
	for _, f := range packed {
		files = append(files, fromfile.File(f))
	}
	if e.From == move.FromGatus {
		return fromgatus.Read(files, e.Project, nil)
	}
	return fromopenstatus.Read(files, e.Project)
}

// Rules say what a server with a host can have.
func Rules(host string) movein.Rules {
	return movein.Rules{Sites: probe.Rules(), Channels: channel.Rules(), Pages: status.StatusPageRules{Hosts: []string{host}}}
}

// modest is a source whose owners come as admins, since who asked for the import may not invite owners.
type modest struct{ movein.Source }

// People returns what the source says, with other roles.
func (m modest) People(ctx context.Context, projects []move.Project) ([]move.Team, []move.Member, []move.Left, error) {
	teams, members, left, err := m.Source.People(ctx, projects)
	for i, member := range members {
		if member.Role == "owner" {
			members[i].Role = "admin"
			left = append(left, move.Left{
				Noun: "owners", Name: member.Email, Why: "They are invited as an admin, because only an owner invites owners. An owner can change the role.", Page: move.PeoplePage,
			})
		}
	}
	return teams, members, left, err
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

// errStopped says that people stopped an import, or that another server runs it.
var errStopped = errors.New("the import is not run here any more")
