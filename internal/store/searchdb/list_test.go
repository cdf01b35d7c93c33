package searchdb_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/sett/triage"
	"sett/internal/store"
	"sett/internal/store/faultdb"
	"sett/internal/store/searchdb"
	"sett/internal/store/storetest"
)

// page reads a page of a list as the classes that it shows.
func (d *desk) page(order searchdb.Order, p sett.Page) (shown []string, marks sett.Marks) {
	d.T.Helper()
	faults, marks, err := d.Search.ListFaults(d.T.Context(), storetest.Noon, d.ProjectID, searchdb.Filter{}, searchdb.Page{Order: order, Page: p})
	if err != nil {
		d.T.Fatal(err)
	}
	if len(faults) > p.Size || marks.Next != "" && len(faults) != p.Size {
		d.T.Fatalf("a page of %d has %d faults and the marks %+v", p.Size, len(faults), marks)
	}
	for _, f := range faults {
		shown = append(shown, f.Class)
	}
	return shown, marks
}

// classes walks through all pages of a list and returns the classes that they show, and those that the same pages show
// on the way back; between is called before each page but the first.
func (d *desk) classes(order searchdb.Order, size int, between func()) (shown, back []string) {
	d.T.Helper()
	page, marks := d.page(order, sett.Page{Size: size})
	shown = page
	for marks.Next != "" {
		between()
		page, marks = d.page(order, sett.Page{Size: size, Mark: marks.Next})
		shown = append(shown, page...)
	}
	back = page
	for marks.Prev != "" {
		between()
		page, marks = d.page(order, sett.Page{Size: size, Mark: marks.Prev, Back: true})
		back = append(page, back...)
	}
	return shown, back
}

func TestListFaultsInOrder(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		for i, classes := range []string{"ABC", "BC", "C", "A", "D", "D"} {
			for _, c := range strings.Split(classes, "") {
				d.Record(storetest.Noon.Add(time.Duration(i)*time.Minute), accounts.Limits{}, d.Report(c))
			}
		}
		for order, want := range map[searchdb.Order]string{searchdb.ByCreation: "DCBA", searchdb.Recent: "DACB", searchdb.Frequent: "CDBA"} {
			for size := 1; size <= 5; size++ {
				shown, back := d.classes(order, size, func() {})
				if got := strings.Join(shown, ""); got != want {
					t.Errorf("order %q, %d a page: %s, want %s", order, size, got, want)
				}
				if got := strings.Join(back, ""); got != want {
					t.Errorf("order %q, %d a page, going back: %s, want %s", order, size, got, want)
				}
			}
		}
		second, marks := d.page(searchdb.Recent, sett.Page{Size: 2, Offset: 2})
		first, _ := d.page(searchdb.Recent, sett.Page{Size: 2, Mark: marks.Prev, Back: true})
		if got := strings.Join(append(first, second...), ""); got != "DACB" || marks.Next != "" {
			t.Errorf("the second page by offset, and the one before: %s, %+v", got, marks)
		}
	})
}

// Following the marks to the end and back shows each fault once and in the order that the list had when its first page
// was read, whatever comes in meanwhile.
func TestListFaultsWhileNoticesStreamIn(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		random := rand.New(rand.NewPCG(2026, 11))
		now, made := storetest.Noon, 1
		stream := func(most int) {
			var reports []*faultdb.Packed
			for range random.IntN(most) {
				which := random.IntN(min(made+1, 60)) // an old fault, or the next new one
				made = max(made, which+1)
				reports = append(reports, d.Report(fmt.Sprintf("E%03d", which)))
			}
			now = now.Add(time.Duration(random.IntN(3)) * time.Second)
			d.Record(now, accounts.Limits{}, reports...)
		}
		for round := range 8 {
			stream(40)
			for _, order := range []searchdb.Order{searchdb.ByCreation, searchdb.Recent, searchdb.Frequent} {
				want, _ := d.classes(order, 100, nil)
				got, back := d.classes(order, 1+random.IntN(10), func() { stream(6) })
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("round %d, order %q (-at first +followed):\n%s", round, order, diff)
				}
				if diff := cmp.Diff(want, back); diff != "" {
					t.Fatalf("round %d, order %q, going back (-at first +followed):\n%s", round, order, diff)
				}
			}
		}
	})
}

// Notices that are stored and not counted yet do not hide their fault.
func TestListFaultsWhileCountsArePending(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("A"), d.Report("A"), d.Report("B"))
		got, back := d.classes(searchdb.Frequent, 1, func() {
			d.Record(storetest.Noon.Add(time.Minute), accounts.Limits{}, d.Report("B"))
			var busy []*faultdb.Packed
			for range storetest.BusyBatch {
				busy = append(busy, d.Report("B"))
			}
			d.Record(storetest.Noon.Add(time.Minute), accounts.Limits{}, busy...)
		})
		if diff := cmp.Diff([]string{"A", "B"}, got); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{"A", "B"}, back); diff != "" {
			t.Error(diff)
		}
	})
}

func TestListFaultsRefusesAMarkOfAnotherList(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.OpenSQLite(t))
	for _, mark := range []string{"x", "recent", "recent.1.2", "frequent.1.2.3", ".1.2.3", "recent.1.2.-3", "recent.1.2.3.4", "recent.1.2.99999999999999999999"} {
		_, _, err := d.Search.ListFaults(t.Context(), storetest.Noon, d.ProjectID, searchdb.Filter{}, searchdb.Page{Order: searchdb.Recent, Page: sett.Page{Size: 1, Mark: mark}})
		if sett.CodeOf(err) != sett.Invalid {
			t.Errorf("mark %q: %v", mark, err)
		}
	}
}

func TestListFaultsOfOneProjectOnly(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("Ours"))
		for _, order := range []searchdb.Order{searchdb.ByCreation, searchdb.Recent, searchdb.Frequent} {
			faults, marks, err := d.Search.ListFaults(t.Context(), storetest.Noon, d.ProjectID+1, searchdb.Filter{}, searchdb.Page{Order: order, Page: sett.Page{Size: 25}})
			if err != nil || len(faults) != 0 || marks != (sett.Marks{}) {
				t.Errorf("order %q of another project: %+v, %+v, %v", order, faults, marks, err)
			}
		}
		if _, err := d.Faults.FaultByID(t.Context(), d.ProjectID+1, d.FaultID("Ours")); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("a fault of another project: %v", err)
		}
	})
}

func TestCountFaults(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.fillForSearch()
		paused, err := sett.ParseSearch("is:paused last_occurred.before:today", storetest.Noon)
		if err != nil {
			t.Fatal(err)
		}
		for name, c := range map[string]struct {
			filter searchdb.Filter
			want   []searchdb.Count
		}{
			"all": {searchdb.Filter{}, []searchdb.Count{
				{Environment: "production", Resolved: false, Ignored: false, Count: 2}, {Environment: "production", Resolved: false, Ignored: true, Count: 1}, {Environment: "production", Resolved: true, Ignored: false, Count: 1}, {Environment: "staging", Resolved: false, Ignored: false, Count: 1},
			}},
			"paused, and silent since yesterday": {searchdb.Filter{Search: paused}, []searchdb.Count{{Environment: "production", Resolved: false, Ignored: false, Count: 1}}},
			"in a range": {
				searchdb.Filter{OccurredAfter: storetest.Noon.Add(-6 * time.Hour), OccurredBefore: storetest.Noon.Add(-200 * time.Minute)},
				[]searchdb.Count{{Environment: "production", Resolved: true, Ignored: false, Count: 1}, {Environment: "staging", Resolved: false, Ignored: false, Count: 1}},
			},
			"new": {searchdb.Filter{CreatedAfter: storetest.Noon}, nil},
		} {
			got, err := d.Search.CountFaults(t.Context(), storetest.Noon, d.ProjectID, c.filter)
			if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
				t.Errorf("%s: %v\n%s", name, err, diff)
			}
		}
	})
}

func TestListsAreReadInTheOrderOfAnIndex(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.OpenSQLite(t))
	unresolved, err := sett.ParseSearch("-is:resolved -is:ignored environment:production", storetest.Noon)
	if err != nil {
		t.Fatal(err)
	}
	for order, index := range map[searchdb.Order]string{
		searchdb.ByCreation: "SEARCH f USING INDEX faults_by_creation",
		searchdb.Recent:     "SEARCH c USING INDEX fault_counts_recent",
		searchdb.Frequent:   "SEARCH c USING INDEX fault_counts_frequent",
	} {
		for _, filter := range []searchdb.Filter{{}, {Search: unresolved}} {
			for _, page := range []sett.Page{{Size: 25}, {Size: 25, Offset: 25}, {Size: 25, Mark: "mark"}, {Size: 25, Mark: "mark", Back: true}} {
				l := searchdb.FaultList{ProjectID: d.ProjectID, Now: storetest.Noon, Filter: filter, Page: searchdb.Page{Order: order, Page: page}}
				a := l.Steady()
				steps := strings.Split(d.Plan(a.Statement(d.DB), a.Args...), "\n")
				if i := slices.IndexFunc(steps, func(s string) bool { return strings.Contains(s, "TEMP B-TREE") || strings.HasPrefix(s, "SCAN") }); i >= 0 {
					t.Errorf("order %q, filter %+v, page %+v: %s", order, filter, page, steps[i])
				}
				if !strings.Contains(steps[0], index) {
					t.Errorf("order %q, filter %+v, page %+v begins with %q", order, filter, page, steps[0])
				}
			}
		}
	}
}

// All rows of a list are read into the same value.
func TestAFaultOfAListHasOnlyItsOwnAssignee(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		for i, class := range []string{"older", "ours", "newer"} { // the last comes first
			d.Record(storetest.Clock(i), accounts.Limits{}, d.Report(class))
		}
		d.Update("ours", faults.FaultChange{AssigneeID: sett.Some(d.UserID)})
		listed, _, err := s.Search.ListFaults(t.Context(), storetest.Noon, d.ProjectID, searchdb.Filter{}, searchdb.Page{Order: searchdb.Recent, Page: sett.Page{Size: 3}})
		if err != nil || len(listed) != 3 {
			t.Fatal(listed, err)
		}
		for _, f := range listed {
			if (f.Assignee != nil) != (f.Class == "ours") {
				t.Errorf("%s is assigned to %v", f.Class, f.Assignee)
			}
		}
	})
}

func TestSearchesMeanMergedNotices(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("A", func(r *faults.Report) { r.Facets = "\nhostname=db-1\n" }), d.Report("B"), d.Report("C"))
		if err := s.Faults.MergeFault(t.Context(), storetest.Noon, d.UserID, d.ProjectID, d.FaultID("A"), triage.FaultMerge{IntoID: sett.Some(d.FaultID("B"))}); err != nil {
			t.Fatal(err)
		}
		for q, want := range map[string][]string{"hostname:db-1": {"B"}, "hostname:web-1": {"B", "C"}, "-hostname:web-1": {"B"}} {
			if diff := cmp.Diff(want, d.Find(q)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", q, diff)
			}
		}
		search, err := sett.ParseSearch("hostname:db-1 hostname:db-1", storetest.Noon)
		if err != nil {
			t.Fatal(err)
		}
		found, _, err := s.Search.ListFaults(t.Context(), storetest.Noon, d.ProjectID, searchdb.Filter{Search: search}, searchdb.Page{Order: searchdb.Recent, Page: sett.Page{Size: 9}})
		if err != nil || len(found) != 1 || *found[0].InRange != 1 {
			t.Errorf("found %+v, %v", found, err)
		}
		for _, order := range []searchdb.Order{searchdb.Recent, searchdb.Frequent, searchdb.ByCreation} {
			shown, back := d.classes(order, 1, func() { d.Record(storetest.Noon.Add(time.Hour), accounts.Limits{}, d.Report("A")) })
			if len(shown) != 2 || len(back) != 2 {
				t.Errorf("%q shows %v, back %v", order, shown, back)
			}
		}
	})
}

// Lists of new faults, and of the faults of a user, begin with the few faults that an index finds.
func TestFewFaultsAreFoundByAnIndex(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.OpenSQLite(t))
	for q, wants := range map[string]string{
		"-is:resolved -is:ignored is:new":      "SEARCH f USING INDEX faults_by_",
		"-is:resolved -is:ignored assignee:me": "SEARCH f USING INDEX faults_by_assignee (assignee_id=? AND project_id=?",
	} {
		search, err := sett.ParseSearch(q, storetest.Noon)
		if err != nil {
			t.Fatal(err)
		}
		for _, order := range []searchdb.Order{searchdb.Recent, searchdb.Frequent} {
			a := searchdb.FaultList{ProjectID: 1, Now: storetest.Noon, Filter: searchdb.Filter{Search: search, AskedBy: 1}, Page: searchdb.Page{Order: order, Page: sett.Page{Size: 25}}}.Steady()
			plan := d.Plan(a.Statement(d.DB), a.Args...)
			if first, _, _ := strings.Cut(plan, "\n"); !strings.HasPrefix(first, wants) {
				t.Errorf("%s by %q begins otherwise:\n%s", q, order, plan)
			}
		}
	}
	if plan := d.Plan(d.Text(searchdb.CountMine), 1, 1, 1); !strings.Contains(plan, "faults_by_assignee (assignee_id=? AND project_id=? AND resolved=? AND ignored=?") {
		t.Errorf("those of the user are counted by\n%s", plan)
	}
}
