package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"text/tabwriter"
	"time"

	"sett/internal/bench"
)

// BenchSearchOptions say what of searches is measured.
type BenchSearchOptions struct {
	Data     string // directory to fill and to keep, or one that is filled; "" for a temporary one
	Database string // "" for SQLite, or the postgres:// URL of a database that is empty, or that Data was filled with
	Notices  int64
	Projects int
	Searches int           // of each kind
	Most     time.Duration // that the searches of one kind may take
	Verbose  io.Writer
}

const benchEmail, benchPassword = "bench@example.test", "a password for benchmarks"

// BenchSearch measures searches by the fields of notices and prints the figures to w.
func BenchSearch(ctx context.Context, o BenchSearchOptions, w io.Writer) error {
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
	var token string
	if _, err := os.Stat(filepath.Join(o.Data, bench.FilledFile)); errors.Is(err, fs.ErrNotExist) {
		made, err := Setup(ctx, cfg, SetupOptions{Email: benchEmail, Name: "Bench", Password: benchPassword, Account: "Bench", Project: "Bench"})
		if err != nil {
			return err
		}
		token = made.AuthToken
	}
	r, err := bench.Search(ctx, bench.SearchOptions{
		Executable: executable, Data: o.Data, Database: o.Database, Token: token, Email: benchEmail, Password: benchPassword,
		Notices: o.Notices, Projects: o.Projects, Searches: max(o.Searches, 1), Most: o.Most, Errors: o.Verbose,
	})
	if err != nil {
		return err
	}
	disk, err := diskBytes(ctx, cfg)
	if err != nil {
		return err
	}
	return printSearch(w, r, disk)
}

func printSearch(w io.Writer, r bench.SearchResult, disk int64) error {
	fmt.Fprintf(w, "%d notices in %d projects, %d bytes on disk per notice", r.Notices, r.Projects, disk/max(r.Notices, 1))
	if r.Filling > 0 {
		fmt.Fprintf(w, ", sent in %v", r.Filling.Round(time.Second))
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "\tsearch\tthrough\tp50 ms\tp99 ms\tsearches\tfailed\t\n")
	for _, row := range r.Rows {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%d\t%d\t\n", row.When, row.Kind, row.Through, inMillis(row.P50), inMillis(row.P99), row.Searches, row.Failed)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "intake while busy: %.0f notices/s · %d MB peak memory\n", r.Load, r.Memory>>20)
	return err
}
