package operate

import (
	"context"
	"os"
	"time"

	"sett/internal/app/movein"
	"sett/internal/app/movein/errand"
	"sett/internal/app/movein/fromfile"
	"sett/internal/app/movein/fromgatus"
	"sett/internal/app/movein/fromkuma"
	"sett/internal/app/movein/fromopenstatus"
	"sett/internal/sett/accounts"
	"sett/internal/sett/move"
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

// ImportFromGatus brings what files of the configuration of Gatus say, or those of a directory, as ImportFromKuma does.
func ImportFromGatus(ctx context.Context, in Installation, paths []string, o WatchImport) (*move.Report, error) {
	return importWatched(ctx, in, o, "sett import gatus", func(context.Context) (*move.Monitoring, error) {
		files, err := fromfile.Read(paths)
		if err != nil {
			return nil, err
		}
		return fromgatus.Read(files, o.Project, os.LookupEnv)
	})
}

// ImportFromOpenStatus brings the monitors that files of OpenStatus have, or those of a directory, as ImportFromKuma does.
func ImportFromOpenStatus(ctx context.Context, in Installation, paths []string, o WatchImport) (*move.Report, error) {
	return importWatched(ctx, in, o, "sett import openstatus", func(context.Context) (*move.Monitoring, error) {
		files, err := fromfile.Read(paths)
		if err != nil {
			return nil, err
		}
		return fromopenstatus.Read(files, o.Project)
	})
}

// HealthchecksImport says which project of Healthchecks is brought.
type HealthchecksImport struct{ URL, Token string }

// ImportFromHealthchecks brings the checks of a project of Healthchecks, as ImportFromKuma does.
func ImportFromHealthchecks(ctx context.Context, in Installation, from HealthchecksImport, o WatchImport) (*move.Report, error) {
	return Import{Token: from.Token, Account: o.Account, DryRun: o.DryRun}.run(ctx, in, move.Settings{From: move.FromHealthchecks, URL: from.URL, Project: o.Project})
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
			Rules: errand.Rules(hostOf(in.BaseURL)),
			Audited: func(ctx context.Context, project string) context.Context {
				return a.audited(ctx, accounts.OperatorAction{Command: command, Name: "createProject", AccountID: owner.AccountID, Account: project})
			},
		})
	})
}
