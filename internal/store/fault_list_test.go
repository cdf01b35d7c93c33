package store

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/store/fault"
	"sett/internal/store/intake"
)

// page reads a page of a list as the classes that it shows.
func (d *desk) page(order FaultOrder, p sett.Page) (shown []string, marks sett.Marks) {
	d.t.Helper()
	faults, marks, err := d.ListFaults(d.t.Context(), noon, d.ProjectID, FaultFilter{}, FaultPage{Order: order, Page: p})
	if err != nil {
		d.t.Fatal(err)
	}
	if len(faults) > p.Size || marks.Next != "" && len(faults) != p.Size {
		d.t.Fatalf("a page of %d has %d faults and the marks %+v", p.Size, len(faults), marks)
	}
	for _, f := range faults {
		shown = append(shown, f.Class)
	}
	return shown, marks
}

// classes walks through all pages of a list and returns the classes that they show, and those that the same pages show
// on the way back; between is called before each page but the first.
func (d *desk) classes(order FaultOrder, size int, between func()) (shown, back []string) {
	d.t.Helper()
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
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		for i, classes := range []string{"ABC", "BC", "C", "A", "D", "D"} {
			for _, c := range strings.Split(classes, "") {
				d.record(noon.Add(time.Duration(i)*time.Minute), sett.Limits{}, d.report(c))
			}
		}
		for order, want := range map[FaultOrder]string{ByCreation: "DCBA", Recent: "DACB", Frequent: "CDBA"} {
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
		second, marks := d.page(Recent, sett.Page{Size: 2, Offset: 2})
		first, _ := d.page(Recent, sett.Page{Size: 2, Mark: marks.Prev, Back: true})
		if got := strings.Join(append(first, second...), ""); got != "DACB" || marks.Next != "" {
			t.Errorf("the second page by offset, and the one before: %s, %+v", got, marks)
		}
	})
}

// Following the marks to the end and back shows each fault once and in the order that the list had when its first page
// was read, whatever comes in meanwhile.
func TestListFaultsWhileNoticesStreamIn(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		random := rand.New(rand.NewPCG(2026, 11))
		now, made := noon, 1
		stream := func(most int) {
			var reports []*Packed
			for range random.IntN(most) {
				which := random.IntN(min(made+1, 60)) // an old fault, or the next new one
				made = max(made, which+1)
				reports = append(reports, d.report(fmt.Sprintf("E%03d", which)))
			}
			now = now.Add(time.Duration(random.IntN(3)) * time.Second)
			d.record(now, sett.Limits{}, reports...)
		}
		for round := range 8 {
			stream(40)
			for _, order := range []FaultOrder{ByCreation, Recent, Frequent} {
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
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		d.record(noon, sett.Limits{}, d.report("A"), d.report("A"), d.report("B"))
		got, back := d.classes(Frequent, 1, func() {
			d.record(noon.Add(time.Minute), sett.Limits{}, d.report("B"))
			var busy []*Packed
			for range intake.BusyBatch {
				busy = append(busy, d.report("B"))
			}
			d.record(noon.Add(time.Minute), sett.Limits{}, busy...)
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
	d := newDesk(t, openSQLite(t))
	for _, mark := range []string{"x", "recent", "recent.1.2", "frequent.1.2.3", ".1.2.3", "recent.1.2.-3", "recent.1.2.3.4", "recent.1.2.99999999999999999999"} {
		_, _, err := d.ListFaults(t.Context(), noon, d.ProjectID, FaultFilter{}, FaultPage{Order: Recent, Page: sett.Page{Size: 1, Mark: mark}})
		if sett.CodeOf(err) != sett.Invalid {
			t.Errorf("mark %q: %v", mark, err)
		}
	}
}

func TestListFaultsOfOneProjectOnly(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		d.record(noon, sett.Limits{}, d.report("Ours"))
		for _, order := range []FaultOrder{ByCreation, Recent, Frequent} {
			faults, marks, err := d.ListFaults(t.Context(), noon, d.ProjectID+1, FaultFilter{}, FaultPage{Order: order, Page: sett.Page{Size: 25}})
			if err != nil || len(faults) != 0 || marks != (sett.Marks{}) {
				t.Errorf("order %q of another project: %+v, %+v, %v", order, faults, marks, err)
			}
		}
		if _, err := d.FaultByID(t.Context(), d.ProjectID+1, d.faultID("Ours")); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("a fault of another project: %v", err)
		}
	})
}

func TestCountFaults(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		d.fillForSearch()
		paused, err := sett.ParseSearch("is:paused last_occurred.before:today", noon)
		if err != nil {
			t.Fatal(err)
		}
		for name, c := range map[string]struct {
			filter FaultFilter
			want   []fault.FaultCount
		}{
			"all": {FaultFilter{}, []fault.FaultCount{
				{Environment: "production", Resolved: false, Ignored: false, Count: 2}, {Environment: "production", Resolved: false, Ignored: true, Count: 1}, {Environment: "production", Resolved: true, Ignored: false, Count: 1}, {Environment: "staging", Resolved: false, Ignored: false, Count: 1},
			}},
			"paused, and silent since yesterday": {FaultFilter{Search: paused}, []fault.FaultCount{{Environment: "production", Resolved: false, Ignored: false, Count: 1}}},
			"in a range": {
				FaultFilter{OccurredAfter: noon.Add(-6 * time.Hour), OccurredBefore: noon.Add(-200 * time.Minute)},
				[]fault.FaultCount{{Environment: "production", Resolved: true, Ignored: false, Count: 1}, {Environment: "staging", Resolved: false, Ignored: false, Count: 1}},
			},
			"new": {FaultFilter{CreatedAfter: noon}, nil},
		} {
			got, err := d.CountFaults(t.Context(), noon, d.ProjectID, c.filter)
			if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
				t.Errorf("%s: %v\n%s", name, err, diff)
			}
		}
	})
}

// plan returns how SQLite would run a statement, a line a step.
func (d *desk) plan(statement string, args ...any) string {
	d.t.Helper()
	rows, err := d.Read.QueryContext(d.t.Context(), "EXPLAIN QUERY PLAN "+statement, args...)
	if err != nil {
		d.t.Fatal(err)
	}
	defer rows.Close()
	var steps []string
	for rows.Next() {
		var id, parent, unused int
		var step string
		if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
			d.t.Fatal(err)
		}
		steps = append(steps, step)
	}
	if err := rows.Err(); err != nil {
		d.t.Fatal(err)
	}
	return strings.Join(steps, "\n")
}

func TestListsAreReadInTheOrderOfAnIndex(t *testing.T) {
	t.Parallel()
	d := newDesk(t, openSQLite(t))
	unresolved, err := sett.ParseSearch("-is:resolved -is:ignored environment:production", noon)
	if err != nil {
		t.Fatal(err)
	}
	for order, index := range map[FaultOrder]string{
		ByCreation: "SEARCH f USING INDEX faults_by_creation",
		Recent:     "SEARCH c USING INDEX fault_counts_recent",
		Frequent:   "SEARCH c USING INDEX fault_counts_frequent",
	} {
		for _, filter := range []FaultFilter{{}, {Search: unresolved}} {
			for _, page := range []sett.Page{{Size: 25}, {Size: 25, Offset: 25}, {Size: 25, Mark: "mark"}, {Size: 25, Mark: "mark", Back: true}} {
				l := fault.FaultList{ProjectID: d.ProjectID, Now: noon, Filter: filter, Page: FaultPage{Order: order, Page: page}}
				a := l.Steady()
				steps := strings.Split(d.plan(a.Statement(d.DB), a.Args...), "\n")
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
