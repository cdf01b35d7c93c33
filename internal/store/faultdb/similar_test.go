package faultdb_test

import (
	"crypto/sha256"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store"
	"sett/internal/store/faultdb"
	"sett/internal/store/storetest"
)

// at makes a report of a class that comes from a place in the app's code.
func (d *desk) at(class, file, method string, change ...func(*faults.Report)) *faultdb.Packed {
	p := d.Report(class, change...)
	p.Grouping.File, p.Grouping.Method, p.Grouping.Message = file, method, ""
	p.Grouping.Key = [16]byte(func() []byte { sum := sha256.Sum256([]byte(class + file + method + p.Environment)); return sum[:] }())
	return p
}

func TestSimilarFaults(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		other := d.Project("Other")
		in := func(project int64) func(*faults.Report) { return func(r *faults.Report) { r.ProjectID = project } }
		trick := `x,"file":"app/cart.rb","method":"total"}`
		for i, r := range []*faultdb.Packed{
			d.at("Same", "app/a.rb", "one"), d.at("Boom", "app/cart.rb", "total"), d.at("Same", "app/b.rb", "two"), d.at("Place", "app/cart.rb", "total"),
			d.at("Far", "app/cart.rb", "total", in(other.ID)), d.at("Same", "app/cart.rb", "total", in(other.ID)), d.at("Method", "app/cart.rb", "size"),
			d.at(trick, "", ""), d.at("", "", ""), d.at("Long", strings.Repeat("\u2603", 500), strings.Repeat("\u2603", 500)), d.at("Same", "app/cart.rb", "total"),
		} {
			d.Record(storetest.Noon.Add(time.Duration(i)*time.Minute), accounts.Limits{}, r)
		}
		for of, want := range map[string][]string{"Boom": {"Same", "Place"}, "Place": {"Same", "Boom"}, "Method": {}, "": {}, trick: {}, "Long": {}, "Same": {}} {
			faults, err := s.Faults.SimilarFaults(t.Context(), d.ProjectID, d.FaultID(of), 5)
			if err != nil {
				t.Fatal(err)
			}
			got := []string{}
			for _, f := range faults {
				got = append(got, f.Class)
			}
			if of == "Same" { // of its class and of its place, the last first
				want = []string{"Place", "Same", "Boom", "Same"}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("like %q (-want +got):\n%s", of, diff)
			}
		}
		if found, err := s.Faults.SimilarFaults(t.Context(), d.ProjectID, d.FaultID("Same"), 2); err != nil || len(found) != 2 {
			t.Errorf("of two, %d are found, %v", len(found), err)
		}
	})
}

func TestSimilarFaultsUseIndexes(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.OpenSQLite(t))
	for statement, index := range map[string]string{faultdb.SameClass: "faults_by_class", faultdb.SamePlace: "faults_by_place", faultdb.ResolvedAt: "comments_told", faultdb.IgnoredAt: "comments_ignored"} {
		if plan := d.Plan(d.Text(statement), 1, 1, 1); !strings.Contains(plan, index) {
			t.Errorf("%s is not used:\n%s", index, plan)
		}
	}
}
