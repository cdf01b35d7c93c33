package main

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"

	"sett/bench"
	"sett/internal/app"
)

// importOptions say what is imported.
type importOptions struct {
	common
	Database       string // "" for SQLite, or the postgres:// URL of an empty database
	Issues, Events int
}

// measureImport measures an import and what goes on beside it, and prints the figures to w.
func measureImport(ctx context.Context, o importOptions, w io.Writer) error {
	fill := fillOptions{common: o.common, Database: o.Database, Notices: 1, Projects: 1}
	return fill.with(ctx, func(_ app.Config, f bench.FillOptions) error {
		r, err := bench.Import(ctx, bench.ImportOptions{FillOptions: f, Issues: o.Issues, Events: o.Events})
		if err != nil {
			return err
		}
		seconds := r.Took.Seconds()
		fmt.Fprintf(w, "%d errors with %d events came in %.0f s: %.0f errors/s, %.0f events/s · %.0f s of CPU, %d MB of the command\n",
			r.Errors, r.NewEvents, seconds, float64(r.Errors)/seconds, float64(r.NewEvents)/seconds, r.CPU.Seconds(), r.Memory>>20)
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintln(t, "\tbefore p50 ms\tp99 ms\tbeside p50 ms\tp99 ms\tworst ms\tsent\tfailed\t")
		for i, before := range r.Before {
			p := r.Beside[i]
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%d\t%d\t\n", p.Name, inMillis(before.Quantile(0.5)), inMillis(before.Quantile(0.99)),
				inMillis(p.Quantile(0.5)), inMillis(p.Quantile(0.99)), inMillis(p.Quantile(1)), p.Sent(), p.Failed)
		}
		return t.Flush()
	})
}
