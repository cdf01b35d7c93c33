package fault_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/payload"
	"sett/internal/sett"
	"sett/internal/store"
	"sett/internal/store/block"
	"sett/internal/store/storetest"
)

// TestSearchReadsWhatTheIndexLeavesOut has notices whose facets have no place for all values: as intake marks them, and as an earlier version
// stored them, whose long facets have no marks. A search finds what was sent all the same, before and after the notices are in blocks.
func TestSearchReadsWhatTheIndexLeavesOut(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		sent := func(plan, facets string) func(*sett.Report) {
			return func(r *sett.Report) {
				r.Facets, r.Body = facets, []byte(`{"error":{},"request":{"context":{"plan":"`+plan+`","sql":"`+strings.Repeat("x", 300)+`END"}}}`)
			}
		}
		long := "context.sql=" + strings.Repeat("x", payload.MaxFacetText)
		marked := "\n" + long + "\n" + payload.MarkKey + "=" + payload.MarkOf("context.plan") + "\n"
		earlier := "\n" + long + "\n" + strings.Repeat("context.other="+strings.Repeat("y", 200)+"\n", 28)
		d.Record(storetest.Noon, sett.Limits{},
			d.Report("Gold", sent("gold", marked)), d.Report("Free", sent("free", marked)),
			d.Report("Old", sent("gold", earlier)), d.Report("Short", sent("gold", "\ncontext.plan=gold\n"+long+"\n")))
		look := func(when string) {
			t.Helper()
			for q, want := range map[string][]string{
				"context.plan:gold":                    {"Gold", "Old", "Short"},
				"-context.plan:gold":                   {"Free"},
				"context.plan:*ol*":                    {"Gold", "Old", "Short"},
				"context.plan:":                        {},
				"-context.plan:free context.sql:*END":  {"Gold", "Old", "Short"},
				"context.sql:*xx":                      {},
				"-context.sql:*END":                    {},
				"context.plan:free":                    {"Free"},
				"context.missing:":                     {"Free", "Gold", "Old", "Short"},
				"context.plan:gold context.plan:other": {"Gold", "Old", "Short"},
			} {
				got := d.find(q)
				if len(got) == 0 && len(want) == 0 {
					continue
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s, %s (-want +got):\n%s", when, q, diff)
				}
			}
		}
		d.Run(`DELETE FROM bundle_filters`) // as the migration does, because those of an earlier version do not know of marks
		look("in bundles")
		d.Compact(storetest.Noon, block.Sizes{Most: 4, Least: 4})
		look("in blocks")
		d.Run(`UPDATE blocks SET marks = NULL`)
		look("in blocks of an earlier version")
	})
}
