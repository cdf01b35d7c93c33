package app

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"sett/internal/app/bench"
	"sett/internal/sett"
)

// BenchFillOptions say what a database is filled with before something of it is measured.
type BenchFillOptions struct {
	Data     string // directory to fill and to keep, or one that is filled; "" for a temporary one
	Database string // "" for SQLite, or the postgres:// URL of a database that is empty, or that Data was filled with
	Notices  int64
	Projects int
	Verbose  io.Writer // where the servers' logs go
}

// with sets up a database that is not filled, and calls measure.
func (o BenchFillOptions) with(ctx context.Context, measure func(Config, bench.FillOptions) error) error {
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
	return inDirectory(o.Data, func(executable, dir string) error {
		cfg := Config{Data: dir, Database: o.Database}
		fill := bench.FillOptions{
			Executable: executable, Data: dir, Database: o.Database, Email: benchEmail, Password: "a password for benchmarks",
			Notices: o.Notices, Projects: o.Projects, Errors: o.Verbose,
		}
		_, err := os.Stat(filepath.Join(dir, bench.FilledFile))
		if errors.Is(err, fs.ErrNotExist) {
			if fill.Token, err = setUpBench(ctx, cfg, fill.Password); err != nil {
				return err
			}
		}
		return measure(cfg, fill)
	})
}
