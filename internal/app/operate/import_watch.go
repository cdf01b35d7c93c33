package operate

import (
	"context"
	"time"

	"sett/internal/app/movein"
	"sett/internal/app/movein/fromhealthchecks"
	"sett/internal/app/movein/fromkuma"
	"sett/internal/base/dial"
	"sett/internal/monitor/probe"
	"sett/internal/notify/channel"
	"sett/internal/sett/accounts"
	"sett/internal/sett/move"
	"sett/internal/sett/status"
)

// WatchImport says what is brought from another monitor.
type WatchImport struct {
	Project string // name of the project that all of it goes to
	Account string // id of the account that has the project; "" if there is one
	DryRun  bool
}

// ImportFromKuma brings what Uptime Kuma watches from its database file, beside a live server or without one.
func ImportFromKuma(ctx context.Context, in Installation, path string, o WatchImport) (*move.Report, error) {
	return importWatched(ctx, in, o, "sett import kuma", func(ctx context.Context) (*move.Monitoring, error) { return fromkuma.Read(ctx, path) })
}

// HealthchecksImport says which project of Healthchecks is brought.
type HealthchecksImport struct{ URL, Token string }

// ImportFromHealthchecks brings the checks of a project of Healthchecks, as ImportFromKuma does.
func ImportFromHealthchecks(ctx context.Context, in Installation, from HealthchecksImport, o WatchImport) (*move.Report, error) {
	return importWatched(ctx, in, o, "sett import healthchecks", func(ctx context.Context) (*move.Monitoring, error) {
		return fromhealthchecks.Read(ctx, fromhealthchecks.Options{
			URL: from.URL, Token: from.Token, Now: time.Now, Wait: waitFor,
			Do: dial.New(dial.Anywhere()).Client(requestLasts).Do, // the operator has set it
		})
	})
}

// importWatched stores what read returns. The report is there once anything was stored, also with an error.
func importWatched(ctx context.Context, in Installation, o WatchImport, command string, read func(context.Context) (*move.Monitoring, error)) (*move.Report, error) {
	return administer(ctx, in, func(a *administration) (*move.Report, error) {
		owner, err := a.ownerOf(ctx, o.Account)
		if err != nil {
			return nil, err
		}
		if err := a.problems.Err(); err != nil {
			return nil, err
		}
		found, err := read(ctx)
		if err != nil {
			return nil, err
		}
		return movein.RunWatch(ctx, movein.WatchOptions{
			Found: found, Moves: a.Moves, Owner: owner, Project: move.Line(o.Project, move.MostName), DryRun: o.DryRun, Now: time.Now,
			Sites: probe.Rules(), Channels: channel.Rules(), Pages: status.StatusPageRules{Hosts: []string{hostOf(in.BaseURL)}},
			Audited: func(ctx context.Context, project string) context.Context {
				return a.audited(ctx, accounts.OperatorAction{Command: command, Name: "createProject", AccountID: owner.AccountID, Account: project})
			},
		})
	})
}
