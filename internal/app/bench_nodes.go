package app

import (
	"context"
	"fmt"
	"io"
	"time"

	"sett/internal/bench"
	"sett/internal/sett"
	"sett/internal/store/db"
)

// BenchNodes measures several servers of one PostgreSQL database, and prints a line of figures to w.
func BenchNodes(ctx context.Context, o BenchOptions, nodes int, w io.Writer) error {
	if o.Database == "" || nodes < 1 {
		return sett.Errorf(sett.Invalid, "set --database to the URL of an empty PostgreSQL database, and --nodes to at least one server")
	}
	return withBench(ctx, o.Database, func(b benchPlace) error {
		r, err := bench.Nodes(ctx, bench.Options{
			Executable: b.executable, Data: b.cfg.Data, Database: o.Database, KeyFile: db.Options{Dir: b.cfg.Data}.SecretKeyFile(),
			Token: b.token, Duration: o.Duration, Connections: o.Connections, Errors: o.Verbose,
		}, nodes)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w, "%d servers · %.0f notices/s · %d notices · p50 %v · p99 %v · %v server CPU per notice\n", nodes, r.Rate, r.Accepted,
			r.P50.Round(100*time.Microsecond), r.P99.Round(100*time.Microsecond), r.CPU.Round(time.Microsecond))
		return err
	})
}
