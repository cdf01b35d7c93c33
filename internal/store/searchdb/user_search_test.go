package searchdb_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store"
	"sett/internal/store/storetest"
)

func TestSearchForUsers(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		of := func(pairs ...string) func(*faults.Report) {
			return func(r *faults.Report) { r.Facets = facets(pairs...) }
		}
		d.Record(storetest.Noon, accounts.Limits{},
			d.Report("Ann", of("user", "7", "user", "Ann@example.com", "hostname", "web-1")),
			d.Report("Bob", of("user", "70", "user", "bob@example.com")),
			d.Report("Both", of("user", "7")), d.Report("Both", of("user", "bob@example.com")),
			d.Report("Neither", of("context.user_agent", "7")))
		for q, want := range map[string][]string{
			"user:7":                       {"Ann", "Both"},
			"user:7*":                      {"Ann", "Bob", "Both"},
			"user:ANN@example.com":         {"Ann"},
			"user:ann":                     {},
			"user:*@example.com":           {"Ann", "Bob", "Both"},
			"user:70 user:ann@example.com": {"Ann", "Bob"},
			"-user:7":                      {"Bob", "Both", "Neither"},
			"user:7 -user:ann@example.com": {"Both"},
			"user:7 hostname:web-1":        {"Ann"},
			"user:":                        {"Neither"},
			"-user:":                       {"Ann", "Bob", "Both"},
		} {
			if diff := cmp.Diff(want, d.Find(q)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", q, diff)
			}
		}
	})
}
