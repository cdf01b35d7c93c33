package db

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sett/internal/setttest/pgcluster"
)

// withReplica starts a primary and a replica, and opens a database on them.
func withReplica(t *testing.T) (d *DB, primary, standby *pgcluster.Cluster) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short leaves out tests that need PostgreSQL")
	}
	primary, err := pgcluster.Start(t.Context(), pgcluster.Options{Primary: true})
	if err != nil {
		t.Fatal(err)
	}
	stopLater(t, primary)
	if err := migrateAt(Options{Database: primary.DSN(), KeyFile: t.TempDir() + "/key"}); err != nil {
		t.Fatal(err)
	}
	standby, err = primary.Standby(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	stopLater(t, standby)
	d, err = Open(t.Context(), Options{Database: primary.DSN(), Replica: standby.DSN(), KeyFile: t.TempDir() + "/key"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Errorf("close database: %v", err)
		}
	})
	return d, primary, standby
}

func stopLater(t *testing.T, c *pgcluster.Cluster) {
	t.Cleanup(func() {
		if err := c.Stop(); err != nil {
			t.Errorf("stop PostgreSQL: %v", err)
		}
	})
}

// tell runs a statement on a server.
func tell(t *testing.T, c *pgcluster.Cluster, statement string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), c.DSN())
	if err != nil {
		t.Fatal(err)
	}
	defer hangUp(conn)
	if _, err := conn.Exec(t.Context(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// reader reads and writes one row, and knows what it must read.
type reader struct {
	t *testing.T
	d *DB
	n int
}

func (r *reader) write() {
	r.t.Helper()
	r.n++
	err := r.d.InTx(r.t.Context(), "write", func(t *Tx) error {
		_, err := t.Exec(r.t.Context(), `UPDATE leases SET held_since = $1 WHERE name = 'test'`, r.n)
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
}

const readTest = `SELECT held_since, pg_is_in_recovery() FROM leases WHERE name = 'test'`

// read reads by a statement and by a snapshot, and returns how often the replica was read.
func (r *reader) read() (onReplica int) {
	r.t.Helper()
	return r.readIn(FromReplica(r.t.Context()))
}

func (r *reader) readIn(ctx context.Context) (onReplica int) {
	r.t.Helper()
	look := func(q Querier) error {
		var n int
		var replica bool
		err := q.QueryRowContext(ctx, readTest).Scan(&n, &replica)
		if n != r.n {
			r.t.Errorf("read %d after %d was written, of a replica: %v", n, r.n, replica)
		}
		if replica {
			onReplica++
		}
		return err
	}
	if err := errors.Join(look(r.d.Read), r.d.Snapshot(ctx, "read", look)); err != nil {
		r.t.Errorf("read: %v", err)
	}
	return onReplica
}

// settle waits until the replica is read again.
func (r *reader) settle() {
	r.t.Helper()
	for range 5000 {
		if r.read() == 2 {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	r.t.Fatal("the replica is not read")
}

func newReader(t *testing.T, d *DB) *reader {
	t.Helper()
	r := &reader{t: t, d: d}
	if _, err := d.Write.ExecContext(t.Context(), `INSERT INTO leases (name, holder, held_since, held_until) VALUES ('test', '', 0, 0)`); err != nil {
		t.Fatal(err)
	}
	r.write()
	return r
}

// TestReplica reads from a replica what was written to the primary, while the replica follows, stands still, is away, and is promoted.
func TestReplica(t *testing.T) {
	t.Parallel()
	d, _, standby := withReplica(t)
	r := newReader(t, d)
	r.settle()
	before := d.ReplicaCounts().OnReplica
	r.write()
	r.settle()
	if after := d.ReplicaCounts().OnReplica; after < before+2 {
		t.Errorf("counted %d reads of the replica, then %d", before, after)
	}
	var replica bool
	if err := d.Read.QueryRowContext(t.Context(), `SELECT pg_is_in_recovery()`).Scan(&replica); err != nil || replica {
		t.Errorf("a read of no request was answered by a replica: %v, %v", replica, err)
	}
	if u := d.Replica(t.Context()); u.Err != nil || u.Behind > 1<<20 {
		t.Errorf("a replica that follows: %+v", u)
	}

	tell(t, standby, `SELECT pg_wal_replay_pause()`)
	for range 20 {
		r.write()
		if n := r.read(); n > 0 {
			t.Errorf("%d of 2 reads were of a replica that stands still", n)
		}
	}
	if u := d.Replica(t.Context()); u.Behind == 0 || u.OnPrimary["behind"] == 0 || u.OnPrimary["resting"] == 0 {
		t.Errorf("a replica that stands still: %+v", u)
	}
	tell(t, standby, `SELECT pg_wal_replay_resume()`)
	r.settle()

	tell(t, standby, `SELECT pg_promote()`)
	r.write()
	for range 20 {
		if n := r.read(); n > 0 {
			t.Errorf("%d of 2 reads were of a replica that was promoted", n)
		}
	}
	if u := d.Replica(t.Context()); !errors.Is(u.Err, errPromoted) {
		t.Errorf("a replica that was promoted: %+v", u)
	}
	if err := standby.Stop(); err != nil {
		t.Fatal(err)
	}
	r.write()
	r.read()
	if u := d.Replica(t.Context()); u.Err == nil {
		t.Errorf("a replica that is away: %+v", u)
	}
}

// A replica that dies while its answer is read fails that read with ErrReplica; what begins afterwards is not harmed.
func TestReplicaDies(t *testing.T) {
	t.Parallel()
	d, _, standby := withReplica(t)
	r := newReader(t, d)
	r.settle()
	ctx := FromReplica(t.Context())
	err := d.Snapshot(ctx, "read", func(q Querier) error {
		var replica bool
		if err := q.QueryRowContext(ctx, `SELECT pg_is_in_recovery()`).Scan(&replica); err != nil || !replica {
			t.Fatalf("the snapshot is of a replica: %v, %v", replica, err)
		}
		if err := standby.Stop(); err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second must not be answered by the primary
			if err := q.QueryRowContext(ctx, `SELECT 1`).Scan(new(int)); !errors.Is(err, ErrReplica) {
				t.Errorf("a query of a dead replica: %v", err)
			}
		}
		return q.QueryRowContext(ctx, `SELECT 1`).Scan(new(int))
	})
	if !errors.Is(err, ErrReplica) {
		t.Errorf("a snapshot of a dead replica: %v", err)
	}
	r.read()
	if n := d.ReplicaCounts().OnPrimary["lost"]; n == 0 {
		t.Error("no loss was counted")
	}
}

// A query that the replica cancels is answered by the primary.
func TestReplicaCancels(t *testing.T) {
	t.Parallel()
	d, _, _ := withReplica(t)
	r := newReader(t, d)
	r.settle()
	ctx := FromReplica(t.Context())
	// On the replica it takes longer than it may; a cancellation by the replay has the same code.
	const slow = `SELECT pg_is_in_recovery(), CAST(pg_sleep(CASE WHEN pg_is_in_recovery() THEN 60 ELSE 0 END) AS text)`
	const arm = `SELECT set_config('statement_timeout', '50', false)`
	conn, err := d.Read.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	var set string
	if err := conn.QueryRowContext(ctx, arm).Scan(&set); err != nil {
		t.Fatal(err)
	}
	var replica bool
	if err := conn.QueryRowContext(ctx, slow).Scan(&replica, new(string)); err != nil || replica {
		t.Errorf("a query that the replica canceled: %v, of a replica: %v", err, replica)
	}
	if n := d.ReplicaCounts().OnPrimary["canceled"]; n == 0 {
		t.Error("no cancellation was counted")
	}
}

// A replica of another server is never read, however long its log is.
func TestReplicaOfAnother(t *testing.T) {
	t.Parallel()
	_, other, standby := withReplica(t)
	tell(t, other, `SELECT pg_switch_wal(), pg_logical_emit_message(true, 'x', repeat('x', 1000000))`)
	own := freshServer(t)
	d := openAt(t, Options{Database: own, Replica: standby.DSN(), Direct: ""})
	r := newReader(t, d)
	for range 5 {
		if n := r.read(); n > 0 {
			t.Errorf("%d of 2 reads were of another server's replica", n)
		}
	}
	if u := d.Replica(t.Context()); !errors.Is(u.Err, errOtherSystem) {
		t.Errorf("the replica of another server: %+v", u)
	}
}

// Questions that are asked at once share an answer, but never one that was on its way before they were asked.
func TestPositionsAreShared(t *testing.T) {
	t.Parallel()
	d := openAt(t, Options{Database: freshServer(t)})
	if d.Pooled {
		t.Skip("counts sessions")
	}
	p := &positions{primary: d.Read}
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			var before string
			if err := d.Read.QueryRowContext(t.Context(), `SELECT pg_current_wal_flush_lsn()`).Scan(&before); err != nil {
				t.Error(err)
			}
			at, err := p.now(t.Context())
			var later bool
			if err == nil {
				err = d.Read.QueryRowContext(context.Background(), `SELECT $1::text::pg_lsn >= $2::text::pg_lsn`, at.lsn, before).Scan(&later)
			}
			if err != nil || !later {
				t.Errorf("a position %v from before the question (%s): %v", at, before, err)
			}
		})
	}
	wg.Wait()
}
