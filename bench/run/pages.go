package main

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"sett/bench"
)

// pagesOptions say what of the pages that people see is measured.
type pagesOptions struct {
	common
	Data   string // directory of a demo, which is made there unless it is there; "" for a temporary one
	Scale  int    // of a demo that is made
	Visits int    // of each screen
}

// measurePages measures how long the pages of a demo take and prints the figures to w.
func measurePages(ctx context.Context, o pagesOptions, w io.Writer) error {
	return inDirectory(o.Data, func(dir string) error {
		r, err := bench.Pages(ctx, bench.PagesOptions{
			Executable: o.sett, Data: dir, Scale: o.Scale, Visits: max(o.Visits, 1), Errors: o.log,
		})
		if err != nil {
			return err
		}
		return printPages(w, o, r)
	})
}

func printPages(w io.Writer, o pagesOptions, r bench.PagesResult) error {
	fmt.Fprintf(w, "pages on SQLite: %d notices, %d faults, %d pages, %d visits to each, one after another\n", r.Notices, r.Faults, len(r.Screens), o.Visits)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "\tfirst\tp50\tp99\tread\tdraw\tCPU\tKB\t\n")
	for _, s := range r.Screens {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%.1f\t\n", s.Name, inMillis(s.First), inMillis(s.P50), inMillis(s.P99), inMillis(s.Read), inMillis(s.Draw), inMillis(s.CPU), float64(s.Bytes)/1000)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "all pages: p50 %s ms · p99 %s ms · server CPU p50 %s ms, p99 %s ms · %d MB peak memory · demo ready after %v\n",
		inMillis(r.P50), inMillis(r.P99), inMillis(r.CPU[0]), inMillis(r.CPU[1]), r.Memory>>20, r.Making.Round(time.Second))
	return err
}

func inMillis(d time.Duration) string {
	return fmt.Sprintf("%.1f", float64(d)/float64(time.Millisecond))
}
