package uptimedb_test

import (
	"errors"
	"testing"
	"time"

	"sett/internal/sett/checks"
	"sett/internal/store"
	"sett/internal/store/db"
	"sett/internal/store/storetest"
	"sett/internal/store/uptimedb"
)

// readPings is an exchange that reads the check-ins of pings, counts how often it is begun, and writes what write says.
func readPings(begun *int, pings []uptimedb.PingReport, write func(p *uptimedb.Pinged) []db.RowsStatement) func() db.RoundTrip {
	return func() db.RoundTrip {
		*begun++
		p := uptimedb.NewPinged(len(pings))
		return db.RoundTrip{Read: uptimedb.AskPinged(pings), Scan: p.Scan, Write: func() []db.RowsStatement { return write(p) }}
	}
}

// A failure leaves nothing behind and blocks no other transaction.
func TestExchangesThatFail(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		a := d.CheckIn(d.ProjectID, storetest.Hourly("a"))
		pings := []uptimedb.PingReport{{ID: a.ID, Ping: checks.Ping{At: storetest.Noon}}}
		begun := 0
		refused := errors.New("refused")
		for name, e := range map[string]func() db.RoundTrip{
			"a row that is refused": func() db.RoundTrip {
				return db.RoundTrip{Read: uptimedb.AskPinged(pings), Scan: func(db.Row) error { return refused }, Write: func() []db.RowsStatement {
					t.Error("went on after a row was refused")
					return nil
				}}
			},
			"a reading that fails": func() db.RoundTrip {
				return db.RoundTrip{Read: db.RowsStatement{Text: "SELECT nothing FROM {{rows k(i bigint)}}", Columns: []any{[]int64{1}}}, Write: func() []db.RowsStatement { return nil }}
			},
			"a writing that fails": readPings(&begun, pings, func(p *uptimedb.Pinged) []db.RowsStatement {
				var w uptimedb.CheckInWrites
				w.Ping(p.CheckIns, pings)
				w.Of[0] += 1000 // of no check-in
				return w.Statements()
			}),
		} {
			if err := s.InRoundTrip(t.Context(), name, e); err == nil || name == "a row that is refused" && !errors.Is(err, refused) {
				t.Errorf("%s: %v", name, err)
			}
			if got := d.checkInNow(a); got != a {
				t.Errorf("%s left %+v", name, got)
			}
			if !s.SQLite() && d.Numbers(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'`, 1)[0] > 0 {
				t.Errorf("%s left a transaction open", name)
			}
		}
		if want := map[string]int{"sqlite": 1, "postgres": db.Tries}[s.Engine()]; begun != want { // it may be a check-in that was just deleted
			t.Errorf("begun %d times, want %d", begun, want)
		}
		d.PingAt(storetest.Noon, a)
		if got := d.checkInHistory(a); len(got) != 1 {
			t.Errorf("history %q", got)
		}
	})
}

// Connections that the server has ended meanwhile are not the client's trouble.
func TestExchangesOverLostConnections(t *testing.T) {
	t.Parallel()
	cluster := storetest.NewCluster(t)
	s := storetest.OpenTest(t, db.Options{Database: cluster.Address})
	// Of its own, so that a pooler does not lend it the session of the first, which must end.
	other := storetest.OpenTest(t, db.Options{Database: cluster.Address, Direct: cluster.Address})
	d := newDesk(t, s)
	a := d.CheckIn(d.ProjectID, storetest.Hourly("a"))
	d.PingAt(storetest.Noon, a)
	const end = `SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`
	var ended int
	if err := other.Read.QueryRowContext(t.Context(), end).Scan(&ended); err != nil || ended == 0 {
		t.Fatal(ended, err)
	}
	d.PingAt(storetest.Noon.Add(time.Minute), a)
}
