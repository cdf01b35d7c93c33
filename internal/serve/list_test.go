package serve

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"sett/internal/sett"
)

func TestPageOf(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]Page{
		"":                                {Number: 1, Size: 25},
		"page=3":                          {Number: 3, Size: 25},
		"limit=1":                         {Number: 1, Size: 1},
		"limit=25":                        {Number: 1, Size: 25},
		"limit=26":                        {Number: 1, Size: 25},
		"limit=99999999999999999999":      {Number: 1, Size: 25},
		"cursor=c1":                       {Number: 1, Size: 25, Cursor: "c1"},
		"page=2&limit=5&cursor=c1&page=9": {Number: 2, Size: 5, Cursor: "c1"},
	} {
		got, err := PageOf(httptest.NewRequestWithContext(t.Context(), "GET", "/?"+query, nil), 25)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v %s", query, err, diff)
		}
	}
}

func TestPageOfRefuses(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"limit=0":                     "limit must be a positive integer",
		"limit=-1":                    "limit must be a positive integer",
		"limit=ten":                   "limit must be a positive integer",
		"limit=1.5":                   "limit must be a positive integer",
		"limit=":                      "limit must be a positive integer",
		"limit=-99999999999999999999": "limit must be a positive integer",
		"page=0":                      "page must be a positive integer",
		"page=x&limit=y":              "page must be a positive integer; limit must be a positive integer",
		"cursor=%00":                  "cursor must be taken from a next link",
	} {
		_, err := PageOf(httptest.NewRequestWithContext(t.Context(), "GET", "/?"+query, nil), 25)
		if diff := cmp.Diff(error(sett.Errorf(sett.Invalid, "%s", want)), err); diff != "" {
			t.Errorf("%s: %s", query, diff)
		}
	}
}

func TestOffset(t *testing.T) {
	t.Parallel()
	p, err := PageOf(httptest.NewRequestWithContext(t.Context(), "GET", "/?page=99999999999999999999", nil), 25)
	if err != nil || p.Offset() < 0 {
		t.Errorf("a far page: offset %d, %v", p.Offset(), err)
	}
	if got := (Page{Number: 3, Size: 25}).Offset(); got != 50 {
		t.Errorf("page 3: offset %d", got)
	}
}

func TestNewList(t *testing.T) {
	t.Parallel()
	const at = "https://sett.test/v2/things"
	for _, tt := range []struct {
		name, target, cursor string
		more                 bool
		want                 Links
	}{
		{"only page", "/v2/things", "", false, Links{Self: at}},
		{"first of many", "/v2/things?q=a+b", "", true, Links{Self: at + "?q=a+b", Next: at + "?page=2&q=a+b"}},
		{
			"steady", "/v2/things?limit=5", "k/1", true,
			Links{Self: at + "?limit=5", Next: at + "?cursor=k%2F1&limit=5&page=2"},
		},
		{
			"middle", "/v2/things?cursor=k1&page=2", "k2", true,
			Links{Self: at + "?cursor=k1&page=2", Next: at + "?cursor=k2&page=3", Prev: at + "?page=1"},
		},
		{"last", "/v2/things?page=3&cursor=k2", "", false, Links{Self: at + "?page=3&cursor=k2", Prev: at + "?page=2"}},
		{"cursor alone", "/v2/things?cursor=k1", "k2", true, Links{Self: at + "?cursor=k1", Next: at + "?cursor=k2&page=2"}},
		{"old cursor is dropped", "/v2/things?cursor=k1", "", true, Links{Self: at + "?cursor=k1", Next: at + "?page=2"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequestWithContext(t.Context(), "GET", tt.target, nil)
			p, err := PageOf(r, 25)
			if err != nil {
				t.Fatal(err)
			}
			got := NewList("https://sett.test", r, p, []int{1}, tt.more, tt.cursor)
			if diff := cmp.Diff(List[int]{Links: tt.want, Results: []int{1}}, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestEmptyListIsNoNull(t *testing.T) {
	t.Parallel()
	r := httptest.NewRequestWithContext(t.Context(), "GET", "/v2/things", nil)
	got, err := json.Marshal(NewList[int]("http://h", r, Page{Number: 1, Size: 25}, nil, false, ""))
	if want := `{"links":{"self":"http://h/v2/things"},"results":[]}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

// Following next from the first page meets every result once, and prev leads back.
func TestLinksVisitEveryPage(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		total := rapid.IntRange(0, 60).Draw(t, "total")
		limit := rapid.IntRange(1, 30).Draw(t, "limit")
		q := rapid.String().Draw(t, "q")
		all := make([]int, total)
		for i := range all {
			all[i] = i
		}
		next := "/v2/things?" + url.Values{"q": {q}, "limit": {strconv.Itoa(limit)}}.Encode()
		var seen []int
		for page := 1; next != ""; page++ {
			r, err := http.NewRequest(http.MethodGet, next, nil)
			if err != nil {
				t.Fatal(err)
			}
			p, err := PageOf(r, 25)
			if err != nil || p.Number != page || r.URL.Query().Get("q") != q {
				t.Fatalf("page %d: got %+v, %v from %s", page, p, err, next)
			}
			end := min(total, p.Offset()+p.Size)
			l := NewList("", r, p, all[p.Offset():end], end < total, "")
			if (l.Links.Prev == "") != (page == 1) || strings.Contains(l.Links.Prev, "page="+strconv.Itoa(page)+"&") {
				t.Fatalf("page %d: prev is %q", page, l.Links.Prev)
			}
			seen = append(seen, l.Results...)
			next = l.Links.Next
		}
		if diff := cmp.Diff(all, append([]int{}, seen...)); diff != "" {
			t.Fatal(diff)
		}
	})
}
