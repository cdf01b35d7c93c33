package searchdb_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/sett/triage"
	"sett/internal/store"
	"sett/internal/store/block"
	"sett/internal/store/searchdb"
	"sett/internal/store/storetest"
)

// ofUser are the faults of a user in some projects, as lines; the project, the count and the minutes after noon of the first and the
// last notice.
func (d *desk) ofUser(user string, projects ...int64) (lines []string) {
	d.T.Helper()
	found, err := d.Search.FaultsOfUser(d.T.Context(), searchdb.UserSearch{User: user, Projects: projects, Each: time.Minute, All: time.Minute, Page: sett.Page{Size: 100}})
	if err != nil {
		d.T.Fatal(err)
	}
	var sum int64
	minute := func(id sett.NoticeID) int { return int(id.Time().Sub(storetest.Noon) / time.Minute) }
	for _, f := range found.Faults {
		sum += f.Count
		lines = append(lines, fmt.Sprintf("%s in %s: %d, %d to %d", f.Class, f.Project, f.Count, minute(f.First), minute(f.Last)))
	}
	if found.Found != int64(len(lines)) || found.Notices != sum || len(found.Left) > 0 || found.Marks != (sett.Marks{}) {
		d.T.Errorf("of %s: %d faults, %d notices, %v and %v, but %q", user, found.Found, found.Notices, found.Left, found.Marks, lines)
	}
	return lines
}

// by says which user a notice is of, and in which project.
func by(project int64, users ...string) func(*faults.Report) {
	return func(r *faults.Report) {
		var pairs []string
		for _, u := range users {
			pairs = append(pairs, "user", u)
		}
		r.ProjectID, r.Facets = project, facets(pairs...)
	}
}

// The faults of a user are those of its notices, in blocks or not, whatever happened to the faults since.
func TestFaultsOfUser(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		shop, api, hidden := d.ProjectID, d.Project("API").ID, d.Project("Hidden").ID
		at := func(minute int, class string, project int64, users ...string) {
			t.Helper()
			d.Record(storetest.Noon.Add(time.Duration(minute)*time.Minute), accounts.Limits{}, d.Report(class, by(project, users...)))
		}
		at(0, "A", shop, "7", "Ann@example.test")
		at(1, "B", shop, "ann@example.test")
		at(2, "Part", shop, "ann@example.test")
		at(3, "A", api, "ann@example.test")
		at(4, "Deleted", shop, "ann@example.test")
		at(5, "A", hidden, "ann@example.test")
		at(6, "A", shop, "bob@example.test", "ann")
		at(7, "Star", shop, "a*test")
		at(8, "A", shop, "ann@example.test")
		want := func(when string, user string, projects []int64, want ...string) {
			t.Helper()
			if diff := cmp.Diff(want, d.ofUser(user, projects...)); diff != "" {
				t.Errorf("%s, %q (-want +got):\n%s", when, user, diff)
			}
		}
		both := []int64{shop, api}
		want("loose", "ann@example.test", both, "A in Shop: 2, 0 to 8", "Deleted in Shop: 1, 4 to 4", "A in API: 1, 3 to 3", "Part in Shop: 1, 2 to 2", "B in Shop: 1, 1 to 1")
		part, into, deleted := d.FaultID("Part"), d.FaultID("B"), d.FaultID("Deleted")
		if err := d.Faults.MergeFault(t.Context(), storetest.Noon, d.UserID, shop, part, triage.FaultMerge{IntoID: sett.Some(into)}); err != nil {
			t.Fatal(err)
		}
		if err := d.Faults.DeleteFault(t.Context(), shop, deleted); err != nil {
			t.Fatal(err)
		}
		changed := []string{"A in Shop: 2, 0 to 8", "A in API: 1, 3 to 3", "B in Shop: 2, 1 to 2"}
		want("merged", "ann@example.test", both, changed...)
		if d.Compact(storetest.Noon, block.Sizes{Most: 3, Least: 1}) < 3 {
			t.Fatal("nothing is in blocks")
		}
		want("in blocks", "ann@example.test", both, changed...)
		at(9, "Part", shop, "ann@example.test")
		at(10, "New", api, "ANN@example.test")
		want("partly in blocks", "ann@example.test", both, "New in API: 1, 10 to 10", "B in Shop: 3, 1 to 9", "A in Shop: 2, 0 to 8", "A in API: 1, 3 to 3")
		want("of one project", "ann@example.test", []int64{api}, "New in API: 1, 10 to 10", "A in API: 1, 3 to 3")
		want("by id", "7", both, "A in Shop: 1, 0 to 0")
		want("by name", " Ann ", both, "A in Shop: 1, 6 to 6")
		want("a star", "a*test", both, "Star in Shop: 1, 7 to 7")
		for _, unknown := range []string{"", " ", "unknown", "ann@example", "*"} {
			want("unknown", unknown, both)
		}
		want("no projects", "ann@example.test", nil)
	})
}

func TestPagesOfFaultsOfUser(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		projects := []int64{d.ProjectID, d.Project("API").ID, d.Project("Web").ID}
		for i := range 7 {
			d.Record(storetest.Noon.Add(time.Duration(i)*time.Minute), accounts.Limits{}, d.Report(fmt.Sprint("E", i), by(projects[i%len(projects)], "7")))
		}
		read := func(p sett.Page) (classes string, marks sett.Marks) {
			t.Helper()
			p.Size = 3
			found, err := s.Search.FaultsOfUser(t.Context(), searchdb.UserSearch{User: "7", Projects: projects, Each: time.Minute, All: time.Minute, Page: p})
			if err != nil || found.Found != 7 || found.Notices != 7 || found.Projects != 3 {
				t.Fatalf("%+v, %v", found, err)
			}
			for _, f := range found.Faults {
				classes += " " + f.Class
			}
			return strings.TrimSpace(classes), found.Marks
		}
		first, one := read(sett.Page{})
		second, two := read(sett.Page{Mark: one.Next})
		third, three := read(sett.Page{Mark: two.Next})
		back, _ := read(sett.Page{Mark: three.Prev, Back: true})
		start, zero := read(sett.Page{Mark: two.Prev, Back: true})
		if diff := cmp.Diff([]string{"E6 E5 E4", "E3 E2 E1", "E0", "E3 E2 E1", "E6 E5 E4"}, []string{first, second, third, back, start}); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if one.Prev != "" || three.Next != "" || zero.Prev != "" {
			t.Errorf("pages beyond the ends: %v %v %v", one, three, zero)
		}
		if _, err := s.Search.FaultsOfUser(t.Context(), searchdb.UserSearch{User: "7", Projects: projects, Page: sett.Page{Size: 3, Mark: "x"}}); sett.CodeOf(err) != sett.Invalid {
			t.Errorf("a cursor that is none: %v", err)
		}
	})
}

// What there is no time for is named; the rest is found.
func TestFaultsOfUserInTime(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		projects := []int64{d.ProjectID, d.Project("API").ID}
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("A", by(d.ProjectID, "7")))
		for _, u := range []searchdb.UserSearch{{Each: 1, All: time.Minute}, {Each: time.Minute, All: 1}} {
			u.User, u.Projects, u.Size = "7", projects, 10
			found, err := s.Search.FaultsOfUser(t.Context(), u)
			if err != nil || found.Found != 0 || len(found.Left) != 2 || found.Left[0].Name != "API" || found.Left[1].ID != d.ProjectID {
				t.Errorf("without time: %+v, %v", found, err)
			}
		}
		d.Run(`DELETE FROM projects WHERE id = $1`, projects[1])
		d.Run(`UPDATE bundle_facets SET facets = $1`, []byte{1})
		if _, err := s.Search.FaultsOfUser(t.Context(), searchdb.UserSearch{User: "7", Projects: projects, Each: time.Minute, All: time.Minute, Page: sett.Page{Size: 10}}); err == nil {
			t.Error("damaged data is passed over")
		}
	})
}
