package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"regexp"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"sett/internal/sett"
)

// pageOf reads the page that a target asks for.
func pageOf(t *testing.T, target string) (Page, error) {
	t.Helper()
	var problems sett.Problems
	r := httptest.NewRequestWithContext(t.Context(), "GET", target, nil)
	p := PageOf(&problems, r.WithContext(context.WithValue(r.Context(), factsKey{}, &facts{pageSize: ShortPage})))
	return p, problems.Refusal()
}

func TestPageOf(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]Page{
		"":                              {Number: 1, Page: sett.Page{Size: 25}},
		"page=3":                        {Number: 3, Page: sett.Page{Size: 25, Offset: 50}},
		"page=3&limit=2":                {Number: 3, Page: sett.Page{Size: 2, Offset: 4}},
		"limit=1":                       {Number: 1, Page: sett.Page{Size: 1}},
		"limit=25":                      {Number: 1, Page: sett.Page{Size: 25}},
		"limit=26":                      {Number: 1, Page: sett.Page{Size: 25}},
		"limit=99999999999999999999":    {Number: 1, Page: sett.Page{Size: 25}},
		"cursor=":                       {Number: 1, Page: sett.Page{Size: 25}},
		"cursor=after.1.2":              {Number: 1, Page: sett.Page{Size: 25, Mark: "1.2"}},
		"page=2&cursor=until..1&page=9": {Number: 2, Page: sett.Page{Size: 25, Mark: ".1", Back: true}},
	} {
		got, err := pageOf(t, "/?"+query)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v %s", query, err, diff)
		}
	}
	if p, err := pageOf(t, "/?page=99999999999999999999"); err != nil || p.Offset <= 0 {
		t.Errorf("a far page: offset %d, %v", p.Offset, err)
	}
}

func TestPageOfRefuses(t *testing.T) {
	t.Parallel()
	const noLink = "cursor must be from a next or prev link"
	for query, want := range map[string]string{
		"limit=0":                     "limit must be a positive integer",
		"limit=-1":                    "limit must be a positive integer",
		"limit=ten":                   "limit must be a positive integer",
		"limit=1.5":                   "limit must be a positive integer",
		"limit=":                      "limit must be a positive integer",
		"limit=-99999999999999999999": "limit must be a positive integer",
		"page=0":                      "page must be a positive integer",
		"page=x&limit=y&cursor=z":     "page must be a positive integer; limit must be a positive integer; " + noLink,
		"cursor=after.%00":            noLink,
		"cursor=after":                noLink,
		"cursor=until.":               noLink,
		"cursor=from.1":               noLink,
		"cursor=7":                    noLink,
	} {
		_, err := pageOf(t, "/?"+query)
		if diff := cmp.Diff(error(sett.Errorf(sett.Invalid, "Please correct: %s.", want)), errors.Unwrap(err)); diff != "" {
			t.Errorf("%s: %s", query, diff)
		}
	}
}

func TestNewList(t *testing.T) {
	t.Parallel()
	const at = "https://sett.test/v2/things"
	for _, tt := range []struct {
		name, target string
		marks        sett.Marks
		want         Links
	}{
		{"only page", "/v2/things", sett.Marks{}, Links{Self: at}},
		{
			"first of many", "/v2/things?limit=5&q=a+b",
			sett.Marks{Next: "k/1"},
			Links{Self: at + "?limit=5&q=a+b", Next: at + "?cursor=after.k%2F1&limit=5&page=2&q=a+b"},
		},
		{
			"middle", "/v2/things?cursor=after.k1&page=2",
			sett.Marks{Prev: "k1", Next: "k2"},
			Links{Self: at + "?cursor=after.k1&page=2", Next: at + "?cursor=after.k2&page=3", Prev: at + "?cursor=until.k1&page=1"},
		},
		{
			"middle by its number", "/v2/things?page=2",
			sett.Marks{Prev: "k1", Next: "k2"},
			Links{Self: at + "?page=2", Next: at + "?cursor=after.k2&page=3", Prev: at + "?cursor=until.k1&page=1"},
		},
		{
			"last", "/v2/things?page=3&cursor=after.k2",
			sett.Marks{Prev: "k2"},
			Links{Self: at + "?page=3&cursor=after.k2", Prev: at + "?cursor=until.k2&page=2"},
		},
		{
			"back at the first", "/v2/things?page=1&cursor=until.k1",
			sett.Marks{Next: "k1"},
			Links{Self: at + "?page=1&cursor=until.k1", Next: at + "?cursor=after.k1&page=2"},
		},
		{
			"more than was counted", "/v2/things?page=1&cursor=until.k2",
			sett.Marks{Prev: "k1", Next: "k2"},
			Links{Self: at + "?page=1&cursor=until.k2", Next: at + "?cursor=after.k2&page=2", Prev: at + "?cursor=until.k1&page=1"},
		},
		{"far past the end", "/v2/things?page=99", sett.Marks{}, Links{Self: at + "?page=99", Prev: at + "?page=98"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, err := pageOf(t, tt.target)
			if err != nil {
				t.Fatal(err)
			}
			r := httptest.NewRequestWithContext(t.Context(), "GET", tt.target, nil)
			got := NewList("https://sett.test", r, p, []int{1}, tt.marks)
			if diff := cmp.Diff(List[int]{Links: tt.want, Results: []int{1}}, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The document says what PageOf does.
func TestDocumentOfPages(t *testing.T) {
	t.Parallel()
	for _, f := range queryFields(reflect.TypeFor[pageQuery]()) {
		if f.Span == nil {
			continue
		}
		for value, want := range map[int]bool{f.Span.Least - 1: false, f.Span.Least: true, f.Span.Most: true} {
			if p, err := pageOf(t, fmt.Sprintf("/?%s=%d", f.Name, value)); (err == nil) != want || want && p.Number != value && p.Size != value {
				t.Errorf("%s=%d: %+v, %v", f.Name, value, p, err)
			}
		}
	}
}

func TestEmptyListIsNoNull(t *testing.T) {
	t.Parallel()
	r := httptest.NewRequestWithContext(t.Context(), "GET", "/v2/things", nil)
	got, err := json.Marshal(NewList[int]("http://h", r, Page{Number: 1}, nil, sett.Marks{}))
	if want := `{"links":{"self":"http://h/v2/things"},"results":[]}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

// Links keep the query and the number of their page, and lead to the mark that they were made of.
func TestLinksKeepTheQuery(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		q, mark := rapid.String().Draw(t, "q"), rapid.StringMatching(`[a-z0-9.&=%]{1,9}`).Draw(t, "mark")
		number := rapid.IntRange(2, 99).Draw(t, "page")
		read := func(address string) (p Page, query string) {
			r, err := http.NewRequest(http.MethodGet, address, nil)
			if err != nil {
				t.Fatal(err)
			}
			var problems sett.Problems
			if p = PageOf(&problems, r); problems != nil {
				t.Fatal(problems)
			}
			return p, r.URL.Query().Get("q")
		}
		r, err := http.NewRequest(http.MethodGet, "/v2/things?"+url.Values{"q": {q}, "page": {strconv.Itoa(number)}}.Encode(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var problems sett.Problems
		links := NewList("", r, PageOf(&problems, r), []int{}, sett.Marks{Prev: mark, Next: mark}).Links
		for address, want := range map[string]Page{
			links.Next: {Number: number + 1, Page: sett.Page{Size: longPage, Mark: mark}},
			links.Prev: {Number: number - 1, Page: sett.Page{Size: longPage, Mark: mark, Back: true}},
		} {
			if got, query := read(address); query != q || got != want {
				t.Fatalf("%s: %+v with q %q", address, got, query)
			}
		}
	})
}

// A list that says nothing of its pages has long ones, as released clients read no second page.
func TestPageOfLongLists(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]sett.Page{
		"": {Size: 1000}, "limit=26": {Size: 26}, "limit=1001": {Size: 1000}, "page=2": {Size: 1000, Offset: 1000},
	} {
		var problems sett.Problems
		h := NewMux([]Route{{Method: "GET", Path: "/things", Name: "things", Handle: func(_ http.ResponseWriter, r *http.Request) error {
			if got := PageOf(&problems, r).Page; got != want || problems != nil {
				t.Errorf("%s: %+v, %v", query, got, problems)
			}
			return nil
		}}}, MuxOptions{})
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), "GET", "/things?"+query, nil))
	}
}

// A cursor that the document allows is one that PageOf reads.
func TestCursorIsAsTheDocumentSays(t *testing.T) {
	t.Parallel()
	pattern := regexp.MustCompile(newSchemas().of(reflect.TypeFor[pageCursor]())["pattern"].(string))
	for cursor, want := range map[string]bool{"": true, "after.1.2": true, "until.1": true, "after.": false, "x": false, "before.1": false, "after": false} {
		_, err := pageOf(t, "/?cursor="+cursor)
		if pattern.MatchString(cursor) != want || (err == nil) != want {
			t.Errorf("%q: the document allows it: %t, the server: %v", cursor, !want, err)
		}
	}
}
