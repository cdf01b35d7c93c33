package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"text/tabwriter"
	"time"

	"sett/bench"
	"sett/internal/app"
	"sett/internal/app/operate"
	"sett/internal/sett"
	"sett/internal/store/db"
)

// options say how something is measured.
type options struct {
	common
	Database    string // "" for SQLite in a temporary directory, or the postgres:// URL of an empty database
	Duration    time.Duration
	Rounds      int
	Connections int
	Protocol    string // of intake: "" or "honeybadger", or "sentry"
}

// measureIntake measures the intake of notices against a bare net/http handler and prints the figures to w. It starts
// both as processes.
func measureIntake(ctx context.Context, o options, w io.Writer) error {
	if o.Protocol != "" && o.Protocol != bench.Honeybadger && o.Protocol != bench.Sentry {
		return sett.Errorf(sett.Invalid, "the protocol %q is not supported; use --protocol %s or %s", o.Protocol, bench.Honeybadger, bench.Sentry)
	}
	return o.run(ctx, "notice", bench.Intake, w)
}

// measurePings measures check-in pings, like measureIntake.
func measurePings(ctx context.Context, o options, w io.Writer) error {
	return o.run(ctx, "ping", bench.Pings, w)
}

// run measures something on a database of its own; one is what a request brings.
func (o options) run(ctx context.Context, one string, measure func(context.Context, bench.Options) (bench.Result, error), w io.Writer) error {
	return onEmpty(ctx, o.Database, func(b place) error {
		before, err := diskBytes(ctx, b.cfg)
		if err != nil {
			return err
		}
		r, err := measure(ctx, bench.Options{
			Executable: o.sett, Floor: os.Args[0], Data: b.cfg.Data, Database: o.Database, Token: b.token, Duration: o.Duration,
			Rounds: o.Rounds, Connections: o.Connections, Protocol: o.Protocol, Errors: o.log,
		})
		if err != nil {
			return err
		}
		after, err := diskBytes(ctx, b.cfg)
		if err != nil {
			return err
		}
		return o.print(w, one, r, after-before)
	})
}

// place is where something is measured: an empty database with a user.
type place struct {
	cfg   app.Config
	token string // of the user
}

// inDirectory calls measure with a directory: dir, or if that is "", a temporary one.
func inDirectory(dir string, measure func(dir string) error) (err error) {
	if dir == "" {
		if dir, err = os.MkdirTemp("", "sett-bench-"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	}
	return measure(dir)
}

// onEmpty sets up a database, in a temporary directory unless another is named, and calls measure.
func onEmpty(ctx context.Context, database string, measure func(place) error) error {
	return inDirectory("", func(dir string) error {
		cfg := app.Config{Data: dir, Database: database}
		token, err := setUp(ctx, cfg, "")
		if err != nil {
			return err
		}
		return measure(place{cfg, token})
	})
}

const ownerEmail = "bench@example.test"

// setUp sets up a database and returns the token of its user. Measurements write and delete, so it refuses a database with users.
func setUp(ctx context.Context, cfg app.Config, password string) (token string, err error) {
	made, err := operate.SetupEmpty(ctx, cfg.Installation(), operate.SetupOptions{Email: ownerEmail, Name: "Bench", Password: password, Account: "Bench", Project: "Bench"})
	if sett.CodeOf(err) == sett.NotFound {
		return "", sett.Errorf(sett.Conflict, "the database is in use, and a measurement would change it; name an empty one with --data or --database")
	}
	return made.AuthToken, err
}

// serveFloor serves the floor that intake is measured against, until ctx ends.
func serveFloor(ctx context.Context, address string) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { l.Close() })()
	if err := bench.ServeFloor(l); ctx.Err() == nil {
		return err
	}
	return nil
}

func diskBytes(ctx context.Context, cfg app.Config) (int64, error) {
	s, err := app.OpenStore(ctx, cfg)
	if err != nil {
		return 0, err
	}
	defer s.Close()
	return s.DiskBytes(ctx)
}

func (o options) print(w io.Writer, one string, r bench.Result, disk int64) error {
	engine := "SQLite"
	if o.Database != "" {
		engine = "PostgreSQL"
	}
	fmt.Fprintf(w, "%ss on %s: %d connections, %d rounds of %v, bodies of %.1f KB on average\n",
		one, engine, o.Connections, o.Rounds, o.Duration, float64(r.BodyBytes)/1000)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "\t%ss/s\tserver CPU per %[1]s\t\n", one)
	fmt.Fprintf(t, "bare net/http\t%.0f\t%v\t\n", r.FloorRate, r.FloorCPU.Round(100*time.Nanosecond))
	fmt.Fprintf(t, "sett\t%.0f\t%v\t\n", r.Rate, r.CPU.Round(100*time.Nanosecond))
	if r.OtherRate > 0 {
		fmt.Fprintf(t, "sett, as %s\t%.0f\t%v\t\n", o.Protocol, r.OtherRate, r.OtherCPU.Round(100*time.Nanosecond))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if r.OtherRate > 0 {
		_, err := fmt.Fprintf(w, "server CPU as %s ÷ as notices: %.2f · bodies of %.1f KB\n", o.Protocol, float64(r.OtherCPU)/float64(r.CPU), float64(r.OtherSize)/1000)
		return err
	}
	_, err := fmt.Fprintf(w, "ratio %.2f · p50 %v · p99 %v · %d %ss stored · %d bytes on disk per %[5]s · %[7]d MB peak memory\n",
		r.Ratio, r.P50.Round(100*time.Microsecond), r.P99.Round(100*time.Microsecond), r.Accepted, one, disk/max(r.Accepted, 1), r.Memory>>20)
	return err
}

// measureNodes measures several servers of one PostgreSQL database, and prints a line of figures to w.
func measureNodes(ctx context.Context, o options, nodes int, w io.Writer) error {
	if o.Database == "" || nodes < 1 {
		return sett.Errorf(sett.Invalid, "set --database to the URL of an empty PostgreSQL database, and --nodes to at least one server")
	}
	return onEmpty(ctx, o.Database, func(b place) error {
		r, err := bench.Nodes(ctx, bench.Options{
			Executable: o.sett, Data: b.cfg.Data, Database: o.Database, KeyFile: db.Options{Dir: b.cfg.Data}.SecretKeyFile(),
			Token: b.token, Duration: o.Duration, Connections: o.Connections, Errors: o.log,
		}, nodes)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w, "%d servers · %.0f notices/s · %d notices · p50 %v · p99 %v · %v server CPU per notice\n", nodes, r.Rate, r.Accepted,
			r.P50.Round(100*time.Microsecond), r.P99.Round(100*time.Microsecond), r.CPU.Round(time.Microsecond))
		return err
	})
}
