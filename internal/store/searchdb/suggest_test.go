package searchdb_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"sett/internal/event/payload"
	"sett/internal/event/query"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/sett/triage"
	"sett/internal/store"
	"sett/internal/store/block"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
	"sett/internal/store/searchdb"
	"sett/internal/store/storetest"
)

// suggest returns the suggestions for what is typed, each with what it counts.
func (d *desk) suggest(typed string) (lines []string) {
	d.T.Helper()
	t, problem := query.ReadTyped(typed)
	if problem != "" {
		d.T.Fatalf("%s: %s", typed, problem)
	}
	found, err := d.Search.Suggest(d.T.Context(), d.ProjectID, t)
	if err != nil {
		d.T.Fatalf("%s: %v", typed, err)
	}
	for _, s := range found {
		line := s.Text
		if s.Faults > 0 {
			line += fmt.Sprintf(" %d faults", s.Faults)
		}
		if s.Notices > 0 {
			line += fmt.Sprintf(" %d notices", s.Notices)
		}
		if s.IsKey != strings.HasSuffix(s.Text, ":") {
			d.T.Errorf("%s: %+v", typed, s)
		}
		lines = append(lines, line)
	}
	return lines
}

func (d *desk) wantSuggested(typed string, want ...string) {
	d.T.Helper()
	if diff := cmp.Diff(want, d.suggest(typed)); diff != "" {
		d.T.Errorf("%s (-want +got):\n%s", typed, diff)
	}
}

// with makes a report one with these facets.
func with(pairs ...string) func(*faults.Report) {
	return func(r *faults.Report) { r.Facets = facets(pairs...) }
}

func TestSuggestOfFaults(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.fillForSearch()
		other := d.Project("Other").ID
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("Other::Error", func(r *faults.Report) { r.ProjectID, r.Environment = other, "other" }))
		for typed, want := range map[string][]string{
			"environment:":        {"environment:production 4 faults", "environment:staging 1 faults"},
			"env:PR":              {"environment:production 4 faults"},
			"-Environment:st":     {"-environment:staging 1 faults"},
			"class:e":             {"class:KeyError 1 faults", "class:NoMethodError 1 faults", "class:OldError 1 faults", "class:Timeout::Error 1 faults", "class:TypeError 1 faults"},
			"class:t":             {"class:Timeout::Error 1 faults", "class:TypeError 1 faults", "class:NoMethodError 1 faults"},
			"component:orders":    {"component:OrdersController 2 faults"},
			"action:":             {"action:create 1 faults", "action:index 1 faults", "action:perform 1 faults", "action:show 1 faults"},
			"tag:slow":            {"tag:slowXquery 1 faults", "tag:slow_query 1 faults"},
			"assignee:":           {"assignee:anybody", "assignee:me", "assignee:nobody", "assignee:owner@example.test 1 faults"},
			"is:re":               {"is:resolved", "is:ignored", "is:pending_resolution", "is:unresolved"},
			"created.after:\"1 h": {`created.after:"1 hour ago"`},
			"https://exa":         nil,
			"message:und":         nil,
			`"environment:pr`:     nil,
			"class:other":         nil,
		} {
			d.wantSuggested(typed, want...)
		}
		team, err := s.Accounts.CreateTeam(t.Context(), storetest.Noon, d.AccountID, "Night shift", []int64{d.ProjectID}, nil)
		if err != nil {
			t.Fatal(err)
		}
		d.Update("KeyError", faults.FaultChange{AssigneeID: sett.Some(-team)})
		d.wantSuggested("assignee:ni", `assignee:"Night shift" 1 faults`)
		if err := d.Faults.DeleteFault(t.Context(), d.ProjectID, d.FaultID(timeout)); err != nil {
			t.Fatal(err)
		}
		d.wantSuggested("environment:", "environment:production 4 faults")
	})
}

func TestSuggestOfNotices(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		other := d.Project("Other").ID
		minute := 0
		add := func(class string, pairs ...string) {
			t.Helper()
			minute++
			d.Record(storetest.Noon.Add(time.Duration(minute)*time.Minute), accounts.Limits{}, d.Report(class, with(pairs...)))
		}
		add("A", "hostname", "web-1", "revision", "abc1", "context.plan", "Gold", "context.user.id", "7")
		add("B", "hostname", "web-2", "revision", "abc1", "context.plan", "gold fish", "context.plan", "gold")
		add("Part", "hostname", "web-1", "context.plan", `"quoted"`, "params.page", "2", "context.two words", "x")
		add("Deleted", "hostname", "gone", "context.plan", "gone", "context.gone", "x", "session.a:b", "y")
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("Elsewhere", with("hostname", "other", "context.plan", "other", "context.other", "x"), func(r *faults.Report) { r.ProjectID = other }))
		want := func(when string) {
			t.Helper()
			t.Log(when)
			d.wantSuggested("hostname:", "hostname:web-1 2 notices", "hostname:web-2 1 notices")
			d.wantSuggested("host:2", "hostname:web-2 1 notices")
			d.wantSuggested("-revision:AB", "-revision:abc1 2 notices")
			d.wantSuggested("context.plan:", "context.plan:gold 2 notices", `context.plan:"\"quoted\"" 1 notices`, `context.plan:"gold fish" 1 notices`)
			d.wantSuggested(`context.plan:"gold f`, `context.plan:"gold fish" 1 notices`)
			d.wantSuggested("plan", "context.plan: 3 notices")
			d.wantSuggested("-context.", "-context.plan: 3 notices", "-context.user.id: 1 notices")
			d.wantSuggested("a", "action:", "assignee:", "created.after:", "last_occurred.after:", "occurred.after:", "context.plan: 3 notices", "params.page: 1 notices")
			d.wantSuggested("release", "revision:")
			d.wantSuggested("", "action:", "assignee:", "browser:", "cause:", "class:", "component:", "created:", "device:", "environment:", "file:", "handled:", "has:", "hostname:",
				"is:", "last_occurred:", "level:", "message:", "occurred:", "os:", "revision:", "tag:", "trace:", "user:", "context.plan: 3 notices", "context.user.id: 1 notices", "params.page: 1 notices")
			d.wantSuggested("context.none:")
		}
		if err := d.Faults.MergeFault(t.Context(), storetest.Noon, d.UserID, d.ProjectID, d.FaultID("Part"), triage.FaultMerge{IntoID: sett.Some(d.FaultID("A"))}); err != nil {
			t.Fatal(err)
		}
		if got := d.suggest("hostname:gone"); len(got) != 1 {
			t.Fatalf("before it is deleted: %q", got)
		}
		deleted := d.FaultID("Deleted")
		d.Run(`UPDATE fault_counts SET project_id = -1 WHERE fault_id = $1`, deleted)
		d.Run(`DELETE FROM faults WHERE id = $1`, deleted) // as in the moment before its notices are
		want("loose")
		if d.Compact(storetest.Noon, block.Sizes{Most: 3, Least: 1}) < 2 {
			t.Fatal("nothing is in blocks")
		}
		want("in blocks")
	})
}

// What is deleted is not suggested: from its bundle it goes at once, in its block it is marked.
func TestSuggestNothingDeleted(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		for i, compacted := range []bool{false, true} {
			at := storetest.Noon.Add(time.Duration(i) * time.Hour)
			d.Record(at, accounts.Limits{}, d.Report("A", with("hostname", "stays")), d.Report("Deleted", with("hostname", "gone", "context.gone", "x")))
			d.Record(at.Add(time.Minute), accounts.Limits{}, d.Report("A", with("hostname", "erased", "context.erased", "x")))
			if compacted {
				d.Compact(at, block.Sizes{Most: 100, Least: 1})
			}
			if got := d.suggest("hostname:e"); len(got) != 2 {
				t.Fatalf("before they are deleted: %q", got)
			}
			if err := d.Faults.DeleteFault(t.Context(), d.ProjectID, d.FaultID("Deleted")); err != nil {
				t.Fatal(err)
			}
			var erased int64
			d.Scan(`SELECT max(id) FROM notices`, nil, &erased)
			err := s.InTx(t.Context(), "delete a notice", func(tx *db.Tx) error { return s.Faults.In(tx).DeleteNotices(t.Context(), []int64{erased}) })
			if err != nil {
				t.Fatal(err)
			}
			for _, typed := range []string{"hostname:gone", "context.gone", "hostname:erased", "context.erased"} {
				d.wantSuggested(typed)
			}
			d.wantSuggested("hostname:", fmt.Sprintf("hostname:stays %d notices", i+1))
		}
	})
}

// Suggestions read two blocks and some bundles, however many there are: here all others are damaged, which must not matter.
func TestSuggestReadsOnlyTheNewest(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		for i := range 5 {
			d.Record(storetest.Noon.Add(time.Duration(i)*time.Minute), accounts.Limits{}, d.Report("A", with("hostname", fmt.Sprint("old-", i))))
			d.Compact(storetest.Noon.Add(time.Hour), block.Sizes{Most: 1, Least: 1})
		}
		const newest = `(SELECT id FROM blocks ORDER BY id DESC LIMIT 2)`
		d.Run(`UPDATE block_parts SET body = $1 WHERE block_id NOT IN `+newest, []byte("damaged"))
		d.Run(`UPDATE blocks SET notices = $1 WHERE id NOT IN `+newest, []byte("damaged"))
		d.wantSuggested("hostname:", "hostname:old-3 1 notices", "hostname:old-4 1 notices")
		d.wantSuggested("context.")
		for i := range block.RecentBundles + 1 {
			d.Record(storetest.Noon.Add(2*time.Hour+time.Duration(i)*time.Second), accounts.Limits{}, d.Report("A", with("hostname", "new")))
		}
		d.Run(`UPDATE bundle_facets SET facets = $1 WHERE bundle_id = (SELECT min(bundle_id) FROM bundle_facets)`, []byte("damaged"))
		d.wantSuggested("hostname:new", fmt.Sprintf("hostname:new %d notices", block.RecentBundles))
		var many []*faults.Report
		for range block.MostInBundle {
			many = append(many, d.Report("A", with("hostname", "full")).Report)
		}
		for i := range block.RecentNotices / block.MostInBundle {
			d.Record(storetest.Noon.Add(4*time.Hour+time.Duration(i)*time.Second), accounts.Limits{}, new(faultdb.Packer).Pack(many)...)
		}
		d.wantSuggested("hostname:full", fmt.Sprintf("hostname:full %d notices", block.RecentNotices))
		d.wantSuggested("hostname:new")
	})
}

// The faults with the newest notices are read in the order of an index.
func TestSuggestLooksIntoIndexes(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.OpenSQLite(t))
	for _, statement := range searchdb.RecentOf {
		plan := d.Plan(d.Text(statement), 1, 2)
		if !strings.Contains(plan, "USING COVERING INDEX fault_counts_recent (project_id=?)") || !strings.Contains(plan, "SEARCH f USING INTEGER PRIMARY KEY") || strings.Contains(plan, "FOR ORDER BY") {
			t.Errorf("%s\nis run as\n%s", statement, plan)
		}
	}
}

// A search for a suggested value is one for that value, and finds the error that has it.
func TestSuggestedIsFound(t *testing.T) {
	t.Parallel()
	s := storetest.OpenSQLite(t)
	d := newDesk(t, s)
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		project := d.Project(fmt.Sprint("P", n)).ID
		key, value := "context."+rapid.StringN(1, 8, -1).Draw(rt, "key"), rapid.StringN(1, 20, -1).Draw(rt, "value")
		of := &desk{storetest.DeskOf(s, d.SetupResult, t)}
		of.ProjectID = project
		of.Record(storetest.Noon, accounts.Limits{}, of.Report("Found", func(r *faults.Report) {
			r.ProjectID, r.Facets = project, facets(key, value, "hostname", value)
			r.Class, r.Tags = strings.TrimSpace(payload.FacetLine("", value)[1:]), []string{strings.TrimSpace(payload.FacetLine("", value)[1:])}
		}))
		values := func(typed string) (texts []string) {
			t, _ := query.ReadTyped(typed)
			found, err := of.Search.Suggest(rt.Context(), project, t)
			if err != nil {
				rt.Fatalf("%q: %v", typed, err)
			}
			for _, s := range found {
				texts = append(texts, s.Text)
			}
			return texts
		}
		all := slices.Concat(values("hostname:"), values("class:"), values("tag:"))
		for _, key := range values("context.") {
			all = append(all, values(key)...)
		}
		for _, text := range all {
			if got := of.Find(text); len(got) != 1 {
				rt.Errorf("%q of %q is suggested and finds %q", text, value, got)
			}
		}
	})
}

func TestCountFacets(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		count := func(keys ...string) searchdb.Facets {
			t.Helper()
			f, err := d.Search.CountFacets(t.Context(), d.ProjectID, keys)
			if err != nil {
				t.Fatal(err)
			}
			return f
		}
		if f := count("environment", "hostname"); f.Faults != 0 || f.Notices != 0 || len(f.Values) != 0 {
			t.Errorf("of nothing it counts %+v", f)
		}
		for i, host := range []string{"web-1", "web-2", "web-1", "web 3"} {
			d.Record(storetest.Noon.Add(time.Duration(i)*time.Minute), accounts.Limits{}, d.Report("A", with("hostname", host, "context.plan", "gold")))
		}
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("B", func(r *faults.Report) { r.Environment = "staging" }))
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("Elsewhere", with("hostname", "other"), func(r *faults.Report) { r.ProjectID = d.Project("Other").ID }))
		want := searchdb.Facets{Faults: 2, Notices: 5, Values: map[string][]searchdb.FacetValue{
			"environment":  {{"production", "environment:production", 1}, {"staging", "environment:staging", 1}},
			"hostname":     {{"web-1", "hostname:web-1", 3}, {"web 3", `hostname:"web 3"`, 1}, {"web-2", "hostname:web-2", 1}},
			"context.plan": {{"gold", "context.plan:gold", 4}},
		}}
		if diff := cmp.Diff(want, count("environment", "hostname", "context.plan", "no such key", "text", "is", "")); diff != "" {
			t.Errorf("it counts (-want +got):\n%s", diff)
		}
		if d.Compact(storetest.Noon.Add(time.Hour), block.Sizes{Most: 100, Least: 1}) == 0 {
			t.Fatal("nothing is compacted")
		}
		if diff := cmp.Diff(want, count("environment", "hostname", "context.plan")); diff != "" {
			t.Errorf("in blocks it counts (-want +got):\n%s", diff)
		}
	})
}

// The first page of a project counts the facets of few notices and faults, however many there are.
func TestCountNewestFacets(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		minute := 0
		record := func(bundles int) {
			for range bundles {
				var reports []*faults.Report
				for range block.MostInBundle {
					reports = append(reports, d.Report("A", with("hostname", "new")).Report)
				}
				d.Record(storetest.Noon.Add(time.Duration(minute)*time.Minute), accounts.Limits{}, new(faultdb.Packer).Pack(reports)...)
				minute++
			}
		}
		want := func(what string, notices int64, all bool) {
			t.Helper()
			f, whole, err := d.Search.CountNewestFacets(t.Context(), d.ProjectID, []string{"class", "hostname"})
			if err != nil || f.Notices != notices || whole != all || f.Values["hostname"][0] != (searchdb.FacetValue{Text: "new", Term: "hostname:new", Count: notices}) {
				t.Errorf("%s: %d notices, all of them: %v, %+v, %v; want %d, %v", what, f.Notices, whole, f.Values["hostname"], err, notices, all)
			}
		}
		in := block.MostInBundle
		record(1)
		d.Compact(storetest.Noon.Add(time.Hour), block.Sizes{Most: 100, Least: 1})
		want("one block", int64(in), true)
		record(block.Shallow.Notices / in)
		want("bundles and a block, which are not older than what it reads", int64(block.Shallow.Notices+in), true)
		record(block.Shallow.Notices / in)
		want("more bundles", int64(block.Shallow.Notices), false)
		d.Run(`DELETE FROM bundle_facets`)
		d.Run(`UPDATE block_parts SET body = $1`, []byte("damaged"))
		d.Run(`UPDATE blocks SET notices = $1`, []byte("damaged"))
		record(1)
		d.Compact(storetest.Noon.Add(24*time.Hour), block.Sizes{Most: 100, Least: 1})
		want("two blocks", int64(in), false)
	})
}
