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
	"sett/internal/store/faultdb"
	"sett/internal/store/searchdb"
	"sett/internal/store/storetest"
)

// says reports an event of the error of a class, which has another class and message.
func (d *desk) says(ofClass, class, message string, causes ...faults.Said) *faultdb.Packed {
	p := d.Report(ofClass, func(r *faults.Report) { r.Message, r.Causes = message, causes })
	p.Class = class
	grouping := p.Grouping
	p = storetest.Packed(p.Report)
	p.Grouping = grouping
	return p
}

// listed returns the page of a list that a search finds.
func (d *desk) listed(q string) searchdb.List {
	d.T.Helper()
	search, err := sett.ParseSearch(q, storetest.Noon)
	if err != nil {
		d.T.Fatal(err)
	}
	list, err := d.Search.ReadList(d.T.Context(), storetest.Noon.Add(time.Hour), searchdb.ListQuery{
		Projects: []int64{d.ProjectID}, UserID: d.UserID, Filter: &searchdb.Filter{Search: search}, Page: searchdb.Page{Page: sett.Page{Size: 25}, Counted: true},
	})
	if err != nil {
		d.T.Fatal(err)
	}
	return list
}

func (d *desk) wantFound(when string, finds map[string][]string) {
	d.T.Helper()
	for q, want := range finds {
		if diff := cmp.Diff(want, d.Find(q)); diff != "" {
			d.T.Errorf("%s: %s (-want +got):\n%s", when, q, diff)
		}
	}
}

// An error is found by the class and the message of each of its events, and by what led to them.
func TestSearchFindsErrorsByEveryMessage(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		at := func(minutes int, reports ...*faultdb.Packed) {
			d.Record(storetest.Noon.Add(time.Duration(minutes)*time.Minute), accounts.Limits{}, reports...)
		}
		root := faults.Said{Class: "Net::OpenTimeout", Message: "walrus did not answer"}
		at(0, d.says("A", "A", "the badger failed"), d.says("B", "B", "the badger failed, too"), d.says("C", "C", "nothing special", root))
		at(1, d.says("A", "A", "the otter failed"), d.says("B", "B", "the badger failed, too"))
		at(2, d.says("A", "SecondError", "the lynx failed"))
		d.Update("B", faults.FaultChange{Resolved: sett.Some(true)})
		at(3, d.says("B", "B", "the 50%_heron reopened it"))
		finds := map[string][]string{
			"otter":                     {"A"},
			"OTTER":                     {"A"},
			"badger":                    {"A", "B"},
			"message:otter":             {"A"},
			"message:*ott*failed":       {"A"},
			"class:SecondError":         {"A"},
			"class:second*":             {"A"},
			"class:Second":              {},
			"lynx otter":                {"A"},
			"heron":                     {"B"},
			`message:"50%_heron"`:       {"B"},
			`message:"50%%heron"`:       {},
			"walrus":                    {"C"},
			"cause:walrus":              {"C"},
			"cause:opentimeout":         {"C"},
			"cause:*walrus*answer":      {"C"},
			"message:walrus":            {},
			"class:Net::OpenTimeout":    {},
			"cause:badger":              {},
			"cause:":                    {"A", "B"},
			"-cause:":                   {"C"},
			"-cause:walrus":             {"A", "B"},
			"-otter":                    {"B", "C"},
			"-message:otter":            {"B", "C"},
			"-class:SecondError":        {"B", "C"},
			"-badger":                   {"C"},
			"class:SecondError class:C": {"A", "C"},
			"message:":                  {},
		}
		d.wantFound("at first", finds)

		into := d.FaultID("C")
		if err := d.Faults.MergeFault(t.Context(), storetest.Noon, d.UserID, d.ProjectID, d.FaultID("A"), triage.FaultMerge{IntoID: sett.Some(into)}); err != nil {
			t.Fatal(err)
		}
		merged := map[string][]string{"otter": {"C"}, "class:A": {"C"}, "message:badger": {"B", "C"}, "-otter": {"B"}, "cause:walrus": {"C"}}
		d.wantFound("merged", merged)
		part := d.Numbers(`SELECT id FROM merged_faults`, 1)[0]
		if err := d.Faults.SplitFault(t.Context(), storetest.Noon, d.UserID, d.ProjectID, part); err != nil {
			t.Fatal(err)
		}
		d.wantFound("split", finds)
	})
}

// What finds an error in a list finds it for a bulk change and for a count too.
func TestChangesBySearchKnowEveryMessage(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Record(storetest.Noon, accounts.Limits{}, d.says("A", "A", "the badger failed"), d.says("B", "B", "the otter failed"))
		d.Record(storetest.Noon.Add(time.Minute), accounts.Limits{}, d.says("A", "A", "the otter failed"))
		search, err := sett.ParseSearch("otter", storetest.Noon)
		if err != nil {
			t.Fatal(err)
		}
		filter := searchdb.Filter{Search: search}
		n, err := d.Search.CountMatches(t.Context(), storetest.Noon, d.ProjectID, filter)
		if err != nil || n != 2 {
			t.Errorf("%d are counted (%v), want 2", n, err)
		}
		if n, err := d.Search.ResolveFaults(t.Context(), storetest.Noon, d.UserID, d.ProjectID, filter); err != nil || n != 2 {
			t.Errorf("%d are resolved (%v), want 2", n, err)
		}
	})
}

// A list says which message a search has found, and shows the newest of those that differ.
func TestListShowsWhichMessageMatched(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		root := faults.Said{Class: "Net::OpenTimeout", Message: "walrus did not answer"}
		for i, p := range []*faultdb.Packed{
			d.says("A", "A", "the badger failed"), d.says("A", "A", "the otter failed"), d.says("A", "A", "the badger failed"), d.says("A", "A", "the lynx failed", root),
		} {
			d.Record(storetest.Noon.Add(time.Duration(i)*time.Minute), accounts.Limits{}, p)
		}
		id := d.FaultID("A")
		for q, want := range map[string]faults.Match{
			"otter":         {Said: faults.Said{Class: "A", Message: "the otter failed"}},
			"failed":        {Said: faults.Said{Class: "A", Message: "the lynx failed"}},
			"failed otter":  {Said: faults.Said{Class: "A", Message: "the otter failed"}},
			"badger otter":  {Said: faults.Said{Class: "A", Message: "the badger failed"}},
			"cause:walrus":  {Said: root, Cause: true},
			"walrus":        {Said: root, Cause: true},
			"is:unresolved": {},
		} {
			list := d.listed(q)
			if diff := cmp.Diff(want, list.Matches[id]); diff != "" {
				t.Errorf("%s (-want +got):\n%s", q, diff)
			}
			newest := faults.Newest{Said: faults.Said{Class: "A", Message: "the lynx failed"}, Others: 2}
			if diff := cmp.Diff(newest, list.Beside[d.ProjectID].Newest[id]); diff != "" {
				t.Errorf("%s: the newest (-want +got):\n%s", q, diff)
			}
		}
	})
}

// Classes that only events and causes have are suggested.
func TestSuggestClassesOfEventsAndCauses(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		root := faults.Said{Class: "Net::OpenTimeout", Message: "walrus did not answer"}
		d.Record(storetest.Noon, accounts.Limits{}, d.says("A", "A", "x", root), d.says("A", "SecondError", "y"), d.says("SecondError", "SecondError", "z"))
		d.wantSuggested("class:Second", "class:SecondError 1 faults")
		d.wantSuggested("cause:Net", "cause:Net::OpenTimeout 1 faults")
	})
}

// A search reads the messages of its project once, however many errors there are, and all suggestions by an index.
func TestMessagesAreReadByTheirProject(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.OpenSQLite(t))
	for _, q := range []string{"otter", "message:otter", "class:Otter", "cause:otter"} {
		search, err := sett.ParseSearch(q, storetest.Noon)
		if err != nil {
			t.Fatal(err)
		}
		a := searchdb.FaultList{ProjectID: 1, Now: storetest.Noon, Filter: searchdb.Filter{Search: search}, Page: searchdb.Page{Order: searchdb.Recent, Page: sett.Page{Size: 25}}}.Steady()
		plan := d.Plan(a.Statement(d.DB), a.Args...)
		teams := strings.Count(plan, "SEARCH a USING INTEGER PRIMARY KEY") // the name of the team that has an error, by its id
		if !strings.Contains(plan, "SEARCH s USING PRIMARY KEY (project_id=?)") || strings.Count(plan, "CORRELATED") > teams || strings.Contains(plan, "SCAN f") {
			t.Errorf("%s is run as\n%s", q, plan)
		}
	}
	for key, statement := range searchdb.KeptOf {
		if plan := d.Plan(d.Text(statement), 1, 2); !strings.Contains(plan, "USING PRIMARY KEY (project_id=?)") {
			t.Errorf("values of %s are read as\n%s", key, plan)
		}
	}
}

// An error keeps so many messages; of the others the newest is found, and what was not said for long makes room.
func TestMessagesOfAnErrorAreBounded(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		var many []*faultdb.Packed
		for i := range faults.MostMessages + 50 {
			many = append(many, d.says("A", "A", fmt.Sprintf("animal %03d failed", i), faults.Said{Class: "Root", Message: fmt.Sprintf("plant %03d", i)}))
		}
		d.Record(storetest.Noon, accounts.Limits{}, many...)
		kept := func() []int64 {
			return d.Numbers(`SELECT (SELECT count(*) FROM fault_messages WHERE NOT cause), (SELECT CAST(sum(count) AS bigint) FROM fault_messages WHERE NOT cause), (SELECT count(*) FROM fault_messages WHERE cause)`, 3)
		}
		if diff := cmp.Diff([]int64{faults.MostMessages + 1, faults.MostMessages + 49, faults.MostCauses + 1}, kept()); diff != "" {
			t.Errorf("stored (-want +got):\n%s", diff)
		}
		d.wantFound("with many", map[string][]string{"000": {"A"}, "199": {"A"}, "249": {"A"}, `"animal 240"`: {}})
		d.Record(storetest.Noon.Add(2*time.Hour), accounts.Limits{}, d.says("A", "A", "the otter failed"))
		d.wantFound("later", map[string][]string{"otter": {"A"}, "249": {"A"}})
		if diff := cmp.Diff([]int64{faults.MostMessages + 1, faults.MostMessages + 50, faults.MostCauses + 1}, kept()); diff != "" {
			t.Errorf("stored later (-want +got):\n%s", diff)
		}
		list := d.listed("")
		if n := list.Beside[d.ProjectID].Newest[d.FaultID("A")]; n.Message != "the otter failed" || !n.More || n.Others != faults.MostMessages {
			t.Errorf("the list shows %+v", n)
		}
	})
}
