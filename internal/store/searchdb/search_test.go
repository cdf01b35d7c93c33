package searchdb_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"sett/internal/event/payload"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store"
	"sett/internal/store/searchdb"
	"sett/internal/store/storetest"
)

// facets spells pairs of keys and values as intake does.
func facets(pairs ...string) string {
	var b strings.Builder
	b.WriteString("\n")
	for i := 0; i < len(pairs); i += 2 {
		b.WriteString(payload.FacetLine(pairs[i], pairs[i+1]) + "\n")
	}
	return payload.WithMarks(b.String(), nil)
}

// fillForSearch records five faults that differ in all that a search can ask for.
func (d *desk) fillForSearch() {
	d.T.Helper()
	at := func(ago time.Duration, class string, change func(r *faults.Report)) {
		d.Record(storetest.Noon.Add(-ago), accounts.Limits{}, d.Report(class, change))
	}
	at(10*24*time.Hour, "OldError", func(r *faults.Report) {
		r.Message, r.Component, r.Action, r.Facets = "", "", "", ""
	})
	at(48*time.Hour, "NoMethodError", func(r *faults.Report) {
		r.Message, r.Component, r.Action, r.Tags = "undefined method `total' for nil", "OrdersController", "create", []string{"Billing", "slow_query"}
		r.Facets = facets("hostname", "web-1", "revision", "abc123", "file", "[PROJECT_ROOT]/app/models/order.rb",
			"request.url", "https://shop.example.test/orders?q=100%", "context.user.email", "ann@example.com", "params.step", "2", "session.cart", "full")
	})
	at(5*time.Hour, "Timeout::Error", func(r *faults.Report) {
		r.Message, r.Component, r.Action, r.Environment = "100% of retries_used", "OrdersController", "show", "staging"
		r.Facets = facets("hostname", "web_2", "revision", "abc124", "context.user.email", "bob@example.org")
	})
	at(4*time.Hour, "TypeError", func(r *faults.Report) {
		r.Message, r.Component, r.Action = `a\b "quoted" x'; DROP TABLE faults; --`, "Admin::UsersController", "index"
		r.Tags, r.Facets = []string{"slowXquery"}, facets("hostname", "webx2", "context.user.email", "")
	})
	at(3*time.Hour, "KeyError", func(r *faults.Report) {
		r.Message, r.Component, r.Action = "key not found: :größe", "Jobs::Import", "perform"
		r.Facets = facets("hostname", "web-1", "request.user_agent", "Mozilla/5.0", "params.name", "Größe")
	})
	at(30*time.Minute, "KeyError", func(r *faults.Report) {
		r.Facets = facets("hostname", "web-3", "request.user_agent", "Googlebot/2.1", "params.name", "klein")
	})
	d.Update("TypeError", faults.FaultChange{Resolved: sett.Some(true)})
	d.Update("OldError", faults.FaultChange{Ignored: sett.Some(true)})
	d.Update("Timeout::Error", faults.FaultChange{AssigneeID: sett.Some(d.UserID), ResolveOnDeploy: sett.Some(true)})
	if err := d.Faults.PauseFault(d.T.Context(), storetest.Noon, d.UserID, d.ProjectID, d.FaultID("KeyError"), faults.Pause{Time: sett.Some("hour")}); err != nil {
		d.T.Fatal(err)
	}
	if err := d.Faults.PauseFault(d.T.Context(), storetest.Noon, d.UserID, d.ProjectID, d.FaultID("NoMethodError"), faults.Pause{Count: sett.Some[int64](10)}); err != nil {
		d.T.Fatal(err)
	}
	if _, err := d.Write.ExecContext(d.T.Context(), `UPDATE faults SET comments_count = 2 WHERE class = 'KeyError'`); err != nil {
		d.T.Fatal(err)
	}
}

// The faults of fillForSearch.
const (
	old     = "OldError"
	method  = "NoMethodError"
	timeout = "Timeout::Error"
	typed   = "TypeError"
	keyed   = "KeyError"
)

var searches = []struct {
	q    string
	want []string
}{
	{"", []string{keyed, method, old, timeout, typed}},

	{"class:KeyError", []string{keyed}},
	{"class:keyerror", []string{keyed}},
	{"class:Key", nil},
	{"class:Key*", []string{keyed}},
	{"class:*Error", []string{keyed, method, old, timeout, typed}},
	{"-class:*Error", nil},
	{"class:KeyError class:TypeError", []string{keyed, typed}},
	{"-class:KeyError -class:TypeError", []string{method, old, timeout}},
	{"component:OrdersController", []string{method, timeout}},
	{"component:Admin::*", []string{typed}},
	{"component:", []string{old}},
	{"-component:", []string{keyed, method, timeout, typed}},
	{"action:create", []string{method}},
	{"-action:create", []string{keyed, old, timeout, typed}},
	{"OrdersController#create", []string{method}},
	{"-OrdersController#create", []string{keyed, old, timeout, typed}},
	{"OrdersController#*", []string{method, timeout}},
	{"environment:staging", []string{timeout}},
	{`environment:"production" -is:resolved -is:ignored`, []string{keyed, method}},

	{"message:retries", []string{timeout}},
	{"message:RETRIES", []string{timeout}},
	{`message:"undefined method"`, []string{method}},
	{"message:100%", []string{timeout}},
	{"message:%", []string{timeout}},
	{"message:_", []string{timeout}},
	{"message:retries_used", []string{timeout}},
	{"message:retries*d", []string{timeout}},
	{`message:a\b`, []string{typed}},
	{"message:", []string{old}},
	{`message:"\"quoted\""`, []string{typed}},
	{`message:"x'; DROP TABLE faults; --"`, []string{typed}},
	{"message:größe", []string{keyed}},

	{"total", []string{method}},
	{"nomethoderror", []string{method}},
	{"undefined nil", []string{method}},
	{`"undefined nil"`, nil},
	{"-total", []string{keyed, old, timeout, typed}},
	{"unknown:key", nil},
	{"' OR 1=1 --", nil},
	{`"); DELETE FROM faults; --"`, nil},
	{"$1 ? {{rows}}", nil},

	{"tag:billing", []string{method}},
	{"tag:bill", nil},
	{"tag:bill*", []string{method}},
	{"tag:slow_query", []string{method}},
	{"tag:slow*query", []string{method, typed}},
	{"tag:billing*query", nil},
	{"tag:b.lling*", nil},
	{"tag:", []string{keyed, old, timeout}},
	{"-tag:billing", []string{keyed, old, timeout, typed}},

	{"assignee:me", []string{timeout}},
	{"-assignee:me", []string{keyed, method, old, typed}},
	{"assignee:nobody", []string{keyed, method, old, typed}},
	{"assignee:anybody", []string{timeout}},
	{"assignee:OWNER@example.test", []string{timeout}},
	{"assignee:olga", []string{timeout}},
	{"assignee:ol*", []string{timeout}},
	{"-assignee:olga", []string{keyed, method, old, typed}},
	{"assignee:other@else.test", nil},

	{"is:resolved", []string{typed}},
	{"is:unresolved", []string{keyed, method, old, timeout}},
	{"-is:unresolved", []string{typed}},
	{"is:ignored", []string{old}},
	{"is:assigned", []string{timeout}},
	{"is:paused", []string{keyed, method}},
	{"is:pending_resolution", []string{timeout}},
	{"is:resolved is:ignored", []string{old, typed}},
	{"has:comment", []string{keyed}},
	{"-has:comment", []string{method, old, timeout, typed}},

	{"created:today", []string{keyed, timeout, typed}},
	{"created.before:today", []string{method, old}},
	{`created.after:"3 days ago"`, []string{keyed, method, timeout, typed}},
	{"-created:today", []string{method, old}},
	{"last_occurred.after:\"1 hour ago\"", []string{keyed}},
	{"last_occurred.before:\"24 hours ago\"", []string{method, old}},

	{"occurred.after:\"1 hour ago\"", []string{keyed}},
	{"occurred.before:\"1 day ago\"", []string{method, old}},
	{"occurred.after:\"6 hours ago\" occurred.before:\"200 minutes ago\"", []string{timeout, typed}},
	{"-occurred.after:\"1 day ago\"", []string{method, old}},
	{"occurred:yesterday occurred:2026-11-16", []string{method}},
	{"occurred.after:9999-12-31", nil},
	{"occurred.before:9999-12-31", []string{keyed, method, old, timeout, typed}},
	{"occurred.before:1970-01-01", nil},

	{"hostname:web-1", []string{keyed, method}},
	{"hostname:WEB-1", []string{keyed, method}},
	{"hostname:web_2", []string{timeout}},
	{"hostname:web*2", []string{timeout, typed}},
	{"hostname:web", nil},
	{"hostname:web-1 hostname:web_2", []string{keyed, method, timeout}},
	{"-hostname:web-1", []string{keyed, old, timeout, typed}},
	{"hostname:", []string{old}},
	{"revision:abc123", []string{method}},
	{"revision:abc*", []string{method, timeout}},
	{"file:models/order", []string{method}},
	{"file:models*rb", []string{method}},
	{"file:", []string{keyed, old, timeout, typed}},
	{"request.url:*100%*", []string{method}},
	{`request.url:"https://shop.example.test/orders?q=100%"`, []string{method}},
	{"context.user.email:*@example.com", []string{method}},
	{"context.user.email:*@example.*", []string{method, timeout}},
	{"context.user.email:", []string{keyed, old, typed}},
	{"params.step:2", []string{method}},
	{"params.step:*", []string{method}},
	{"params.name:GRÖSSE", nil},
	{"params.name:GRÖßE", []string{keyed}},
	{"session.cart:full", []string{method}},

	// All that is asked of notices must hold of the same one.
	{"-request.user_agent:*Googlebot*", []string{keyed, method, old, timeout, typed}},
	{"hostname:web-1 request.user_agent:*Mozilla*", []string{keyed}},
	{"hostname:web-3 request.user_agent:*Mozilla*", nil},
	{"hostname:web-1 -request.user_agent:*Mozilla*", []string{method}},
	{"hostname:web-1 occurred.after:\"1 hour ago\"", nil},
	{"class:KeyError hostname:web-1", []string{keyed}},

	// Nothing was deployed yet.
	{"created.after:\"last deploy\"", nil},
	{"-occurred.before:\"last deploy\"", []string{keyed, method, old, timeout, typed}},
}

func TestSearch(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.fillForSearch()
		for _, c := range searches {
			if diff := cmp.Diff(append([]string{}, c.want...), d.Find(c.q)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.q, diff)
			}
		}
	})
}

func TestSearchForTheLastDeploy(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.fillForSearch()
		for _, ago := range []time.Duration{72 * time.Hour, 210 * time.Minute} {
			if _, err := d.Faults.RecordDeploy(t.Context(), storetest.Noon.Add(-ago), d.ProjectID, faults.Deploy{Environment: "production"}); err != nil {
				t.Fatal(err)
			}
		}
		for q, want := range map[string][]string{
			`created.after:"last deploy"`:        {keyed},
			`created.before:"last deploy"`:       {method, old, timeout, typed},
			`-created.after:"last deploy"`:       {method, old, timeout, typed},
			`occurred:"last deploy"`:             {keyed},
			`occurred.before:"last deploy"`:      {method, old, timeout, typed},
			`last_occurred.after:"last deploy"`:  {keyed},
			`last_occurred.before:"last deploy"`: {method, old, timeout, typed},
		} {
			if diff := cmp.Diff(want, d.Find(q)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", q, diff)
			}
		}
	})
}

func TestSearchCountsTheNoticesInRange(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.fillForSearch()
		for _, c := range []struct {
			q      string
			filter searchdb.Filter
			want   map[string]int64 // -1: none is given
		}{
			{q: "class:KeyError", want: map[string]int64{keyed: -1}},
			{q: "class:KeyError occurred.after:\"1 hour ago\"", want: map[string]int64{keyed: 1}},
			{q: "class:KeyError occurred.after:yesterday", want: map[string]int64{keyed: 2}},
			{q: "hostname:web-1", want: map[string]int64{keyed: 1, method: 1}},
			{q: "class:KeyError -hostname:web-1", want: map[string]int64{keyed: 1}},
			{filter: searchdb.Filter{OccurredAfter: storetest.Noon.Add(-time.Hour)}, want: map[string]int64{keyed: 1}},
			{filter: searchdb.Filter{OccurredBefore: storetest.Noon.Add(-72 * time.Hour)}, want: map[string]int64{old: 1}},
			{q: "hostname:web-1", filter: searchdb.Filter{OccurredAfter: storetest.Noon.Add(-4 * time.Hour)}, want: map[string]int64{keyed: 1}},
			{filter: searchdb.Filter{CreatedAfter: storetest.Noon.Add(-200 * time.Minute)}, want: map[string]int64{keyed: -1}},
		} {
			var err error
			if c.filter.Search, err = sett.ParseSearch(c.q, storetest.Noon); err != nil {
				t.Fatal(err)
			}
			faults, _, err := d.Search.ListFaults(t.Context(), storetest.Noon, d.ProjectID, c.filter, searchdb.Page{Page: sett.Page{Size: 25}})
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]int64{}
			for _, f := range faults {
				if got[f.Class] = -1; f.InRange != nil {
					got[f.Class] = *f.InRange
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%q with %+v (-want +got):\n%s", c.q, c.filter, diff)
			}
		}
	})
}

// Whatever is typed, the statement made of it runs and what it finds, it finds again with the summary.
func TestSearchOfAnything(t *testing.T) {
	t.Parallel()
	word := rapid.SampledFrom([]string{
		`"`, `'`, `\`, `%`, `_`, `*`, `?`, `$1`, `(`, `[a-`, `{{matches}}`, `--`, `;`, ` `, `#`, `:`, `-`, `ß`, "\n", "a", "Error", "web-1",
		"class:", "tag:", "file:", "assignee:", "hostname:", "context.a.b:", "request.url:", "-message:", "occurred:today", "is:paused", "***:",
	})
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.fillForSearch()
		rapid.Check(t, func(t *rapid.T) {
			q := strings.Join(rapid.SliceOfN(word, 0, 12).Draw(t, "words"), "")
			search, err := sett.ParseSearch(q, storetest.Noon)
			if err != nil {
				t.Skip("not a search")
			}
			filter := searchdb.Filter{Search: search, AskedBy: d.UserID}
			faults, _, err := d.Search.ListFaults(d.T.Context(), storetest.Noon, d.ProjectID, filter, searchdb.Page{Order: searchdb.Recent, Page: sett.Page{Size: 25}})
			if err != nil {
				t.Fatalf("%q: %v", q, err)
			}
			counts, err := d.Search.CountFaults(d.T.Context(), storetest.Noon, d.ProjectID, filter)
			if err != nil {
				t.Fatalf("%q: %v", q, err)
			}
			total := int64(0)
			for _, c := range counts {
				total += c.Count
			}
			if total != int64(len(faults)) {
				t.Fatalf("%q: %d listed, %d counted", q, len(faults), total)
			}
		})
	})
}
