package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"sett/bench"
	"sett/internal/app"
	"sett/internal/sett"
)

// fillOptions say what a database is filled with before something of it is measured.
type fillOptions struct {
	common
	Data     string // directory to fill and to keep, or one that is filled; "" for a temporary one
	Database string // "" for SQLite, or the postgres:// URL of a database that is empty, or that Data was filled with
	Notices  int64
	Projects int
}

// with sets up a database that is not filled, and calls measure.
func (o fillOptions) with(ctx context.Context, measure func(app.Config, bench.FillOptions) error) error {
	var p sett.Problems
	if o.Notices < 1 {
		p.Add("--notices", "must be at least 1")
	}
	if o.Projects < 1 {
		p.Add("--projects", "must be at least 1")
	}
	if err := p.Refusal(); err != nil {
		return err
	}
	return inDirectory(o.Data, func(dir string) error {
		cfg := app.Config{Data: dir, Database: o.Database}
		fill := bench.FillOptions{
			Executable: o.sett, Data: dir, Database: o.Database, Email: ownerEmail, Password: "a password for benchmarks",
			Notices: o.Notices, Projects: o.Projects, Errors: o.log,
		}
		_, err := os.Stat(filepath.Join(dir, bench.FilledFile))
		if errors.Is(err, fs.ErrNotExist) {
			if fill.Token, err = setUp(ctx, cfg, fill.Password); err != nil {
				return err
			}
		}
		return measure(cfg, fill)
	})
}
