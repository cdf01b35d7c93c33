package uptimedb_test

import (
	"database/sql"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/store"
	"sett/internal/store/db"
	"sett/internal/store/storetest"
	"sett/internal/store/uptimedb"
)

// PostgreSQL has not counted the check-ins of a new installation; it must not compare every ping with every one of them.
func TestPingsLookIntoIndexesOfPostgres(t *testing.T) {
	t.Parallel()
	s := storetest.NewCluster(t).Node(t)
	d := newDesk(t, s)
	var pings []uptimedb.PingReport
	for _, c := range manyCheckIns(d, 300) {
		pings = append(pings, uptimedb.PingReport{ID: c.ID}, uptimedb.PingReport{Key: d.APIKey, Slug: c.Slug})
	}
	ask := uptimedb.AskPinged(pings)
	rows, err := s.Write.QueryContext(t.Context(), "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) "+s.Text(ask.Text), ask.Columns...)
	var plan strings.Builder
	err = db.ScanAll(rows, err, func(r *sql.Rows) error {
		var line string
		err := r.Scan(&line)
		plan.WriteString(line + "\n")
		return err
	})
	if err != nil || !strings.Contains(plan.String(), "rows=600") {
		t.Fatal(plan.String(), err)
	}
	for _, whole := range []string{"Seq Scan", "Rows Removed"} {
		if strings.Contains(plan.String(), whole) {
			t.Errorf("%s in\n%s", whole, plan.String())
		}
	}
}

func manyCheckIns(d *desk, n int) []checks.CheckIn {
	d.T.Helper()
	var list []checks.CheckInChange
	for i := range n {
		list = append(list, storetest.Hourly("job-"+string(rune('a'+i%26))+strings.Repeat("x", i/26)))
	}
	if _, err := d.Uptime.SyncCheckIns(d.T.Context(), storetest.Noon, d.ProjectID, list); err != nil {
		d.T.Fatal(err)
	}
	found, _, err := d.Uptime.ListCheckIns(d.T.Context(), d.ProjectID, sett.Page{Size: n})
	if err != nil || len(found) != n {
		d.T.Fatal(len(found), err)
	}
	return found
}

// Nodes that get pings of the same check-ins neither lose one another's nor wait for one another in a circle.
func TestPingsToSeveralNodes(t *testing.T) {
	t.Parallel()
	cluster := storetest.NewCluster(t)
	nodes := []*store.Store{cluster.Node(t), cluster.Node(t)}
	d := newDesk(t, nodes[0])
	checkIns := manyCheckIns(d, 50)
	const rounds = 20
	exit := 0
	begun := make([]int, len(nodes))
	var done sync.WaitGroup
	for n, node := range nodes {
		var pings []uptimedb.PingReport
		for i, c := range checkIns {
			if pings = append(pings, uptimedb.PingReport{ID: c.ID}); (i+n)%2 == 0 {
				pings[i] = uptimedb.PingReport{Key: d.APIKey, Slug: c.Slug}
			}
		}
		if n == 1 {
			slices.Reverse(pings)
		}
		done.Go(func() {
			for round := range rounds {
				for i := range pings {
					pings[i].Ping = checks.Ping{At: storetest.Noon.Add(time.Duration(2*round+n) * time.Second), Payload: &checks.PingPayload{ExitCode: &exit}}
				}
				err := node.InRoundTrip(t.Context(), "ping", readPings(&begun[n], pings, func(p *uptimedb.Pinged) []db.RowsStatement {
					var w uptimedb.CheckInWrites
					w.Ping(p.CheckIns, pings)
					return w.Statements()
				}))
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	done.Wait()
	if begun[0] != rounds || begun[1] != rounds {
		t.Errorf("begun %d times, each node wants to %d times", begun, rounds)
	}
	for _, c := range checkIns {
		last := storetest.Noon.Add((2*rounds - 1) * time.Second)
		if now := d.checkInNow(c); !now.ReportedAt.Equal(last) || len(d.checkInHistory(c)) != 2*rounds {
			t.Fatalf("reported at %v, want %v; %d events", now.ReportedAt, last, len(d.checkInHistory(c)))
		}
	}
}

// Pings of nothing cost no write: the disk is not waited for.
func TestPingsOfNothingWriteNothing(t *testing.T) {
	t.Parallel()
	disk := &storetest.Disk{}
	s := storetest.OpenTest(t, db.Options{Dir: storetest.MigratedDir(t), SyncFile: disk.Sync})
	d := newDesk(t, s)
	a := d.CheckIn(d.ProjectID, storetest.Hourly("a"))
	disk.Fails.Store(true)
	found, err := s.Uptime.RecordPings(t.Context(), []uptimedb.PingReport{{ID: "unknown"}, {Key: d.APIKey, Slug: "b"}})
	if err != nil || !slices.Equal(found, []bool{false, false}) {
		t.Errorf("pings of nothing: %v, %v", found, err)
	}
	if _, err := s.Uptime.RecordPings(t.Context(), []uptimedb.PingReport{{ID: "unknown"}, {ID: a.ID, Ping: checks.Ping{At: storetest.Noon}}}); sett.CodeOf(err) != sett.Unavailable {
		t.Errorf("a ping that is not on the disk: %v", err)
	}
}
