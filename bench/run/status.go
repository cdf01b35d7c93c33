package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
	"time"

	"sett/bench"
)

// measureStatus measures views of a status page against a bare net/http handler and prints the figures to w. It starts both
// as processes.
func measureStatus(ctx context.Context, o options, w io.Writer) error {
	return onEmpty(ctx, o.Database, func(b place) error {
		r, err := bench.Status(ctx, bench.Options{
			Executable: o.sett, Floor: os.Args[0], Data: b.cfg.Data, Database: o.Database, Token: b.token, Duration: o.Duration,
			Rounds: o.Rounds, Connections: o.Connections, Errors: o.log,
		})
		if err != nil {
			return err
		}
		return printStatus(w, o, r)
	})
}

func printStatus(w io.Writer, o options, r bench.Result) error {
	fmt.Fprintf(w, "views of a status page: %d connections, %d rounds of %v, %.1f KB sent per view\n",
		o.Connections, o.Rounds, o.Duration, float64(r.BodyBytes)/1000)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "\tviews/s\tserver CPU per view\t\n")
	fmt.Fprintf(t, "bare net/http\t%.0f\t%v\t\n", r.FloorRate, r.FloorCPU.Round(100*time.Nanosecond))
	fmt.Fprintf(t, "sett\t%.0f\t%v\t\n", r.Rate, r.CPU.Round(100*time.Nanosecond))
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "ratio %.2f · p50 %v · p99 %v · %d views · %d MB peak memory\n",
		r.Ratio, r.P50.Round(100*time.Microsecond), r.P99.Round(100*time.Microsecond), r.Accepted, r.Memory>>20)
	return err
}
