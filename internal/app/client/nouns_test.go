package client

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"sett/internal/api"
)

var update = flag.Bool("update", false, "write the fields of the commands into their chapter")

// The chapter lists the fields of each noun.
func TestFieldsAreInTheirChapter(t *testing.T) {
	t.Parallel()
	const chapter, begin, end = "../../../docs/command-line.md", "<!-- fields -->\n", "<!-- end of fields -->"
	text, err := os.ReadFile(chapter)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(text), begin)
	_, after, ok := strings.Cut(rest, end)
	if !ok {
		t.Fatal("the chapter has no place for the fields")
	}
	var b strings.Builder
	for _, n := range Nouns() {
		fmt.Fprintf(&b, "### sett %s\n\n| field | meaning |\n|---|---|\n", n.Name)
		for _, c := range n.Columns {
			fmt.Fprintf(&b, "| `%s` | %s |\n", c.Name, c.Doc)
		}
		b.WriteString("\n")
	}
	want := before + begin + "\n" + b.String() + end + after
	switch {
	case string(text) == want:
	case *update:
		if err := os.WriteFile(chapter, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Error("the fields of the chapter differ; run: go test ./internal/app/client -run Fields -update")
	}
}

// A list has as many things as are wanted, over the pages of the API, whose links have the public address of the server.
func TestListsHavePages(t *testing.T) {
	t.Parallel()
	page := func(next string, ids ...string) string {
		text := `{"links": {"next": "` + next + `"}, "total": 3, "results": [{"id": ` + strings.Join(ids, `}, {"id": `) + `}]}`
		return strings.Replace(text, `"next": ""`, `"self": ""`, 1)
	}
	for limit, want := range map[int]struct {
		asked int
		more  bool
	}{1: {1, true}, 2: {1, true}, 3: {2, false}, 9: {2, false}} {
		a := &answers{all: []string{page("https://public.example.org/v2/projects/1/faults?page=2", "1", "2"), page("", "3")}}
		found, err := a.server().List(t.Context(), Errors(), Matching("a b"), limit)
		if err != nil || len(found.Rows) != min(limit, 3) || len(a.asked) != want.asked || found.More != want.more || found.Total != 3 {
			t.Errorf("limit %d: %v, %+v after %q", limit, err, found, a.asked)
		}
		if !strings.Contains(a.asked[0], "q=a+b") || want.asked == 2 && a.asked[1] != "/v2/projects/1/faults?page=2" {
			t.Errorf("limit %d: %q", limit, a.asked)
		}
	}
}

// Addresses that people copy name a project and what is in it; others are names.
func TestAddressesArePasted(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Address{
		"https://a.example.org/projects/3/faults/9/01a2?x=1#y": {Project: 3, Part: "faults", ID: "9"},
		"http://a.example.org/sett/projects/3/releases/v1%2F2": {Project: 3, Part: "releases", ID: "v1/2"},
		"https://a.example.org/projects/3":                     {Project: 3},
		"https://a.example.org/accounts/x/status_pages/p1":     {Part: "status_pages", ID: "p1"},
		"https://shop.example.org/":                            {},
		"https://a.example.org/projects/new":                   {},
		"123":                                                  {},
	} {
		got, ok := ParseAddress(text)
		if ok != (want != Address{}) || ok && (got.Project != want.Project || got.Part != want.Part || got.ID != want.ID) {
			t.Errorf("%s: %+v, %v", text, got, ok)
		}
	}
}

// The state of an error is one word.
func TestStatesOfErrors(t *testing.T) {
	t.Parallel()
	for want, f := range map[string]api.Fault{
		"open": {}, "paused": {Paused: true}, "resolved": {Resolved: true, Paused: true}, "ignored": {Ignored: true, Resolved: true},
	} {
		if got := stateOf(f); got != want {
			t.Errorf("%+v: %s", f, got)
		}
	}
}

// A name that several things have names none of them.
func TestNamesAreOfOneThing(t *testing.T) {
	t.Parallel()
	a := &answers{all: []string{`{"results": [{"id": 5, "name": "Shop"}, {"id": 6, "name": "shop"}, {"id": 7, "name": "Docs", "token": "k"}]}`}}
	s := a.server()
	s.Project = 0
	for word, want := range map[string]int64{"docs": 7, "k": 7, "6": 6} {
		if got, err := s.Choose(t.Context(), word); err != nil || got.Project != want {
			t.Errorf("%s: %d, %v", word, got.Project, err)
		}
	}
	for word, want := range map[string]string{"SHOP": "by its id: 5, 6", "dcs": "did you mean Docs?", "": "--project (SETT_PROJECT_ID) is missing; you have 5 (Shop)"} {
		if _, err := s.Choose(t.Context(), word); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", word, err)
		}
	}
}

// A list of which not all could be read says so.
func TestAListThatIsNotWholeSaysSo(t *testing.T) {
	t.Parallel()
	for answer, says := range map[string]string{
		`{"results": []}`:                                           "",
		`{"results": [], "unread_blocks": 2}`:                       "could not read 2 blocks",
		`{"results": [], "searched_since": "2026-11-29T08:00:00Z"}`: "of events before 2026-11-29T08:00:00Z",
	} {
		found, err := (&answers{all: []string{answer}}).server().List(t.Context(), Errors(), nil, 5)
		if err != nil || !strings.Contains(found.Says(), says) || (says == "") != (found.Says() == "") {
			t.Errorf("%s: %q, %v", answer, found.Says(), err)
		}
	}
}
