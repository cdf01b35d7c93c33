package main

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"sett/internal/app"
)

func benchCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "bench", Short: "Measure this machine and this binary"}
	cmd.AddCommand(
		benchCommandOf("intake", "Notices a second, against a bare HTTP handler in the same run", app.BenchIntake),
		benchCommandOf("pings", "Pings to check-ins a second, against a bare HTTP handler in the same run", app.BenchPings),
		benchCommandOf("status", "Views of a status page a second, against a bare HTTP handler in the same run", app.BenchStatus),
		benchNodesCommand(), benchUptimeCommand(), benchNotifyCommand(), benchPagesCommand(), benchFloorCommand(),
	)
	return cmd
}

// benchCommandOf makes a command of a measurement.
func benchCommandOf(name, short string, measure func(context.Context, app.BenchOptions, io.Writer) error) *cobra.Command {
	o := app.BenchOptions{}
	verbose := false
	cmd := &cobra.Command{
		Use:   name,
		Short: short,
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Verbose = logOf(cmd, verbose)
			return measure(cmd.Context(), o, cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&o.Database, "database", "", "postgres:// address of an empty database; SQLite in a temporary directory without it")
	cmd.Flags().DurationVar(&o.Duration, "duration", 10*time.Second, "length of each stretch")
	cmd.Flags().IntVar(&o.Rounds, "rounds", 3, "number of stretches; figures are medians over them")
	cmd.Flags().IntVar(&o.Connections, "connections", 128, "connections that are used at the same time")
	cmd.Flags().BoolVar(&verbose, "verbose", false, "show the log of the servers")
	return cmd
}

// logOf returns where the logs of measured servers go.
func logOf(cmd *cobra.Command, verbose bool) io.Writer {
	if verbose {
		return cmd.ErrOrStderr()
	}
	return io.Discard
}

func benchNodesCommand() *cobra.Command {
	o := app.BenchOptions{}
	nodes, verbose := 1, false
	cmd := &cobra.Command{
		Use:   "nodes",
		Short: "Notices of one fault a second, to several servers of one PostgreSQL",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Verbose = logOf(cmd, verbose)
			return app.BenchNodes(cmd.Context(), o, nodes, cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&o.Database, "database", "", "postgres:// address of an empty database")
	cmd.Flags().DurationVar(&o.Duration, "duration", 10*time.Second, "how long is measured")
	cmd.Flags().IntVar(&nodes, "nodes", 1, "number of servers")
	cmd.Flags().IntVar(&o.Connections, "connections", 24, "connections that are used at the same time, over all servers")
	cmd.Flags().BoolVar(&verbose, "verbose", false, "show the log of the servers")
	return cmd
}

func benchUptimeCommand() *cobra.Command {
	o := app.BenchUptimeOptions{}
	verbose := false
	cmd := &cobra.Command{
		Use:   "uptime",
		Short: "Sites that are checked every minute, on targets of its own",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Verbose = logOf(cmd, verbose)
			return app.BenchUptime(cmd.Context(), o, cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&o.Database, "database", "", "postgres:// address of an empty database; SQLite in a temporary directory without it")
	cmd.Flags().IntVar(&o.Sites, "sites", 10_000, "how many sites there are")
	cmd.Flags().Float64Var(&o.Hanging, "hanging", 0.1, "the share of them that never answers")
	cmd.Flags().DurationVar(&o.Duration, "duration", 3*time.Minute, "how long is measured; two minutes before that and up to two after it come on top")
	cmd.Flags().BoolVar(&verbose, "verbose", false, "show the log of the server")
	return cmd
}

func benchNotifyCommand() *cobra.Command {
	o := app.BenchNotifyOptions{}
	verbose := false
	cmd := &cobra.Command{
		Use:   "notify",
		Short: "Alerts a second to webhooks, and how long a new fault takes to arrive there",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Verbose = logOf(cmd, verbose)
			return app.BenchNotify(cmd.Context(), o, cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&o.Database, "database", "", "postgres:// address of an empty database; SQLite in a temporary directory without it")
	cmd.Flags().IntVar(&o.Integrations, "integrations", 8, "webhooks that want every new fault")
	cmd.Flags().IntVar(&o.Faults, "faults", 1000, "new faults that are made at once")
	cmd.Flags().IntVar(&o.Samples, "samples", 300, "new faults whose way is timed")
	cmd.Flags().IntVar(&o.Load, "load", 1000, "other notices a second, for the time while intake is busy")
	cmd.Flags().BoolVar(&verbose, "verbose", false, "show the log of the server")
	return cmd
}

func benchPagesCommand() *cobra.Command {
	o := app.BenchPagesOptions{}
	verbose := false
	cmd := &cobra.Command{
		Use:   "pages",
		Short: "How long the pages that people see take, with many notices and faults",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Verbose = logOf(cmd, verbose)
			return app.BenchPages(cmd.Context(), o, cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&o.Data, "data", "", "directory to make the demo in and to keep it, or one that holds a demo; a temporary one without it")
	cmd.Flags().IntVar(&o.Scale, "scale", 20, "how many times 60,000 notices and 1,000 faults the demo has that is made")
	cmd.Flags().IntVar(&o.Visits, "visits", 300, "how often each screen is visited")
	cmd.Flags().BoolVar(&verbose, "verbose", false, "show the log of the server")
	return cmd
}

// benchFloorCommand is what the measurement runs as a process of its own.
func benchFloorCommand() *cobra.Command {
	address := ""
	cmd := &cobra.Command{
		Use: "floor", Hidden: true, Args: noArguments,
		RunE: func(*cobra.Command, []string) error { return app.BenchFloor(address) },
	}
	cmd.Flags().StringVar(&address, "listen", "127.0.0.1:0", "host and port")
	return cmd
}
