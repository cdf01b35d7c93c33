// Command run measures sett on this machine; make bench builds it as bin/sett-bench. It reads flags, sets up empty databases, and prints the
// figures of package bench. It refuses databases that are in use, since a measurement writes and deletes.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := rootCommand().ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "sett-bench:", err)
		os.Exit(1)
	}
}

func rootCommand() *cobra.Command {
	root := &cobra.Command{Use: "sett-bench", Short: "Measure sett on this machine", SilenceErrors: true, SilenceUsage: true}
	root.AddCommand(intakeCommand(), pingsCommand(), statusCommand(), nodesCommand(), uptimeCommand(), notifyCommand(), pagesCommand(), searchCommand(),
		purgeCommand(), upgradesCommand(), importCommand(), floorCommand())
	return root
}

// common is what every measurement takes.
type common struct {
	sett string    // the binary that is measured
	log  io.Writer // where the logs of servers go
}

// command makes a command of a measurement.
func command(name, short string, o *common, measure func(context.Context, io.Writer) error) *cobra.Command {
	verbose := false
	cmd := &cobra.Command{Use: name, Short: short, Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		if o.log = io.Discard; verbose {
			o.log = cmd.ErrOrStderr()
		}
		return measure(cmd.Context(), cmd.OutOrStdout())
	}}
	cmd.Flags().StringVar(&o.sett, "sett", "bin/sett", "sett binary to measure")
	cmd.Flags().BoolVar(&verbose, "verbose", false, "show the logs of the servers")
	return cmd
}

const emptyDatabase = "postgres:// URL of an empty database; empty for SQLite in a temporary directory"

// against makes a command of a measurement against a bare handler.
func against(name, short string, o *options, measure func(context.Context, options, io.Writer) error) *cobra.Command {
	cmd := command(name, short+", compared with a bare HTTP handler in the same run", &o.common,
		func(ctx context.Context, w io.Writer) error { return measure(ctx, *o, w) })
	cmd.Flags().StringVar(&o.Database, "database", "", emptyDatabase)
	cmd.Flags().DurationVar(&o.Duration, "duration", 10*time.Second, "length of each round")
	cmd.Flags().IntVar(&o.Rounds, "rounds", 3, "number of rounds; results are medians over them")
	cmd.Flags().IntVar(&o.Connections, "connections", 128, "number of concurrent connections")
	return cmd
}

func intakeCommand() *cobra.Command {
	var o options
	cmd := against("intake", "Notices per second", &o, measureIntake)
	cmd.Flags().StringVar(&o.Protocol, "protocol", "honeybadger", "honeybadger, or sentry to send the same errors as envelopes too, turn by turn with notices")
	return cmd
}

func pingsCommand() *cobra.Command {
	return against("pings", "Check-in pings per second", new(options), measurePings)
}

func statusCommand() *cobra.Command {
	return against("status", "Status page views per second", new(options), measureStatus)
}

func nodesCommand() *cobra.Command {
	var o options
	nodes := 1
	cmd := command("nodes", "Notices of one fault per second, sent to several servers with one PostgreSQL database", &o.common,
		func(ctx context.Context, w io.Writer) error { return measureNodes(ctx, o, nodes, w) })
	cmd.Flags().StringVar(&o.Database, "database", "", "postgres:// URL of an empty database")
	cmd.Flags().DurationVar(&o.Duration, "duration", 10*time.Second, "duration of the measurement")
	cmd.Flags().IntVar(&nodes, "nodes", 1, "number of servers")
	cmd.Flags().IntVar(&o.Connections, "connections", 24, "number of concurrent connections, over all servers")
	return cmd
}

func uptimeCommand() *cobra.Command {
	var o uptimeOptions
	cmd := command("uptime", "Sites checked every minute, on built-in targets", &o.common,
		func(ctx context.Context, w io.Writer) error { return measureUptime(ctx, o, w) })
	cmd.Flags().StringVar(&o.Database, "database", "", emptyDatabase)
	cmd.Flags().IntVar(&o.Sites, "sites", 10_000, "number of sites")
	cmd.Flags().Float64Var(&o.Hanging, "hanging", 0.1, "share of the sites that never respond")
	cmd.Flags().DurationVar(&o.Duration, "duration", 3*time.Minute, "duration of the measurement, plus two minutes before it and up to two minutes after it")
	return cmd
}

func notifyCommand() *cobra.Command {
	var o notifyOptions
	cmd := command("notify", "Webhook deliveries per second, and the delay of the alert for a new fault", &o.common,
		func(ctx context.Context, w io.Writer) error { return measureNotify(ctx, o, w) })
	cmd.Flags().StringVar(&o.Database, "database", "", emptyDatabase)
	cmd.Flags().IntVar(&o.Integrations, "integrations", 8, "number of webhooks that receive every new fault")
	cmd.Flags().IntVar(&o.Faults, "faults", 1000, "number of new faults that are created at once")
	cmd.Flags().IntVar(&o.Samples, "samples", 300, "number of new faults whose delay is measured")
	cmd.Flags().IntVar(&o.Load, "load", 1000, "other notices per second, for the measurement with busy intake")
	return cmd
}

func pagesCommand() *cobra.Command {
	var o pagesOptions
	cmd := command("pages", "Response times of pages, with many notices and faults", &o.common,
		func(ctx context.Context, w io.Writer) error { return measurePages(ctx, o, w) })
	cmd.Flags().StringVar(&o.Data, "data", "", "directory in which to create and keep the demo, or one that contains a demo; empty for a temporary one")
	cmd.Flags().IntVar(&o.Scale, "scale", 20, "size of the demo, in multiples of 60,000 notices and 1,000 faults")
	cmd.Flags().IntVar(&o.Visits, "visits", 300, "number of visits to each page")
	return cmd
}

func searchCommand() *cobra.Command {
	var o searchOptions
	cmd := filled("search", "Response times of searches by fields of notices, with millions of notices", &o.fillOptions,
		func(ctx context.Context, w io.Writer) error { return measureSearch(ctx, o, w) })
	cmd.Flags().IntVar(&o.Searches, "searches", 100, "number of searches of each kind")
	cmd.Flags().DurationVar(&o.Most, "most", time.Minute, "longest time for the searches of one kind")
	cmd.Flags().IntVar(&o.Starts, "starts", 3, "number of starts of the server for each kind, to measure its first search")
	return cmd
}

func purgeCommand() *cobra.Command {
	var o fillOptions
	return filled("purge", "Duration of the deletion of old notices", &o, func(ctx context.Context, w io.Writer) error { return measurePurge(ctx, o, w) })
}

func importCommand() *cobra.Command {
	var o importOptions
	cmd := command("import", "An import from another error tracker, and what goes on beside it", &o.common,
		func(ctx context.Context, w io.Writer) error { return measureImport(ctx, o, w) })
	cmd.Flags().StringVar(&o.Database, "database", "", emptyDatabase)
	cmd.Flags().IntVar(&o.Issues, "issues", 100_000, "number of issues of the source")
	cmd.Flags().IntVar(&o.Events, "events", 10, "number of events of each")
	return cmd
}

// filled makes a command of a measurement on a filled database.
func filled(name, short string, o *fillOptions, measure func(context.Context, io.Writer) error) *cobra.Command {
	cmd := command(name, short, &o.common, measure)
	cmd.Flags().StringVar(&o.Data, "data", "", "directory in which to store and keep the notices, or one that contains them; empty for a temporary one")
	cmd.Flags().StringVar(&o.Database, "database", "", "postgres:// URL of an empty database, or of the one that --data was filled with; empty for SQLite")
	cmd.Flags().Int64Var(&o.Notices, "notices", 1_000_000, "number of notices")
	cmd.Flags().IntVar(&o.Projects, "projects", 10, "number of projects that they are spread over")
	return cmd
}

// floorCommand is what a measurement against a bare handler runs as a process.
func floorCommand() *cobra.Command {
	address := ""
	cmd := &cobra.Command{Use: "floor", Hidden: true, Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error { return serveFloor(cmd.Context(), address) }}
	cmd.Flags().StringVar(&address, "listen", "127.0.0.1:0", "host and port")
	return cmd
}
