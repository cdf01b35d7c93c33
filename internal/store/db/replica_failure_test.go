package db

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"sett/internal/setttest/pgcluster"
)

// A replica that is frozen neither answers nor closes its connections. A query that it has fails within the time that is left, and what begins
// afterwards is read from the primary, also through connections that were idle.
func TestReplicaFreezes(t *testing.T) {
	t.Parallel()
	d, _, standby := withReplica(t)
	r := newReader(t, d)
	r.settle()
	ctx, cancel := context.WithTimeout(FromReplica(t.Context()), 4*time.Second)
	defer cancel()
	idle, err := d.Read.Conn(ctx) // to the replica too
	if err != nil {
		t.Fatal(err)
	}
	if err := idle.QueryRowContext(ctx, `SELECT 1`).Scan(new(int)); err != nil {
		t.Fatal(err)
	}
	err = d.Snapshot(ctx, "read", func(q Querier) error {
		var replica bool
		if err := q.QueryRowContext(ctx, `SELECT pg_is_in_recovery()`).Scan(&replica); err != nil || !replica {
			t.Fatalf("the snapshot is of a replica: %v, %v", replica, err)
		}
		if err := errors.Join(idle.Close(), standby.Freeze()); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = standby.Thaw() })
		return q.QueryRowContext(ctx, `SELECT 1`).Scan(new(int))
	})
	if !errors.Is(err, ErrReplica) || ctx.Err() != nil {
		t.Errorf("a snapshot of a frozen replica: %v, %v", err, ctx.Err())
	}
	held, err := d.Read.Conn(t.Context()) // the one of the snapshot, so that what follows gets the idle one
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	for range 5 {
		r.write()
		if n := readWithin(t, r, 10*time.Second); n > 0 {
			t.Errorf("%d of 2 reads were of a frozen replica", n)
		}
		d.replica.mu.Lock()
		d.replica.rests = time.Time{} // it is asked again
		d.replica.mu.Unlock()
	}
	if u := d.Replica(t.Context()); u.Err == nil || u.OnPrimary["lost"] == 0 {
		t.Errorf("a replica that is frozen: %+v", u)
	}
	if err := standby.Thaw(); err != nil {
		t.Fatal(err)
	}
	r.settle()
}

// readWithin is read with a limit, beyond which the test fails.
func readWithin(t *testing.T, r *reader, limit time.Duration) (onReplica int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(FromReplica(t.Context()), limit)
	defer cancel()
	return r.readIn(ctx)
}

// After a promotion, a replica of the old primary is on the old timeline. It is not read, however long its log is.
func TestReplicaOfAnOldTimeline(t *testing.T) {
	t.Parallel()
	old, primary, left := withReplica(t) // the replica that is left behind
	r := newReader(t, old)
	r.settle()
	promoted, err := primary.Standby(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	stopLater(t, promoted)
	tell(t, promoted, `SELECT pg_promote()`)
	// The old primary goes on for a moment, and its replica gets further than the new primary.
	tell(t, primary, `SELECT pg_logical_emit_message(true, 'x', repeat('x', 4000000))`)
	r.write()
	r.settle()
	d := openAt(t, Options{Database: promoted.DSN(), Direct: promoted.DSN(), Replica: left.DSN()})
	now := reader{t: t, d: d, n: r.n + 1000}
	now.write()
	if position(t, left, `pg_last_wal_replay_lsn()`) <= position(t, promoted, `pg_current_wal_flush_lsn()`) {
		t.Fatal("the replica on the old timeline is not ahead")
	}
	for range 20 {
		now.write()
		if n := now.read(); n > 0 {
			t.Errorf("%d of 2 reads were of a replica on the old timeline", n)
		}
		d.replica.mu.Lock()
		d.replica.rests = time.Time{} // it is asked again
		d.replica.mu.Unlock()
	}
	if u := d.Replica(t.Context()); !errors.Is(u.Err, errOtherTimeline) || u.OnReplica > 0 {
		t.Errorf("a replica on the old timeline: %+v", u)
	}
}

// position returns a position in the log of a server, in bytes.
func position(t *testing.T, c *pgcluster.Cluster, of string) (bytes int64) {
	t.Helper()
	server, err := sql.Open("pgx", c.DSN())
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	if err := server.QueryRowContext(t.Context(), `SELECT CAST(pg_wal_lsn_diff(`+of+`, '0/0') AS bigint)`).Scan(&bytes); err != nil {
		t.Fatal(err)
	}
	return bytes
}
