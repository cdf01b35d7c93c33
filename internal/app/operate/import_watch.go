package operate

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"sett/internal/app/movein"
	"sett/internal/app/movein/fromgatus"
	"sett/internal/app/movein/fromhealthchecks"
	"sett/internal/app/movein/fromkuma"
	"sett/internal/base/dial"
	"sett/internal/monitor/probe"
	"sett/internal/notify/channel"
	"sett/internal/sett"
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

// ImportFromGatus brings what files of the configuration of Gatus say, or those of a directory, as ImportFromKuma does.
func ImportFromGatus(ctx context.Context, in Installation, paths []string, o WatchImport) (*move.Report, error) {
	return importWatched(ctx, in, o, "sett import gatus", func(context.Context) (*move.Monitoring, error) {
		files, err := gatusFiles(paths)
		if err != nil {
			return nil, err
		}
		return fromgatus.Read(files, o.Project, os.LookupEnv)
	})
}

// gatusFiles reads files, and those of directories that Gatus would read, by name.
func gatusFiles(paths []string) (files []fromgatus.File, err error) {
	for _, path := range paths {
		names := []string{path}
		if stat, err := os.Stat(path); err == nil && stat.IsDir() {
			yaml, _ := filepath.Glob(filepath.Join(path, "*.yaml")) // the pattern is well formed
			yml, _ := filepath.Glob(filepath.Join(path, "*.yml"))
			if names = slices.Sorted(slices.Values(append(yaml, yml...))); len(names) == 0 {
				return nil, sett.Errorf(sett.Invalid, "%s has no file that ends with .yaml or .yml", path)
			}
		}
		for _, name := range names {
			f, err := os.Open(name)
			if err != nil {
				return nil, err
			}
			text, err := io.ReadAll(io.LimitReader(f, fromgatus.MostText+1))
			if err := errors.Join(err, f.Close()); err != nil {
				return nil, err
			}
			files = append(files, fromgatus.File{Name: name, Text: text})
		}
	}
	return files, nil
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

// importRules say what this installation can have.
func importRules(in Installation) movein.Rules {
	return movein.Rules{Sites: probe.Rules(), Channels: channel.Rules(), Pages: status.StatusPageRules{Hosts: []string{hostOf(in.BaseURL)}}}
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
			Rules: importRules(in),
			Audited: func(ctx context.Context, project string) context.Context {
				return a.audited(ctx, accounts.OperatorAction{Command: command, Name: "createProject", AccountID: owner.AccountID, Account: project})
			},
		})
	})
}
