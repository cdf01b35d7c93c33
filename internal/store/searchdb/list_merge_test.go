package searchdb_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store"
	"sett/internal/store/searchdb"
	"sett/internal/store/storetest"
)

// ofProjects walks through all pages of the list of some projects, and back, and returns the faults that they show.
func (d *desk) ofProjects(order searchdb.Order, size int, q string, projects ...int64) (there, back []string, first searchdb.List) {
	d.T.Helper()
	search, err := sett.ParseSearch(q, storetest.Noon)
	if err != nil {
		d.T.Fatal(err)
	}
	read := func(p sett.Page) (list searchdb.List, shown []string) {
		list, err := d.Search.ReadList(d.T.Context(), storetest.Noon.Add(time.Hour), searchdb.ListQuery{
			Projects: projects, UserID: d.UserID, Filter: &searchdb.Filter{Search: search}, Page: searchdb.Page{Order: order, Page: p, Counted: true},
		})
		if err != nil {
			d.T.Fatal(err)
		}
		for _, f := range list.Faults {
			if users := list.Beside[f.ProjectID].Users[f.ID]; users != 1 {
				d.T.Errorf("%s has %d users", f.Class, users)
			}
			shown = append(shown, fmt.Sprint(f.ProjectID, f.Class))
		}
		return list, shown
	}
	list, shown := read(sett.Page{Size: size})
	first, there = list, shown
	for list.Next != "" {
		list, shown = read(sett.Page{Size: size, Mark: list.Next})
		there = append(there, shown...)
	}
	back = shown
	for list.Prev != "" {
		list, shown = read(sett.Page{Size: size, Mark: list.Prev, Back: true})
		back = append(shown, back...)
	}
	return there, back, first
}

// A list of several projects has the faults of each, in the order of one list, and none of other projects.
func TestListOfSeveralProjects(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		projects := []int64{d.ProjectID, d.Project("API").ID, d.Project("Empty").ID, d.Project("Web").ID}
		hidden, random := d.Project("Hidden").ID, rand.New(rand.NewPCG(38, 1))
		report := func(minute int, class string, project int64) {
			d.Record(storetest.Noon.Add(time.Duration(minute)*time.Minute), accounts.Limits{}, d.Report(class, func(r *faults.Report) { r.ProjectID = project }))
		}
		for minute := range 50 {
			report(minute, fmt.Sprintf("%c%d", 'A'+random.IntN(3), random.IntN(5)), []int64{projects[0], projects[1], projects[3], hidden}[random.IntN(4)])
		}
		for order, value := range map[searchdb.Order]func(faults.Fault) int64{
			searchdb.ByCreation: func(f faults.Fault) int64 { return f.CreatedAt.UnixMicro() },
			searchdb.Recent:     func(f faults.Fault) int64 { return f.LastNoticeAt.UnixMicro() },
			searchdb.Frequent:   func(f faults.Fault) int64 { return f.NoticesCount },
		} {
			for q, has := range map[string]func(faults.Fault) bool{
				"":                func(faults.Fault) bool { return true },
				"class:B*":        func(f faults.Fault) bool { return strings.HasPrefix(f.Class, "B") },
				"hostname:web-1":  func(faults.Fault) bool { return true },
				"class:elsewhere": func(faults.Fault) bool { return false },
			} {
				var all []faults.Fault
				for _, project := range projects {
					found, _, err := s.Search.ListFaults(t.Context(), storetest.Noon, project, searchdb.Filter{}, searchdb.Page{Page: sett.Page{Size: 100}})
					if err != nil {
						t.Fatal(err)
					}
					all = append(all, slices.DeleteFunc(found, func(f faults.Fault) bool { return !has(f) })...)
				}
				slices.SortFunc(all, func(a, b faults.Fault) int { return cmp.Or(cmp.Compare(value(b), value(a)), cmp.Compare(b.ID, a.ID)) })
				var want []string
				for _, f := range all {
					want = append(want, fmt.Sprint(f.ProjectID, f.Class))
				}
				there, back, first := d.ofProjects(order, 4, q, projects...)
				if !slices.Equal(there, want) || !slices.Equal(back, want) {
					t.Errorf("%q by %q shows\n%v and back\n%v, want\n%v", q, order, there, back, want)
				}
				if n := int64(len(want)); first.Total != n || q == "" && first.Tabs.Unresolved != n {
					t.Errorf("%q counts %d and %d, want %d", q, first.Total, first.Tabs.Unresolved, n)
				}
			}
		}
	})
}
