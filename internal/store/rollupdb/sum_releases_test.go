package rollupdb_test

import (
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/sett/release"
	"sett/internal/store"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
	"sett/internal/store/intakedb"
	"sett/internal/store/storetest"
)

func from(revision string) func(*faults.Report) {
	return func(r *faults.Report) { r.Revision = revision }
}

// wantRelease checks a release, of which every hour after noon there was an event.
func (d *desk) wantRelease(version string, first, last int, events int64) {
	d.T.Helper()
	got, err := d.Releases.ByVersion(d.T.Context(), d.ProjectID, version)
	at := func(h int) time.Time { return storetest.Noon.Add(time.Duration(h) * time.Hour) }
	want := release.Release{ProjectID: d.ProjectID, Version: version, CreatedAt: at(first), FirstSeenAt: at(first), LastSeenAt: at(last), Events: events}
	got.FirstSeenAt, got.LastSeenAt = got.FirstSeenAt.Truncate(time.Second), got.LastSeenAt.Truncate(time.Second) // ids have microseconds
	if want.CreatedAt = got.CreatedAt; err != nil || !cmp.Equal(want, got) {
		d.T.Errorf("%v (-want +got):\n%s", err, cmp.Diff(want, got))
	}
}

func TestEventsCountByReleaseAlsoAfterACrash(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	before := storetest.OpenTest(t, db.Options{Dir: dir})
	if _, _, err := before.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	d := newDesk(t, before)
	d.Record(storetest.Noon, accounts.Limits{}, d.Report("A", from("1")), d.Report("B", from("1")), d.Report("C"))
	d.wantRelease("1", 0, 0, 2)
	d.RecordBusy(storetest.Noon.Add(time.Hour), accounts.Limits{}, d.Many()...) // none of which name a release
	d.RecordBusy(storetest.Noon.Add(2*time.Hour), accounts.Limits{}, d.Report("A", from("1")), d.Report("B", from("2")), d.Report("B", from(".")))

	after := storetest.OpenTest(t, db.Options{Dir: dir}) // what the first store has in memory is lost to this one
	for range 2 {
		if _, err := after.Intake.Recover(t.Context()); err != nil {
			t.Fatal(err)
		}
		d.wantRelease("1", 0, 2, 3)
		d.wantRelease("2", 2, 2, 1)
	}
}

func TestReleasesSayWhatIsNewReopenedAndResolved(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d, ctx, noon := newDesk(t, s), t.Context(), storetest.Noon
		d.Record(noon, accounts.Limits{}, d.Report("A", from("1")), d.Report("B", from("1")), d.Report("A", from("2")))
		d.Run(`UPDATE projects SET resolve_errors_on_deploy = true`)
		if _, err := d.Faults.RecordDeploy(ctx, noon.Add(time.Hour), d.ProjectID, faults.Deploy{Revision: "2", Environment: "production"}); err != nil {
			t.Fatal(err)
		}
		d.Record(noon.Add(2*time.Hour), accounts.Limits{}, d.Report("A", from("2")), d.Report("A", from("2")), d.Report("C", from("2")), d.Report("D", from("2")))
		var releases []release.Release
		for _, version := range []string{"2", "1"} {
			r, err := d.Releases.ByVersion(ctx, d.ProjectID, version)
			if err != nil {
				t.Fatal(err)
			}
			releases = append(releases, r)
		}
		want := func(what string, figures ...int64) {
			t.Helper()
			reports, err := d.Releases.Reports(ctx, noon.Add(3*time.Hour), d.ProjectID, releases)
			if err != nil {
				t.Fatal(err)
			}
			var got []int64
			for _, r := range reports {
				got = append(got, r.New, r.Reopened, r.Resolved)
			}
			if diff := cmp.Diff(figures, got); diff != "" || reports[0].Previous != "1" || reports[1].Verdict.State != release.First {
				t.Errorf("%s: %+v (-want +got):\n%s", what, reports, diff)
			}
		}
		want("at first", 2, 1, 2, 2, 0, 0)
		found, err := d.Releases.Faults(ctx, d.ProjectID, "2", release.New, 1)
		if err != nil || len(found) != 1 || found[0].Title != "D" || found[0].Kind != faults.TimelineNew {
			t.Errorf("the newest fault of 2: %+v, %v", found, err)
		}
		deploys, err := d.Releases.Deploys(ctx, d.ProjectID, "2", 5)
		if err != nil || len(deploys) != 1 || deploys[0].Environment != "production" {
			t.Errorf("deploys of 2: %+v, %v", deploys, err)
		}
		ids := d.FaultsOf(d.ProjectID)
		if err := d.Faults.DeleteFault(ctx, d.ProjectID, ids[len(ids)-1]); err != nil {
			t.Fatal(err)
		}
		want("without a fault", 1, 1, 2, 2, 0, 0)
	})
}

// Two nodes store events of one release at once, and each counts its own; then one dies before it has counted, and the other counts for it.
func TestTwoNodesCountOneRelease(t *testing.T) {
	t.Parallel()
	c := storetest.NewCluster(t)
	nodes := []*store.Store{c.Node(t), c.Node(t)}
	d := newDesk(t, nodes[0])
	record := func(node *store.Store, at int) {
		var reports []*faultdb.Packed
		for i := range storetest.BusyBatch {
			reports = append(reports, d.Report([]string{"A", "B", "C"}[i%3], from("1")))
		}
		_, err := node.Intake.RecordNotices(t.Context(), storetest.Noon.Add(time.Duration(at)*time.Hour), accounts.Limits{}, intakedb.Intake{Reports: reports})
		if err != nil {
			t.Error(err)
		}
	}
	record(nodes[0], 0)
	var busy sync.WaitGroup
	for i, node := range nodes {
		busy.Go(func() {
			for round := range 10 {
				if record(node, 1); round%3 == i {
					if err := node.Intake.Flush(t.Context()); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	busy.Wait()
	record(nodes[1], 2)
	if err := nodes[0].Intake.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	storetest.Die(t, nodes[1])
	storetest.TakeOverDead(t, nodes[0])
	d.wantRelease("1", 0, 2, 22*storetest.BusyBatch)
	if n := d.Numbers(`SELECT count(*), CAST(sum(events) AS bigint) FROM releases`, 2); !cmp.Equal(n, []int64{1, 22 * storetest.BusyBatch}) {
		t.Errorf("releases and their events: %v", n)
	}
	one, err := d.Releases.ByVersion(t.Context(), d.ProjectID, "1")
	if err != nil {
		t.Fatal(err)
	}
	reports, err := d.Releases.Reports(t.Context(), storetest.Noon.Add(3*time.Hour), d.ProjectID, []release.Release{one})
	if err != nil || reports[0].New != 3 {
		t.Errorf("new errors: %+v, %v", reports, err)
	}
}
