package frombugsink_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/app/movein"
	"sett/internal/app/movein/frombugsink"
	"sett/internal/sett"
	"sett/internal/sett/move"
)

var (
	_    movein.Source = (*frombugsink.Source)(nil)
	noon               = time.Date(2026, 11, 29, 1, 30, 0, 0, time.UTC)
	shop               = move.Project{ID: "1", Slug: "shop"}
)

const token = "0123456789abcdef0123456789abcdef01234567"

// server answers as Bugsink 2.6.2 has answered, in testdata/answers.json.
type server struct {
	perPage int                                                     // rows; 0 for all
	before  func(w http.ResponseWriter, key string) (answered bool) // nil for none
	asked   []string
	answers map[string]json.RawMessage
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	cursor := query.Get("cursor")
	for _, name := range []string{"cursor", "start", "end"} {
		query.Del(name)
	}
	key := strings.TrimPrefix(r.URL.Path, "/api/canonical/0/")
	if len(query) > 0 {
		key += "?" + query.Encode()
	}
	s.asked = append(s.asked, key)
	w.Header().Set("Content-Type", "application/json")
	if r.Header.Get("Authorization") != "Bearer "+token {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	if s.before != nil && s.before(w, key) {
		return
	}
	answer, ok := s.answers[key]
	if !ok {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	_, _ = w.Write(s.cut(answer, cursor))
}

// cut returns the page of a list that a cursor names. The address of the next page is of another host, as behind a proxy that is not set up well.
func (s *server) cut(answer json.RawMessage, cursor string) []byte {
	var list struct {
		Next    *string           `json:"next"`
		Results []json.RawMessage `json:"results"`
	}
	if json.Unmarshal(answer, &list) != nil || list.Results == nil || s.perPage == 0 {
		return answer
	}
	from, _ := strconv.Atoi(cursor)
	from = min(from, len(list.Results))
	if end := from + s.perPage; end < len(list.Results) {
		next := fmt.Sprintf("http://inside.example.org/api/?cursor=%d&x=1", end)
		list.Next, list.Results = &next, list.Results[:end]
	}
	list.Results = list.Results[from:]
	body, _ := json.Marshal(list) // of values that were just read
	return body
}

func open(t *testing.T, s *server, with string) *frombugsink.Source {
	t.Helper()
	text, err := os.ReadFile("testdata/answers.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &s.answers); err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	source, err := frombugsink.New(frombugsink.Options{
		URL: web.URL + "/", Token: with, Do: http.DefaultClient.Do, Now: func() time.Time { return noon },
		Wait: func(context.Context, time.Duration, string) error { return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return source
}

func TestProjectsTeamsAndReleases(t *testing.T) {
	t.Parallel()
	s := open(t, &server{perPage: 1}, token)
	projects, left, err := s.Projects(t.Context())
	if err != nil || len(projects) != 2 || len(left) != 4 {
		t.Fatalf("%+v, left %+v, %v", projects, left, err)
	}
	want := move.Project{ID: "1", Slug: "shop", Name: "Shop", Keys: []move.Key{{Public: "f473b7dc377249f19cc2212066af4e7b", Label: "Bugsink", Active: true}}}
	if diff := cmp.Diff(want, projects[1]); diff != "" {
		t.Errorf("a project (-want +got):\n%s", diff)
	}
	for _, name := range []string{"shop", "Shop", "1"} {
		if only, _, err := s.Projects(t.Context(), name); err != nil || len(only) != 1 || only[0].ID != "1" {
			t.Errorf("project %q: %+v, %v", name, only, err)
		}
	}
	if _, _, err := s.Projects(t.Context(), "shop", "web"); sett.CodeOf(err) != sett.NotFound || !strings.Contains(err.Error(), "web") {
		t.Errorf("a project that there is not: %v", err)
	}
	teams, members, left, err := s.People(t.Context(), projects)
	if err != nil || len(teams) != 1 || len(members) != 0 || len(left) != 1 || teams[0].Name != "Sales" || !slices.Equal(teams[0].Projects, []string{"1"}) {
		t.Errorf("teams %+v, members %+v, left %+v, %v", teams, members, left, err)
	}
	page, err := s.Releases(t.Context(), shop, "")
	if err != nil || len(page.Releases) != 1 || page.Next != "" || page.Releases[0].Version != "shop@1.2.0" || page.Releases[0].Created.Year() != 2026 {
		t.Errorf("releases %+v, %v", page, err)
	}
}

func TestErrorsWithTheirStates(t *testing.T) {
	t.Parallel()
	s := open(t, &server{perPage: 3}, token)
	var all []move.Fault
	for cursor := ""; ; {
		page, err := s.Faults(t.Context(), shop, cursor)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, page.Faults...)
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	var got []string
	for _, f := range all {
		got = append(got, fmt.Sprintf("%s %s: %s %s %t %d", f.Short, f.Class, f.Message, f.State, f.OnDeploy, f.Count))
	}
	want := []string{
		"SHOP-1 ValueError: order 43 cannot be paid open false 12", "SHOP-2 RuntimeError: nothing to pack open true 4",
		"SHOP-3 ConnectionError: carrier does not answer ignored false 4", "SHOP-4 Message: stock is low resolved false 4",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
	if f := all[0]; !strings.HasSuffix(f.Link, "/issues/issue/"+f.ID+"/event/last/") || f.First.After(f.Last) || f.First.IsZero() {
		t.Errorf("%+v", f)
	}
}

// fault is the first error of a project.
func fault(t *testing.T, s *frombugsink.Source) move.Fault {
	t.Helper()
	page, err := s.Faults(t.Context(), shop, "")
	if err != nil || len(page.Faults) == 0 {
		t.Fatal(page, err)
	}
	return page.Faults[0]
}

func TestDetailHasAllThatAnErrorHas(t *testing.T) {
	t.Parallel()
	s := open(t, &server{}, token)
	d, err := s.Detail(t.Context(), shop, fault(t, s), 2)
	if err != nil || len(d.Left) > 0 {
		t.Fatal(d.Left, err)
	}
	var places []string
	for _, e := range d.Events {
		function := "refund"
		if strings.Contains(string(e.Body), `"function": "charge"`) {
			function = "charge"
		}
		places = append(places, fmt.Sprintf("%s %s %t %t", function, e.Environment, e.Shape, e.KeyOnly))
		if len(e.ID) != 32 || e.At.IsZero() || e.Protocol != move.SentryEvent {
			t.Errorf("event %s at %s, %s", e.ID, e.At, e.Protocol)
		}
	}
	want := []string{"refund staging true false", "charge staging true false", "charge production true true", "refund staging true true", "charge staging true true"}
	slices.Sort(places[2:])
	slices.Sort(want[2:])
	if diff := cmp.Diff(want, places); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if !slices.Equal(d.Environments, []string{"production", "staging"}) {
		t.Errorf("environments %q", d.Environments)
	}
	var comments []string
	for _, c := range d.Comments {
		comments = append(comments, c.Author+" "+c.Email+": "+c.Body)
	}
	if diff := cmp.Diff([]string{"someone : Cards of **two** banks.", "ann@example.org ann@example.org: Fixed in 1.3"}, comments); diff != "" {
		t.Errorf("comments (-want +got):\n%s", diff)
	}
	hour := time.Date(2026, 11, 29, 1, 0, 0, 0, time.UTC)
	counts := move.Counts{Days: []move.Count{{At: hour.Truncate(24 * time.Hour), N: 12}}, Hours: []move.Count{{At: hour, N: 12}}}
	if diff := cmp.Diff(counts, d.Counts); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
}

// An old server, or a token that may read little, has events alone: what is missing is named, once.
func TestWhatIsMissingIsNamed(t *testing.T) {
	t.Parallel()
	fake := &server{before: func(w http.ResponseWriter, key string) bool {
		for _, newer := range []string{"issue-history", "/tags/", "/event-counts/", "teams", "releases"} {
			if strings.Contains(key, newer) {
				w.WriteHeader(http.StatusForbidden)
				return true
			}
		}
		return false
	}}
	s := open(t, fake, token)
	d, err := s.Detail(t.Context(), shop, fault(t, s), 3)
	if err != nil || len(d.Events) != 5 || len(d.Left) != 2 || !slices.Equal(d.Environments, []string{"staging", "production"}) {
		t.Errorf("%d events, left %+v, environments %q, %v", len(d.Events), d.Left, d.Environments, err)
	}
	if teams, _, left, err := s.People(t.Context(), nil); err != nil || len(teams) != 0 || len(left) != 2 {
		t.Errorf("teams %+v, left %+v, %v", teams, left, err)
	}
	if page, err := s.Releases(t.Context(), shop, ""); err != nil || len(page.Releases) != 0 {
		t.Errorf("releases %+v, %v", page, err)
	}
	if _, _, err := open(t, &server{}, strings.Repeat("0", 40)).Projects(t.Context()); sett.CodeOf(err) != sett.Unauthenticated || strings.Contains(err.Error(), "0000") {
		t.Errorf("with a wrong token: %v", err)
	}
}

// Events are read until several in a row are of no new shape; many shapes are read up to a bound, and a rare one among the old is found.
func TestShapesAreLookedFor(t *testing.T) {
	t.Parallel()
	const id = "080bcc1f-8cd2-4d7b-a6e5-e13c829b323f"
	for _, c := range []struct {
		name     string
		function func(n int) string
		groups   func(n int) int
		most     int
		has      string
	}{
		{"one shape", func(int) string { return "pay" }, func(int) int { return 1 }, 10, "pay"},
		{"each its own", func(n int) string { return fmt.Sprint("pay", n) }, func(int) int { return 1 }, 63, "pay0"},
		{"two halves", func(n int) string { return []string{"pay", "refund"}[n/125] }, func(int) int { return 1 }, 14, "refund"},
		{"a merged one", func(n int) string { return []string{"pay", "rare"}[n/240] }, func(n int) int { return 1 + n/240 }, 14, "rare"},
	} {
		fake := &server{before: func(w http.ResponseWriter, key string) bool {
			if strings.HasPrefix(key, "events/?") {
				var rows []string
				for n := range 250 {
					rows = append(rows, fmt.Sprintf(`{"id":"%032d","event_id":"%032d","grouping":%d,"timestamp":"2026-11-29T01:00:00Z"}`, n, n, c.groups(n)))
				}
				fmt.Fprintf(w, `{"next":null,"results":[%s]}`, strings.Join(rows, ","))
				return true
			}
			number, ok := strings.CutPrefix(key, "events/")
			if ok {
				n, _ := strconv.Atoi(strings.Trim(number, "/"))
				fmt.Fprintf(w, `{"data":{"exception":{"values":[{"type":"E","stacktrace":{"frames":[{"function":%q}]}}]}}}`, c.function(n))
			}
			return ok
		}}
		d, err := open(t, fake, token).Detail(t.Context(), shop, move.Fault{ID: id}, 3)
		if err != nil {
			t.Fatal(err)
		}
		found := slices.ContainsFunc(d.Events, func(e move.Event) bool { return strings.Contains(string(e.Body), `"`+c.has+`"`) })
		if len(d.Events) > c.most || !found || d.Events[2].KeyOnly || !d.Events[3].KeyOnly {
			t.Errorf("%s: %d events, want at most %d; %s is there: %t", c.name, len(d.Events), c.most, c.has, found)
		}
	}
}

// What a server says is a stranger's: ids that are none are left out, texts are cut, and no page leads to itself.
func TestHostileAnswers(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 60_000)
	fake := &server{before: func(w http.ResponseWriter, key string) bool {
		switch {
		case strings.HasPrefix(key, "issues/?"):
			fmt.Fprintf(w, `{"next":"http://x/?cursor=same","results":[{"id":"../../admin/","last_seen":"2026-11-01T00:00:00Z"},{"id":"080bcc1f-8cd2-4d7b-a6e5-e13c829b323f","friendly_id":%q,
				"last_seen":"2026-11-01T00:00:00Z","first_seen":"0001-01-01T00:00:00Z","digested_event_count":-5,"calculated_type":"A\u202e\nB","calculated_value":%q}]}`, long, long)
		case strings.HasPrefix(key, "events/?"):
			fmt.Fprint(w, `{"results":[{"id":"/etc","event_id":"x"},{"id":"080bcc1f-8cd2-4d7b-a6e5-e13c829b323f","event_id":"080bcc1f8cd24d7ba6e5e13c829b323f"}]}`)
		case strings.HasPrefix(key, "events/"):
			fmt.Fprint(w, `{"data":"no event"}`)
		case strings.HasPrefix(key, "projects/"):
			fmt.Fprint(w, `{"results":[{"id":-1,"name":"a"},{"id":7,"name":"b\u0000\nc","dsn":"::"}]}`)
		default:
			return false
		}
		return true
	}}
	s := open(t, fake, token)
	page, err := s.Faults(t.Context(), shop, "same")
	if err != nil || len(page.Faults) != 1 || page.Next != "" {
		t.Fatalf("%d errors, next %q, %v", len(page.Faults), page.Next, err)
	}
	f := page.Faults[0]
	if f.Count != 0 || len(f.Short) > 60 || len(f.Message) > move.MostMessage || strings.Contains(f.Class, "\n") || !f.First.Equal(f.Last) {
		t.Errorf("%+v", f)
	}
	if d, err := s.Detail(t.Context(), shop, f, 3); err != nil || len(d.Events) != 0 || len(d.Left) != 1 {
		t.Errorf("%+v, %v", d, err)
	}
	if projects, left, err := s.Projects(t.Context()); err != nil || len(projects) != 1 || projects[0].Name != "b c" || len(left) != 1 || left[0].Noun != "keys" {
		t.Errorf("%+v, left %+v, %v", projects, left, err)
	}
	for _, address := range []string{"", "bugsink.example.org", "ftp://bugsink.example.org", "https://u:p@bugsink.example.org"} {
		if _, err := frombugsink.New(frombugsink.Options{URL: address}); sett.CodeOf(err) != sett.Invalid {
			t.Errorf("address %q: %v", address, err)
		}
	}
}
