package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"sett/bench"
)

// notifyOptions say what of notifications is measured.
type notifyOptions struct {
	common
	Database     string // "" for SQLite in a temporary directory, or the postgres:// URL of an empty database
	Integrations int    // number of webhooks that receive every new fault
	Faults       int    // made at once, for how many deliveries there are a second
	Samples      int    // new faults whose way to a webhook is timed
	Load         int    // notices a second while intake is busy
}

// measureNotify measures how alerts reach a webhook on this machine and prints the figures to w.
func measureNotify(ctx context.Context, o notifyOptions, w io.Writer) error {
	return onEmpty(ctx, o.Database, func(b place) error {
		r, err := bench.Notify(ctx, bench.NotifyOptions{
			Executable: o.sett, Data: b.cfg.Data, Database: o.Database, Token: b.token, Integrations: o.Integrations,
			Faults: o.Faults, Samples: o.Samples, Load: o.Load, Errors: o.log,
		})
		if err != nil {
			return err
		}
		return printNotify(w, o, r)
	})
}

func printNotify(w io.Writer, o notifyOptions, r bench.NotifyResult) error {
	round := func(d time.Duration) time.Duration { return d.Round(100 * time.Microsecond) }
	_, err := fmt.Fprintf(w, `%d new faults at once, each for %d webhooks: %.0f deliveries/s · %v server CPU per delivery · %d missing · %d more than once
from a notice to its webhook, %d new faults: p50 %v · p99 %v while intake is idle, p50 %v · p99 %v at %.0f other notices/s
%d MB peak memory
`, o.Faults, o.Integrations, r.Rate, r.CPU.Round(time.Microsecond), r.Missing, r.Again,
		o.Samples, round(r.Idle.P50), round(r.Idle.P99), round(r.Busy.P50), round(r.Busy.P99), r.Load, r.Memory>>20)
	return err
}
