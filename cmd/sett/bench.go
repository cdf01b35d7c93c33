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
		benchIntakeCommand(),
		benchCommandOf("pings", "Check-in pings per second, compared with a bare HTTP handler in the same run", app.BenchPings),
		benchCommandOf("status", "Status page views per second, compared with a bare HTTP handler in the same run", app.BenchStatus),
		benchNodesCommand(), benchUptimeCommand(), benchNotifyCommand(), benchPagesCommand(), benchSearchCommand(), benchPurgeCommand(), benchFloorCommand(),
	)
	return cmd
}

func benchIntakeCommand() *cobra.Command {
	protocol := ""
	cmd := benchCommandOf("intake", "Notices per second, compared with a bare HTTP handler in the same run", func(ctx context.Context, o app.BenchOptions, w io.Writer) error {
		o.Protocol = protocol
		return app.BenchIntake(ctx, o, w)
	})
	cmd.Flags().StringVar(&protocol, "protocol", "honeybadger", "honeybadger, or sentry to send the same errors as envelopes too, turn by turn with notices")
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
	cmd.Flags().StringVar(&o.Database, "database", "", "postgres:// URL of an empty database; empty for SQLite in a temporary directory")
	cmd.Flags().DurationVar(&o.Duration, "duration", 10*time.Second, "length of each round")
	cmd.Flags().IntVar(&o.Rounds, "rounds", 3, "number of rounds; results are medians over them")
	cmd.Flags().IntVar(&o.Connections, "connections", 128, "number of concurrent connections")
	cmd.Flags().BoolVar(&verbose, "verbose", false, "show the logs of the servers")
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
		Short: "Notices of one fault per second, sent to several servers with one PostgreSQL database",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Verbose = logOf(cmd, verbose)
			return app.BenchNodes(cmd.Context(), o, nodes, cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&o.Database, "database", "", "postgres:// URL of an empty database")
	cmd.Flags().DurationVar(&o.Duration, "duration", 10*time.Second, "duration of the measurement")
	cmd.Flags().IntVar(&nodes, "nodes", 1, "number of servers")
	cmd.Flags().IntVar(&o.Connections, "connections", 24, "number of concurrent connections, over all servers")
	cmd.Flags().BoolVar(&verbose, "verbose", false, "show the logs of the servers")
	return cmd
}

func benchUptimeCommand() *cobra.Command {
	o := app.BenchUptimeOptions{}
	verbose := false
	cmd := &cobra.Command{
		Use:   "uptime",
		Short: "Sites checked every minute, on built-in targets",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Verbose = logOf(cmd, verbose)
			return app.BenchUptime(cmd.Context(), o, cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&o.Database, "database", "", "postgres:// URL of an empty database; empty for SQLite in a temporary directory")
	cmd.Flags().IntVar(&o.Sites, "sites", 10_000, "number of sites")
	cmd.Flags().Float64Var(&o.Hanging, "hanging", 0.1, "share of the sites that never respond")
	cmd.Flags().DurationVar(&o.Duration, "duration", 3*time.Minute, "duration of the measurement, plus two minutes before it and up to two minutes after it")
	cmd.Flags().BoolVar(&verbose, "verbose", false, "show the log of the server")
	return cmd
}

func benchNotifyCommand() *cobra.Command {
	o := app.BenchNotifyOptions{}
	verbose := false
	cmd := &cobra.Command{
		Use:   "notify",
		Short: "Webhook deliveries per second, and the delay of the alert for a new fault",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Verbose = logOf(cmd, verbose)
			return app.BenchNotify(cmd.Context(), o, cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&o.Database, "database", "", "postgres:// URL of an empty database; empty for SQLite in a temporary directory")
	cmd.Flags().IntVar(&o.Integrations, "integrations", 8, "number of webhooks that receive every new fault")
	cmd.Flags().IntVar(&o.Faults, "faults", 1000, "number of new faults that are created at once")
	cmd.Flags().IntVar(&o.Samples, "samples", 300, "number of new faults whose delay is measured")
	cmd.Flags().IntVar(&o.Load, "load", 1000, "other notices per second, for the measurement with busy intake")
	cmd.Flags().BoolVar(&verbose, "verbose", false, "show the log of the server")
	return cmd
}

func benchPagesCommand() *cobra.Command {
	o := app.BenchPagesOptions{}
	verbose := false
	cmd := &cobra.Command{
		Use:   "pages",
		Short: "Response times of pages, with many notices and faults",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Verbose = logOf(cmd, verbose)
			return app.BenchPages(cmd.Context(), o, cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&o.Data, "data", "", "directory in which to create and keep the demo, or one that contains a demo; empty for a temporary one")
	cmd.Flags().IntVar(&o.Scale, "scale", 20, "size of the demo, in multiples of 60,000 notices and 1,000 faults")
	cmd.Flags().IntVar(&o.Visits, "visits", 300, "number of visits to each page")
	cmd.Flags().BoolVar(&verbose, "verbose", false, "show the log of the server")
	return cmd
}

func benchSearchCommand() *cobra.Command {
	o := app.BenchSearchOptions{}
	cmd := filledCommandOf("search", "Response times of searches by fields of notices, with millions of notices", &o.BenchFillOptions,
		func(cmd *cobra.Command) error { return app.BenchSearch(cmd.Context(), o, cmd.OutOrStdout()) })
	cmd.Flags().IntVar(&o.Searches, "searches", 100, "number of searches of each kind")
	cmd.Flags().DurationVar(&o.Most, "most", time.Minute, "longest time for the searches of one kind")
	cmd.Flags().IntVar(&o.Starts, "starts", 3, "number of starts of the server for each kind, to measure its first search")
	return cmd
}

func benchPurgeCommand() *cobra.Command {
	o := app.BenchFillOptions{}
	return filledCommandOf("purge", "Duration of the deletion of old notices", &o,
		func(cmd *cobra.Command) error { return app.BenchPurge(cmd.Context(), o, cmd.OutOrStdout()) })
}

// filledCommandOf makes a command of a measurement on a filled database.
func filledCommandOf(name, short string, o *app.BenchFillOptions, measure func(*cobra.Command) error) *cobra.Command {
	verbose := false
	cmd := &cobra.Command{
		Use:   name,
		Short: short,
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Verbose = logOf(cmd, verbose)
			return measure(cmd)
		},
	}
	cmd.Flags().StringVar(&o.Data, "data", "", "directory in which to store and keep the notices, or one that contains them; empty for a temporary one")
	cmd.Flags().StringVar(&o.Database, "database", "", "postgres:// URL of an empty database, or of the one that --data was filled with; empty for SQLite")
	cmd.Flags().Int64Var(&o.Notices, "notices", 1_000_000, "number of notices")
	cmd.Flags().IntVar(&o.Projects, "projects", 10, "number of projects that they are spread over")
	cmd.Flags().BoolVar(&verbose, "verbose", false, "show the logs of the servers")
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
