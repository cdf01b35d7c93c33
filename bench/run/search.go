package main

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"sett/bench"
	"sett/internal/app"
)

// searchOptions say what of searches is measured.
type searchOptions struct {
	fillOptions
	Searches int           // of each kind
	Most     time.Duration // that the searches of one kind may take
	Starts   int           // of the server, for each kind, to measure its first search
}

// measureSearch measures searches by the fields of notices and prints the figures to w.
func measureSearch(ctx context.Context, o searchOptions, w io.Writer) error {
	return o.with(ctx, func(cfg app.Config, fill bench.FillOptions) error {
		r, err := bench.Search(ctx, bench.SearchOptions{FillOptions: fill, Searches: max(o.Searches, 1), Most: o.Most, Starts: max(o.Starts, 1)})
		if err != nil {
			return err
		}
		disk, err := diskBytes(ctx, cfg)
		if err != nil {
			return err
		}
		return printSearch(w, r, disk)
	})
}

func printSearch(w io.Writer, r bench.SearchResult, disk int64) error {
	fmt.Fprintf(w, "%d notices in %d projects, %d bytes on disk per notice, sent at %.0f/s\n", r.Notices, len(r.Projects), disk/max(r.Notices+r.Added, 1), r.Rate)
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
