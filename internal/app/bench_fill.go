package app

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"sett/internal/bench"
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
	executable, err := os.Executable()
	if err != nil {
		return err
	}
	if o.Data == "" {
		if o.Data, err = os.MkdirTemp("", "sett-bench-"); err != nil {
			return err
		}
		defer os.RemoveAll(o.Data)
	}
	cfg := Config{Data: o.Data, Database: o.Database}
	fill := bench.FillOptions{
		Executable: executable, Data: o.Data, Database: o.Database, Email: "bench@example.test", Password: "a password for benchmarks",
		Notices: o.Notices, Projects: o.Projects, Errors: o.Verbose,
	}
	if _, err := os.Stat(filepath.Join(o.Data, bench.FilledFile)); errors.Is(err, fs.ErrNotExist) {
		made, err := Setup(ctx, cfg, SetupOptions{Email: fill.Email, Name: "Bench", Password: fill.Password, Account: "Bench", Project: "Bench"})
		if err != nil {
			return err
		}
		fill.Token = made.AuthToken
	}
	return measure(cfg, fill)
}
