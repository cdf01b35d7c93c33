package intakedb_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/faults"
	"sett/internal/store"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
	"sett/internal/store/storetest"
)

// in returns reports of a fault, one of each revision.
func (d *desk) in(class string, revisions ...string) (reports []*faultdb.Packed) {
	for _, revision := range revisions {
		reports = append(reports, d.Report(class, func(r *faults.Report) { r.Revision = revision }))
	}
	return reports
}

// releases deploys versions, one an hour.
func (d *desk) releases(versions ...string) {
	for i, version := range versions {
		d.Deploy(storetest.Noon.Add(time.Duration(i)*time.Hour), faults.Deploy{Revision: version})
	}
}

// Each case lists batches of revisions in which an error occurs that is resolved in release 2 of 3, and in which one it reopens.
func TestAnErrorThatIsResolvedInARelease(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		batches [][]string
		in      string // the revision that reopens it; "stays" if none does
		prepare func(d *desk)
	}{
		"an earlier release":       {batches: [][]string{{"1"}, {"1", "1"}, {"1"}}, in: "stays"},
		"the release":              {batches: [][]string{{"1"}, {"2"}}, in: "2"},
		"a later one":              {batches: [][]string{{"3"}}, in: "3"},
		"an unknown one":           {batches: [][]string{{"1"}, {"4"}}, in: "4"},
		"none":                     {batches: [][]string{{"1"}, {""}}, in: ""},
		"one batch with several":   {batches: [][]string{{"1", "1", "3", "2", "1"}}, in: "3"},
		"the release was deleted":  {batches: [][]string{{"1"}}, in: "1", prepare: func(d *desk) { d.forget("2") }},
		"the earlier was deleted":  {batches: [][]string{{"1"}}, in: "1", prepare: func(d *desk) { d.forget("1") }},
		"another project has both": {batches: [][]string{{"other-1"}}, in: "other-1", prepare: func(d *desk) { d.elsewhere("other-1") }},
		"another error goes on":    {batches: [][]string{{"1"}}, in: "stays", prepare: func(d *desk) { d.Record(storetest.Noon, accounts.Limits{}, d.in("B", "3")...) }},
		"resolved again, in release": {batches: [][]string{{"1"}}, in: "1", prepare: func(d *desk) {
			d.Update("A", faults.FaultChange{ResolvedIn: sett.Optional[string]{Sent: true, Null: true}})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Engines(t, func(t *testing.T, s *store.Store) {
				d := newDesk(t, s)
				d.releases("1", "2", "3")
				d.Record(storetest.Noon, accounts.Limits{}, d.in("A", "1")...)
				d.Update("A", faults.FaultChange{ResolvedIn: sett.Some("2")})
				if c.prepare != nil {
					c.prepare(d)
				}
				d.Raised()
				was, notices := d.HistoryLines("A"), int64(1)
				var last sett.NoticeID // that reopens it
				for _, batch := range c.batches {
					for i, r := range d.Record(storetest.Noon, accounts.Limits{}, d.in("A", batch...)...) {
						if batch[i] == "2" || batch[i] == c.in {
							last, _ = sett.NoticeIDFromUUID(r.ID)
						}
					}
					notices += int64(len(batch))
				}
				f := d.Fault("A")
				want := faults.FaultState{Resolved: true, ResolvedIn: "2"}
				var entries []string
				var raised []alerts.Alert
				if c.in != "stays" {
					want = faults.FaultState{}
					raised = []alerts.Alert{d.About("A", alerts.AlertOccurred, alerts.AlertFacts{NoticeID: last, NoticesCount: notices, Reopened: true})}
					if entries = []string{"system reopened : Reopened: it occurred again in " + c.in + "."}; c.in == "" {
						entries = []string{"system reopened : Reopened: it occurred again."}
					}
				}
				if diff := cmp.Diff(want, f.FaultState); diff != "" || f.NoticesCount != notices {
					t.Errorf("it has %d notices, of %d (-want +got):\n%s", f.NoticesCount, notices, diff)
				}
				if diff := cmp.Diff(append(was, entries...), d.HistoryLines("A")); diff != "" {
					t.Errorf("its history (-want +got):\n%s", diff)
				}
				d.WantRaised(name, raised...)
				d.WantNumbers("reopened in the release", `SELECT count(*) FROM release_faults WHERE event = 'reopened' AND version = $1`, []any{c.in}, int64(len(raised)*min(len(c.in), 1)))
			})
		})
	}
}

// forget deletes a release.
func (d *desk) forget(version string) {
	d.T.Helper()
	d.Run(`DELETE FROM deploys WHERE revision = '` + version + `'`)
	if err := d.Releases.Delete(d.T.Context(), d.ProjectID, version); err != nil {
		d.T.Fatal(err)
	}
}

// elsewhere deploys a version of another project, long ago.
func (d *desk) elsewhere(version string) {
	d.T.Helper()
	if _, err := d.Faults.RecordDeploy(d.T.Context(), storetest.Noon.Add(-24*time.Hour), d.Project("Other").ID, faults.Deploy{Revision: version}); err != nil {
		d.T.Fatal(err)
	}
}

// Events that come by another key of the error, or by the key of an error that was merged into it, count as its own.
func TestResolvedInAReleaseByEveryKey(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.releases("1", "2", "3")
		d.Record(storetest.Noon, accounts.Limits{}, d.failing("10", "1"))
		d.Record(storetest.Noon, accounts.Limits{}, d.in("B", "1")...)
		merge(t, d, "B", "A")
		want := func(when string, state faults.FaultState) {
			t.Helper()
			if diff := cmp.Diff(state, d.Fault("A").FaultState); diff != "" {
				t.Errorf("%s (-want +got):\n%s", when, diff)
			}
		}
		resolved := faults.FaultState{Resolved: true, ResolvedIn: "3"}
		d.Update("A", faults.FaultChange{ResolvedIn: sett.Some("3")})
		d.Record(storetest.Noon, accounts.Limits{}, append(d.in("B", "1"), d.failing("10", "2"))...)
		want("earlier ones", resolved)
		d.Record(storetest.Noon.Add(time.Hour), accounts.Limits{}, d.failing("14", "2"))
		want("a line that moved", resolved)
		d.Record(storetest.Noon.Add(time.Hour), accounts.Limits{}, append(d.in("B", "1"), d.failing("14", "2"), d.failing("18", "3"))...)
		want("a line that moved in the release", faults.FaultState{})
		d.Update("A", faults.FaultChange{ResolvedIn: sett.Some("3")})
		d.Record(storetest.Noon.Add(time.Hour), accounts.Limits{}, append(d.in("B", "3"), d.failing("14", "2"))...)
		want("the key of the merged one", faults.FaultState{})
	})
}

func merge(t *testing.T, d *desk, class, into string) {
	t.Helper()
	if _, err := d.Faults.MergeFaults(t.Context(), storetest.Noon, d.UserID, d.ProjectID, []int64{d.FaultID(class)}, d.FaultID(into)); err != nil {
		t.Fatal(err)
	}
}

// Batches of open errors, and of those that are resolved in no release, do not read releases.
func TestOnlyErrorsResolvedInAReleaseReadReleases(t *testing.T) {
	t.Parallel()
	seen := &storetest.Trips{}
	d := newDesk(t, storetest.OpenTest(t, db.Options{Database: storetest.NewCluster(t).Address, Tracer: seen}))
	d.releases("1", "2")
	d.Record(storetest.Noon, accounts.Limits{}, d.in("A", "1")...)
	reads := func() bool {
		seen.All = nil
		d.RecordBusy(storetest.Noon, accounts.Limits{}, d.in("A", "1")...)
		return slices.ContainsFunc(seen.All, func(trip []string) bool { return slices.Contains(trip, "FirstNamed") })
	}
	got := []bool{reads()}
	d.Update("A", faults.FaultChange{Resolved: sett.Some(true)})
	got = append(got, reads())
	d.Update("A", faults.FaultChange{ResolvedIn: sett.Some("2")})
	if diff := cmp.Diff([]bool{false, false, true}, append(got, reads())); diff != "" {
		t.Errorf("open, resolved, resolved in a release (-want +got):\n%s", diff)
	}
}
