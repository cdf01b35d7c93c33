package searchdb_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store"
	"sett/internal/store/block"
	"sett/internal/store/searchdb"
	"sett/internal/store/storetest"
)

// The faults of a request are those with events of it around a moment, in blocks or not, in the order in which they came.
func TestFaultsOfTrace(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		shop, api := d.ProjectID, d.Project("API").ID
		at := func(minute int, class string, project int64, trace string) {
			t.Helper()
			d.Record(storetest.Noon.Add(time.Duration(minute)*time.Minute), accounts.Limits{}, d.Report(class, func(r *faults.Report) { r.ProjectID, r.Facets = project, facets("trace", trace) }))
		}
		at(-20, "Early", shop, "t-1")
		at(-2, "Third", shop, "t-2")
		at(-1, "First", api, "t-1")
		at(0, "Second", shop, "t-1")
		at(1, "First", api, "t-1")
		at(20, "Late", shop, "t-1")
		of := func(trace string, projects ...int64) (classes []string) {
			t.Helper()
			found, err := s.Search.FaultsOfTrace(t.Context(), searchdb.TraceSearch{Trace: trace, At: storetest.Noon, Projects: projects, Within: time.Minute})
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range found {
				classes = append(classes, f.Class+" in "+f.Project)
			}
			return classes
		}
		check := func() {
			t.Helper()
			second := of("T-1", shop)
			if diff := cmp.Diff([]string{"First in API", second[0]}, of("T-1", shop, api)); diff != "" || len(second) != 1 {
				t.Errorf("%q; in both projects (-want +got):\n%s", second, diff)
			}
			if got := slices.Concat(of("t-3", shop, api), of(" ", shop)); len(got) > 0 {
				t.Errorf("of no request: %q", got)
			}
		}
		check()
		d.Compact(storetest.Noon.Add(time.Hour), block.Sizes{Most: 100, Least: 1})
		check()
	})
}
