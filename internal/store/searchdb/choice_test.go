package searchdb_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/event/payload"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/sett/triage"
	"sett/internal/store"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
	"sett/internal/store/searchdb"
	"sett/internal/store/storetest"
)

// sentWith gives a report a context, of which only some is indexed.
func sentWith(context string, indexed ...string) func(*faults.Report) {
	return func(r *faults.Report) {
		r.Body = bytes.Replace(r.Body, []byte(`"server":{}`), []byte(`"server":{},"request":{"context":`+context+`}`), 1)
		r.Facets = facets(indexed...)
	}
}

func searchFor(t *testing.T, q string) searchdb.Filter {
	t.Helper()
	search, err := sett.ParseSearch(q, storetest.Noon)
	if err != nil {
		t.Fatal(err)
	}
	return searchdb.Filter{Search: search}
}

// A write by a search touches no fault that does not match, however little of it is indexed.
func TestWritesBelieveWhatWasSent(t *testing.T) {
	t.Parallel()
	changes := map[string]triage.BulkChange{
		"resolve": {}, "unresolve": {}, "ignore": {}, "unignore": {}, "delete": {}, "tag": {Tags: sett.Some([]string{"seen"})}, "untag": {Tags: sett.Some([]string{"was"})},
		"assign": {AssigneeID: sett.Optional[int64]{Sent: true, Null: true}}, "pause": {Pause: sett.Some(faults.Pause{Time: sett.Some("day")})}, "unpause": {},
	}
	long := strings.Repeat("x", payload.MaxFacetText)
	searches := map[string][]string{ // and the classes that it means
		"-context.plan:gold":                {"Free", "Mixed", "None"},
		"-context.plan:g*":                  {"Free", "Mixed", "None"},
		"context.plan:":                     {"None"},
		"context.long:" + long + "end":      {"None"},
		"context.long:*xx":                  nil,
		"-context.plan:gold class:Gold":     nil,
		"-context.plan:gold hostname:web-1": nil,
		"context.plan:free":                 {"Free", "Mixed"},
	}
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Record(storetest.Noon, accounts.Limits{},
			d.Report("Gold", sentWith(`{"plan":"gold"}`)),
			d.Report("Gold", sentWith(`{"plan":"gold"}`, "hostname", "web-1")),
			d.Report("Free", sentWith(`{"plan":"free"}`, "context.plan", "free")),
			d.Report("None", sentWith(`{"long":"`+long+`end"}`, "context.long", long+"end")),
			d.Report("Other", sentWith(`{"plan":"gold","long":"`+long+`and"}`, "context.long", long+"and")),
			d.Report("Mixed", sentWith(`{"plan":"free"}`, "context.plan", "free")), d.Report("Mixed", sentWith(`{"plan":"gold"}`)))
		for q, want := range searches {
			which, err := s.Search.Choose(t.Context(), storetest.Noon, d.ProjectID, searchdb.Choice{Filter: searchFor(t, q)})
			if err != nil {
				t.Fatal(q, err)
			}
			if diff := cmp.Diff(want, d.classesOf(which.IDs)); diff != "" {
				t.Errorf("%.40q (-want +got):\n%s", q, diff)
			}
		}
		for action, c := range changes { // in any order: each leaves alone what holds gold
			c.Action = sett.Some(action)
			if _, err := s.Search.ChangeFaults(t.Context(), storetest.Noon, d.UserID, d.ProjectID, searchdb.Choice{Filter: searchFor(t, "-context.plan:gold class:Gold")}, c); err != nil {
				t.Fatal(action, err)
			}
		}
		if n, err := s.Search.ResolveFaults(t.Context(), storetest.Noon, d.UserID, d.ProjectID, searchFor(t, "-context.plan:gold")); n != 3 || err != nil {
			t.Errorf("%d faults are resolved, %v", n, err)
		}
		if lines := d.HistoryLines("Gold"); len(lines) > 0 {
			t.Errorf("done to what holds gold: %v", lines)
		}
		if f := d.Fault("Gold"); f.Resolved || d.Fault("Other").Resolved || !d.Fault("Free").Resolved {
			t.Errorf("%+v", f)
		}
	})
}

// classesOf returns the classes of faults, sorted.
func (d *desk) classesOf(ids []int64) []string {
	d.T.Helper()
	var found []string
	for _, id := range ids {
		f, err := d.Faults.FaultByID(d.T.Context(), d.ProjectID, id)
		if err != nil {
			d.T.Fatal(err)
		}
		found = append(found, f.Class)
	}
	slices.Sort(found)
	return found
}

// What was merged into a fault is read as well, and no more of it than is needed.
func TestWritesReadMergedFaults(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("Gold", sentWith(`{"plan":"gold"}`)), d.Report("Part", sentWith(`{"plan":"free"}`)), d.Report("Alone", sentWith(`{"plan":"gold"}`)))
		if err := s.Faults.MergeFault(t.Context(), storetest.Noon, d.UserID, d.ProjectID, d.FaultID("Part"), triage.FaultMerge{IntoID: sett.Some(d.FaultID("Gold"))}); err != nil {
			t.Fatal(err)
		}
		which, err := s.Search.Choose(t.Context(), storetest.Noon, d.ProjectID, searchdb.Choice{Filter: searchFor(t, "-context.plan:gold")})
		if diff := cmp.Diff([]string{"Gold"}, d.classesOf(which.IDs)); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	})
}

// Writes read a bounded number of notices: a fault of too many that are not meant is left alone, and a search for too many is
// refused before anything is changed.
func TestWritesReadABoundedNumberOfNotices(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.OpenSQLite(t))
	reports := []*faultdb.Packed{d.Report("Gold", sentWith(`{"plan":"free"}`))}
	for range searchdb.MostProofsOfFault {
		reports = append(reports, d.Report("Gold", sentWith(`{"plan":"gold"}`)))
	}
	d.Record(storetest.Noon, accounts.Limits{}, reports...)
	filter := searchFor(t, "-context.plan:gold")
	if ok, reads, err := d.Search.Proves(t.Context(), d.ProjectID, filter, d.FaultID("Gold"), searchdb.MostProofsOfFault); ok || reads != searchdb.MostProofsOfFault || err != nil {
		t.Errorf("%v after %d notices, %v", ok, reads, err)
	}
	if ok, reads, err := d.Search.Proves(t.Context(), d.ProjectID, filter, d.FaultID("Gold"), searchdb.MostProofsOfFault+1); !ok || reads != searchdb.MostProofsOfFault+1 || err != nil {
		t.Errorf("%v after %d notices, %v", ok, reads, err)
	}
	if ok, reads, err := d.Search.Proves(t.Context(), d.ProjectID, searchFor(t, "-context.plan:free"), d.FaultID("Gold"), searchdb.MostProofsOfFault); !ok || reads != 1 || err != nil {
		t.Errorf("%v after %d notices, %v", ok, reads, err)
	}
	_, err := d.Search.ProvenFaults(t.Context(), d.ProjectID, filter, db.Repeated(d.FaultID("Gold"), searchdb.MostProofs/searchdb.MostProofsOfFault))
	if sett.CodeOf(err) != sett.Invalid || !strings.Contains(err.Error(), "Nothing was changed") {
		t.Errorf("read too many: %v", err)
	}
	if _, err = d.Search.ProvenFaults(t.Context(), d.ProjectID, filter, db.Repeated(d.FaultID("Gold"), searchdb.MostProofs+1)); sett.CodeOf(err) != sett.Invalid {
		t.Errorf("too many faults: %v", err)
	}
}

// What happens to a fault between the search and its lot can take it out of the search: then it is left alone.
func TestWritesLookAgain(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		for _, action := range []string{"ignore", "delete"} {
			name := func(n int) string { return fmt.Sprint(action, n) }
			d.Record(storetest.Noon, accounts.Limits{}, d.Report(name(1), sentWith(`{}`)), d.Report(name(2), sentWith(`{}`)))
			which, err := s.Search.Choose(t.Context(), storetest.Noon, d.ProjectID, searchdb.Choice{Filter: searchFor(t, "-is:resolved -context.plan:gold class:"+action+"*")})
			if err != nil || len(which.IDs) != 2 {
				t.Fatal(which.IDs, err)
			}
			d.Update(name(1), faults.FaultChange{Resolved: sett.Some(true)})
			done, err := s.Faults.ChangeFaults(t.Context(), storetest.Noon.Add(time.Second), d.UserID, d.ProjectID, which, triage.BulkChange{Action: sett.Some(action)})
			if err != nil || done.Changed != 1 {
				t.Errorf("%s: %+v, %v", action, done, err)
			}
			if f := d.Fault(name(1)); !f.Resolved || f.Ignored {
				t.Errorf("%s has changed %+v", action, f)
			}
		}
	})
}

func TestResolveFaults(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.fillForSearch()
		staging, err := sett.ParseSearch("environment:staging hostname:web_2", storetest.Noon)
		if err != nil {
			t.Fatal(err)
		}
		resolve := func(f searchdb.Filter) int64 {
			n, err := d.Search.ResolveFaults(t.Context(), storetest.Noon, d.UserID, d.ProjectID, f)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		if n := resolve(searchdb.Filter{Search: staging}); n != 1 {
			t.Errorf("resolved %d faults of staging", n)
		}
		if diff := cmp.Diff([]string{timeout, typed}, d.Find("is:resolved")); diff != "" {
			t.Error(diff)
		}
		if d.Fault(timeout).ResolveOnDeploy {
			t.Error("a resolved fault waits for a deploy")
		}
		if n := resolve(searchdb.Filter{}); n != 3 {
			t.Errorf("resolved %d of the other faults, want 3", n)
		}
		if left := d.Find("is:unresolved"); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
	})
}
