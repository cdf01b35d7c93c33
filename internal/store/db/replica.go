package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"sett/internal/sett"
)

// A read replica follows the primary at a distance. A read goes to it only if it has replayed all that the primary had committed when the
// read began. So users see what they have changed, on any node, and no node shows less than another one has shown. If the replica is behind,
// cancels a query, or is away, the primary is asked. See decision 50.

// replica is a read replica, or several behind one address.
type replica struct {
	connector driver.Connector
	positions positions
	note      func(ctx context.Context, timeline string) error // records the timeline in the primary

	mu     sync.Mutex
	rests  time.Time // until then it is left alone
	noted  string    // the timeline that is recorded
	system string    // the identity of the primary's data

	onReplica atomic.Int64
	onPrimary [len(causes)]atomic.Int64
}

// cause is why a read that might go to the replica went to the primary.
type cause int

const (
	behind   cause = iota // it had not replayed all in time, or follows another primary
	lost                  // it did not answer, or not in time
	canceled              // it canceled the query
	resting               // one of these happened a moment ago
)

var causes = [...]string{"behind", "lost", "canceled", "resting"}

// How long a replica is left alone, and waited for.
const (
	restBehind    = time.Second
	restLost      = 5 * time.Second
	waitForReplay = 50 * time.Millisecond // in all
	nextLook      = 4 * time.Millisecond
	guardPatience = time.Second
	queryPatience = 10 * time.Second // more than a page may take
)

// ErrReplica is in the error chain of a read that a replica did not finish. The same read of the primary may succeed.
var ErrReplica = errors.New("the read replica did not finish a query")

// replicaError hides the chain of what happened: it says nothing about the primary.
type replicaError struct{ why error }

func (e *replicaError) Error() string { return ErrReplica.Error() + ": " + e.why.Error() }

func (e *replicaError) Unwrap() error { return ErrReplica }

// openReplica has reads go to a replica, which need not answer now.
func (d *DB) openReplica(main *endpoint, address string) error {
	e, err := newEndpoint("address of --database-read", address)
	if err != nil {
		return err
	}
	e.config.ValidateConnect = nil // it accepts no writes
	own := e.config.Copy()
	own.RuntimeParams = layered(sessionSettings, e.chosen, alwaysSettings)
	r := &replica{connector: stdlib.GetConnector(*own, stdlib.OptionAfterConnect(refusePooler)), note: d.noteTimeline}
	r.positions.primary = main.pool(1, nil, sessionSettings, main.chosen, alwaysSettings)
	d.replica = r
	primary := main.connector(nil, layered(sessionSettings, main.chosen, alwaysSettings))
	d.Read.Close()
	d.Read = sized(sql.OpenDB(&readConnector{primary, r}), mostConnections)
	return nil
}

var errPooledReplica = errors.New("a pooler stands in front of it; --database-read must lead to PostgreSQL itself")

// refusePooler returns an error if a pooler stands in front of a replica: it may send the check and the query to different servers.
func refusePooler(ctx context.Context, conn *pgx.Conn) error {
	pid, err := servedBy(ctx, conn)
	if err == nil && pid != conn.PgConn().PID() {
		err = errPooledReplica
	}
	return err
}

type replicaMark struct{}

// FromReplica returns a context whose reads may go to a read replica, if there is one.
func FromReplica(ctx context.Context) context.Context {
	return context.WithValue(ctx, replicaMark{}, true)
}

// FromPrimary returns a context whose reads go to the primary, for what a replica cannot know: locks, sizes, clocks and outcomes of transactions.
func FromPrimary(ctx context.Context) context.Context {
	return context.WithValue(ctx, replicaMark{}, false)
}

func mayUseReplica(ctx context.Context) bool {
	may, _ := ctx.Value(replicaMark{}).(bool)
	return may
}

// HasReplica reports whether reads may go to a read replica.
func (d *DB) HasReplica() bool { return d.replica != nil }

// timelineLease is the lease whose holder is the timeline that the primary writes. A replica that does not have it follows another server,
// such as a primary that was replaced, whose log may be longer.
const timelineLease = "timeline of the primary"

const noteTimeline = `-- db.noteTimeline
INSERT INTO leases (name, holder, held_since, held_until) VALUES ($1, $2, 0, 0)
ON CONFLICT (name) DO UPDATE SET holder = excluded.holder WHERE leases.holder <> excluded.holder`

func (d *DB) noteTimeline(ctx context.Context, timeline string) error {
	return d.InTx(ctx, "note timeline", func(t *Tx) error {
		t.KeepsCaches = true
		_, err := t.Exec(ctx, noteTimeline, timelineLease, timeline)
		return err
	})
}

const identifySystem = `-- db.identifySystem
SELECT CAST(system_identifier AS text) FROM pg_control_system()`

// required is what a replica must have for a read that begins now.
type required struct {
	logPosition
	system string
}

// require returns what a replica must have; ok is false if that is unknown, or the replica is left alone.
func (r *replica) require(ctx context.Context) (need required, ok bool) {
	if r.isResting() {
		r.onPrimary[resting].Add(1)
		return need, false
	}
	at, err := r.positions.now(ctx)
	if err != nil {
		return need, false
	}
	if need.system = r.known(at); need.system == "" {
		if need.system, err = r.learn(ctx, at); err == nil {
			at, err = r.positions.now(ctx) // after the timeline was recorded
		}
	}
	need.logPosition = at
	return need, err == nil
}

func (r *replica) isResting() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return time.Now().Before(r.rests)
}

// known returns the identity of the primary's data; "": its timeline is not recorded.
func (r *replica) known(at logPosition) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.noted != at.timeline {
		return ""
	}
	return r.system
}

// learn records the timeline of the primary, and reads the identity of its data.
func (r *replica) learn(ctx context.Context, at logPosition) (system string, err error) {
	if err := r.positions.primary.QueryRowContext(ctx, identifySystem).Scan(&system); err != nil {
		return "", err
	}
	if err := r.note(ctx, at.timeline); err != nil {
		return "", err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.noted, r.system = at.timeline, system
	return system, nil
}

// gaveUp counts a read that goes to the primary, and leaves the replica alone for a while.
func (r *replica) gaveUp(why cause) {
	r.onPrimary[why].Add(1)
	rest := restBehind
	if why == lost {
		rest = restLost
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if until := time.Now().Add(rest); until.After(r.rests) {
		r.rests = until
	}
}

// causeOf returns why a query failed on a replica: 40001 and 57014 are how it cancels one that is in the way of the replay.
func causeOf(err error) cause {
	switch {
	case errors.Is(err, errBehind):
		return behind
	case PostgresCode("40001", "40P01", "57014")(err):
		return canceled
	}
	return lost
}

// close closes what the replica has of its own.
func (r *replica) close() error {
	if r == nil {
		return nil
	}
	return r.positions.primary.Close()
}

// ReplicaUse is how many reads that might go to the replica went where, since this process began, and how far the replica is behind.
type ReplicaUse struct {
	OnReplica int64
	OnPrimary map[string]int64 // by cause
	Behind    int64            // bytes of log
	Delay     time.Duration    // since the last transaction that it has replayed, if it is behind
	Err       error            // why it is of no use now
}

// ReplicaCounts is ReplicaUse without asking the replica. It is empty without one.
func (d *DB) ReplicaCounts() (u ReplicaUse) {
	u.OnPrimary = map[string]int64{}
	if d.replica == nil {
		return u
	}
	u.OnReplica = d.replica.onReplica.Load()
	for i, name := range causes {
		u.OnPrimary[name] = d.replica.onPrimary[i].Load()
	}
	return u
}

const lagOfReplica = `-- db.lagOfReplica
SELECT pg_is_in_recovery(), CAST(coalesce(pg_wal_lsn_diff(CAST($1::text AS pg_lsn), pg_last_wal_replay_lsn()), 0) AS bigint),
    CAST(coalesce(extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp()) * 1000000, 0) AS bigint),
    (SELECT CAST(system_identifier AS text) FROM pg_control_system()), coalesce((SELECT holder FROM leases WHERE name = $2), '')`

// lookLasts is how long a look at a replica may take.
const lookLasts = 2 * time.Second

// Replica returns how the replica is used and does now.
func (d *DB) Replica(ctx context.Context) ReplicaUse {
	u := d.ReplicaCounts()
	if d.replica == nil {
		return u
	}
	ctx, cancel := context.WithTimeout(ctx, lookLasts)
	defer cancel()
	if err := d.replica.look(ctx, &u); err != nil {
		u.Err = err
	}
	return u
}

// Ways in which a replica is of no use, for operators.
var (
	errPromoted      = sett.Errorf(sett.Conflict, "it is not a replica: it accepts writes")
	errOtherSystem   = sett.Errorf(sett.Conflict, "it is a replica of another server")
	errOtherTimeline = sett.Errorf(sett.Conflict, "it does not follow the present primary")
)

func (r *replica) look(ctx context.Context, u *ReplicaUse) error {
	at, err := r.positions.now(ctx)
	if err != nil {
		return fmt.Errorf("ask the primary: %w", err)
	}
	var system string
	if err := r.positions.primary.QueryRowContext(ctx, identifySystem).Scan(&system); err != nil {
		return fmt.Errorf("ask the primary: %w", err)
	}
	opened, err := r.connector.Connect(ctx)
	if err != nil {
		return err
	}
	defer opened.Close()
	var standby bool
	var delay int64
	var its, timeline string
	if err := opened.(pgxConn).Conn().QueryRow(ctx, lagOfReplica, at.lsn, timelineLease).Scan(&standby, &u.Behind, &delay, &its, &timeline); err != nil {
		return err
	}
	if u.Behind = max(u.Behind, 0); u.Behind > 0 {
		u.Delay = time.Duration(delay) * time.Microsecond
	}
	switch {
	case its != system:
		return errOtherSystem
	case !standby:
		return errPromoted
	case timeline != "" && timeline != at.timeline && u.Behind == 0:
		return errOtherTimeline
	}
	return nil
}
