package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"sett/bench"
)

// uptimeOptions say what of uptime checks is measured.
type uptimeOptions struct {
	common
	Database string        // "" for SQLite in a temporary directory, or the postgres:// URL of an empty database
	Sites    int           // each is checked every minute
	Hanging  float64       // share of the sites that never respond
	Duration time.Duration // for which intervals are measured
}

// measureUptime measures how well a server keeps to the minute with many sites, on targets that it starts on loopback
// addresses, and prints the figures to w.
func measureUptime(ctx context.Context, o uptimeOptions, w io.Writer) error {
	return onEmpty(ctx, o.Database, func(b place) error {
		r, err := bench.Uptime(ctx, bench.UptimeOptions{
			Executable: o.sett, Data: b.cfg.Data, Database: o.Database, Token: b.token, Sites: o.Sites, Hanging: o.Hanging,
			Duration: o.Duration, Errors: o.log,
		})
		if err != nil {
			return err
		}
		return printUptime(w, o, r)
	})
}

func printUptime(w io.Writer, o uptimeOptions, r bench.UptimeResult) error {
	coverage := "not every site was checked within 2 min"
	if r.Coverage > 0 {
		coverage = fmt.Sprintf("every site was checked after %.1f s", r.Coverage.Seconds())
	}
	_, err := fmt.Fprintf(w, `%d sites, each every minute, %d of them never respond; measured for %v
%d checks of sites that respond · interval %.2f s minimum, %.2f s median, %.2f s maximum · %d intervals over 90 s
%v server CPU per check · %d MB peak memory · after kill -9 and a restart %s
`, r.Sites, r.Hanging, o.Duration, r.Checks, r.Interval[0].Seconds(), r.Interval[1].Seconds(), r.Interval[2].Seconds(), r.Missed,
		r.CPU.Round(time.Microsecond), r.Memory>>20, coverage)
	return err
}
