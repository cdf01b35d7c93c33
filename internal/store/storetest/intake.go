package storetest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett/faults"
	"sett/internal/store"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
)

// Counts are all the sums that a notice takes part in.
func (d *Desk) Counts() map[string]int64 {
	d.T.Helper()
	sum := func(table, where string) int64 {
		return d.Numbers(`SELECT CAST(coalesce(sum(count), 0) AS bigint) FROM `+table+` WHERE `+where, 1)[0]
	}
	return map[string]int64{
		"faults":   d.Numbers(`SELECT CAST(coalesce(sum(notices_count), 0) AS bigint) FROM fault_counts`, 1)[0],
		"minutes":  sum("fault_buckets", "width = 60"),
		"projects": sum("project_buckets", "width = 3600"),
		"classes":  sum("named_buckets", "kind = 'class'"),
		"places":   sum("named_buckets", "kind = 'location' AND name = 'Orders#create'"),
		"users":    sum("fault_users", "name = 'ann@example.test'"),
		"ledger":   d.Numbers(`SELECT CAST(coalesce(sum(stored), 0) AS bigint) FROM ledger`, 1)[0],
	}
}

func All(n int64) map[string]int64 {
	return map[string]int64{"faults": n, "minutes": n, "projects": n, "classes": n, "places": n, "users": n, "ledger": n}
}

func (d *Desk) WantCounts(when string, want map[string]int64) {
	d.T.Helper()
	if diff := cmp.Diff(want, d.Counts()); diff != "" {
		d.T.Errorf("%s (-want +got):\n%s", when, diff)
	}
}

// BusyBatch is how many notices make a batch that may wait to be counted.
const BusyBatch = 24

// Many returns as many reports as make a batch that may wait to be counted.
func (d *Desk) Many() []*faultdb.Packed {
	var reports []*faultdb.Packed
	for i := range BusyBatch {
		reports = append(reports, d.Report([]string{"A", "B", "C"}[i%3]))
	}
	return reports
}

// Cluster is a PostgreSQL database and the nodes that tests start on it.
type Cluster struct{ Address string }

func NewCluster(t *testing.T) Cluster {
	return Cluster{FreshPostgres(t) + Patient}
}

// Patient are settings of sessions whose tests hold rows for as long as it takes to see that others wait for them.
const Patient = "&lock_timeout=60000&idle_in_transaction_session_timeout=0"

// Node opens a store as another process would.
func (c Cluster) Node(t *testing.T) *store.Store {
	t.Helper()
	s := OpenTest(t, db.Options{Database: c.Address})
	if _, err := s.Intake.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

// Die ends the session that says that the node lives.
func Die(t *testing.T, s *store.Store) {
	t.Helper()
	var ended bool
	err := s.Read.QueryRowContext(t.Context(), `SELECT pg_terminate_backend(l.pid, 60000) FROM pg_locks l JOIN nodes n ON n.number = l.objid::bigint
		WHERE l.locktype = 'advisory' AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
			AND l.classid::bigint = $1 AND n.process = $2`, int64(db.LockClass), s.Process).Scan(&ended)
	if err != nil || !ended {
		t.Fatalf("the session has survived: %v", err)
	}
}

// TakeOverDead has a node look for dead ones until it has found something: the server takes a moment to notice a death.
func TakeOverDead(t *testing.T, s *store.Store) {
	t.Helper()
	for range 10_000 {
		counted, err := s.Node.TakeOver(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if counted > 0 {
			return
		}
	}
	t.Fatal("nothing of the dead node was found")
}

func (d *Desk) Pause(class string, p faults.Pause) {
	d.T.Helper()
	if err := d.Faults.PauseFault(d.T.Context(), Noon, d.UserID, d.ProjectID, d.FaultID(class), p); err != nil {
		d.T.Fatal(err)
	}
}

// Times returns reports of a class.
func (d *Desk) Times(n int, class string) (reports []*faultdb.Packed) {
	for range n {
		reports = append(reports, d.Report(class))
	}
	return reports
}
