package searchdb_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sett/internal/event/payload"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
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
		sent := func(plan, facets string) func(*faults.Report) {
			return func(r *faults.Report) {
				r.Facets, r.Body = facets, []byte(`{"error":{},"request":{"context":{"plan":"`+plan+`","sql":"`+strings.Repeat("x", 300)+`END"}}}`)
			}
		}
		long := "context.sql=" + strings.Repeat("x", payload.MaxFacetText)
		marked := "\n" + long + "\n" + payload.MarkKey + "=" + payload.MarkOf("context.plan") + "\n"
		earlier := "\n" + long + "\n" + strings.Repeat("context.other="+strings.Repeat("y", 200)+"\n", 28)
		d.Record(storetest.Noon, accounts.Limits{},
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
				got := d.Find(q)
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

// TestSearchFindsWhatEarlierVersionsLeftOut has events whose facets are few and have no marks, as an earlier version stored them: it left out keys and
// query strings that look like secrets, and did not know users. The marks are added when the events are moved to a block, and when it is rewritten.
func TestSearchFindsWhatEarlierVersionsLeftOut(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		sent := func(request, facets string) func(*faults.Report) {
			return func(r *faults.Report) {
				r.BacktraceStart, r.BacktraceEnd, r.User, r.Facets = 0, 0, "", facets
				r.Body = []byte(`{"error":{},"request":` + request + `}`)
			}
		}
		d.Record(storetest.Noon, accounts.Limits{},
			d.Report("Token", sent(`{"context":{"token":"x","user":{"id":7}}}`, "\nhostname=h\ncontext.user.id=7\n")),
			d.Report("Query", sent(`{"url":"https://h.test/a?token=x"}`, "\nhostname=h\nrequest.url=https://h.test/a\nrequest.host=h.test\n")),
			d.Report("None", sent(`{"url":"https://h.test/a?page=2"}`, "\nhostname=h\nrequest.url=https://h.test/a?page=2\nrequest.host=h.test\n")))
		look := func(when string) {
			t.Helper()
			for q, want := range map[string][]string{
				"context.token:x":                       {"Token"},
				"-context.token:x":                      {"None", "Query"},
				"context.token:":                        {"None", "Query"},
				"context.token:y":                       {},
				"request.url:*token=x":                  {"Query"},
				"request.url:*?*":                       {"None", "Query"},
				"request.url:https://h.test/a?token=x":  {"Query"},
				"-request.url:https://h.test/a?token=x": {"None", "Token"},
				"user:7":                                {"Token"},
				"-user:7":                               {"None", "Query"},
			} {
				if diff := cmp.Diff(want, d.Find(q), cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("%s, %s (-want +got):\n%s", when, q, diff)
				}
			}
		}
		look("in a bundle")
		d.Run(`DELETE FROM bundle_filters`)
		look("in a bundle without a filter")
		d.Compact(storetest.Noon, block.Sizes{Most: 4, Least: 3})
		look("in a block")
		d.Run(`UPDATE blocks SET marks = NULL, rewrites = true`)
		look("in a block of an earlier version")
		p := store.Purge{Holder: "test", Now: func() time.Time { return storetest.Noon }, Rest: func(context.Context, time.Duration) error { return nil }}
		if n, err := s.RewriteBlocks(t.Context(), p); n != 1 || err != nil {
			t.Fatalf("%d blocks were rewritten: %v", n, err)
		}
		look("in a block that was rewritten")
		var marks string
		if err := s.Read.QueryRowContext(t.Context(), `SELECT marks FROM blocks`).Scan(&marks); err != nil {
			t.Fatal(err)
		}
		want := slices.Sorted(slices.Values([]string{payload.MarkOf("context.token"), payload.MarkOf(payload.MarkQuery("request.url"))}))
		if diff := cmp.Diff(want, strings.Fields(marks)); diff != "" {
			t.Errorf("marks of the block (-want +got):\n%s", diff)
		}
	})
}
