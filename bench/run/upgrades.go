package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"sett/bench"
)

// upgradesOptions say which upgrades are measured.
type upgradesOptions struct {
	common
	Programs, Data, Database string
	Notices, More            int64
	Most                     time.Duration
}

func upgradesCommand() *cobra.Command {
	var o upgradesOptions
	cmd := command("upgrades", "Upgrades of a server that began with the first version and took each later one, with many notices", &o.common,
		func(ctx context.Context, w io.Writer) error { return measureUpgrades(ctx, o, w) })
	cmd.Flags().StringVar(&o.Programs, "programs", "", "directory with earlier binaries, named after their schemas, as make.py --programs makes it")
	cmd.Flags().StringVar(&o.Data, "data", "", "directory for the databases, in which an interrupted measurement goes on; empty for a temporary one")
	cmd.Flags().StringVar(&o.Database, "database", "", "postgres:// URL of a superuser, who makes databases named sett_bench_…; empty for SQLite")
	cmd.Flags().Int64Var(&o.Notices, "notices", 1_000_000, "number of notices that the first version stores")
	cmd.Flags().Int64Var(&o.More, "more", 20_000, "number of notices that each later version stores")
	cmd.Flags().DurationVar(&o.Most, "most", 30*time.Minute, "how long background work is watched after an upgrade")
	return cmd
}

// measureUpgrades measures upgrades and prints the figures of each to w, as soon as they are there.
func measureUpgrades(ctx context.Context, o upgradesOptions, w io.Writer) error {
	return inDirectory(o.Data, func(dir string) error {
		measured := bench.UpgradesOptions{
			Executable: o.sett, Programs: o.Programs, Data: dir, Keeps: o.Data != "", Postgres: o.Database, Notices: o.Notices, More: o.More, Most: o.Most, Errors: o.log,
		}
		return bench.Upgrades(ctx, measured, func(u bench.Upgrade) error { return printUpgrade(w, u) })
	})
}

func printUpgrade(w io.Writer, u bench.Upgrade) error {
	seconds := func(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
	fmt.Fprintf(w, "from schema %d, %d notices: %s (%s CPU), %d MB before, %d MB at most, %d MB after, a copy of %d MB\n",
		u.Schema, u.Notices, seconds(u.Took), seconds(u.CPU), u.Before/1_000_000, u.Peak/1_000_000, u.After/1_000_000, u.Copy/1_000_000)
	fmt.Fprintf(w, "  background work: %s (%s CPU)", seconds(u.Settling), seconds(u.SettlingCPU))
	if u.Unfinished > 0 {
		fmt.Fprint(w, ", not finished")
	}
	for _, p := range u.Probes {
		fmt.Fprintf(w, " · %s: p50 %s ms, p99 %s ms, worst %s ms, %d of %d failed",
			p.Name, inMillis(p.Quantile(0.5)), inMillis(p.Quantile(0.99)), inMillis(p.Quantile(1)), p.Failed, p.Sent())
	}
	backup := ""
	if u.Backup > 0 {
		backup = " after a backup of " + seconds(u.Backup)
	}
	_, err := fmt.Fprintf(w, "\n  back in %s%s\n", seconds(u.Back), backup)
	return err
}
