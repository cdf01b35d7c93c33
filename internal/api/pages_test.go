package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/serve"
	"sett/internal/setttest"
)

// idsOf reads a page of any list: its results as their ids, in order, and its links.
func idsOf(s *setttest.Server, path string) ([]string, serve.Links) {
	var list serve.List[struct {
		ID json.RawMessage `json:"id"`
	}]
	s.Get(path).Into(&list)
	var ids []string
	for _, result := range list.Results {
		ids = append(ids, string(result.ID))
	}
	return ids, list.Links
}

// walk follows next from a page to the end and prev from there to the start, and returns what it met on either way, in
// the order of the list. between is called before each page but the first.
func walk(t *testing.T, s *setttest.Server, path string, between func()) (forward, back []string) {
	t.Helper()
	const tooMany = 100
	ids, links := idsOf(s, path)
	forward = ids
	for n := 0; links.Next != "" && n < tooMany; n++ {
		between()
		ids, links = idsOf(s, strings.TrimPrefix(links.Next, s.Base))
		forward = append(forward, ids...)
	}
	back = ids
	for n := 0; links.Prev != "" && n < tooMany; n++ {
		between()
		ids, links = idsOf(s, strings.TrimPrefix(links.Prev, s.Base))
		back = append(slices.Clone(ids), back...)
	}
	return forward, back
}

// Whatever comes in meanwhile, following next to the end and prev back to the start shows each entry exactly once, from
// the first page as from one that was asked for by its number.
func TestPagesStandStillWhileNoticesStreamIn(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		step := 0
		stream := func() { // an old fault again, and now and then a new one
			step++
			report(s.Client, s.Setup.APIKey, fmt.Sprintf("Old%d", step%5), "production").Want(http.StatusCreated)
			if step%3 == 0 {
				report(s.Client, s.Setup.APIKey, fmt.Sprintf("New%d", step), "production").Want(http.StatusCreated)
			}
			if step%2 == 0 { // often, several notices come within one tick of the clock
				s.Clock.Push(time.Second)
			}
		}
		for range 7 {
			stream()
		}
		for _, name := range []string{"Two", "Three", "Four", "Five"} {
			createProject(t, s.Client, name)
		}
		undisturbed := func(path string) []string {
			all, _ := walk(t, s, path, func() {})
			return all
		}
		notices := fmt.Sprintf("/%d/notices", listFaults(s, "?q=class:Old0").Results[0].ID)
		for _, list := range []string{
			faultsPath(s, "?"), faultsPath(s, "?order=recent"), faultsPath(s, "?order=frequent"),
			faultsPath(s, "?order=recent&q=class:Old*"), faultsPath(s, notices+"?created_after=0"), "/v2/projects?",
		} {
			all := undisturbed(list)
			forward, back := walk(t, s, list+"&limit=3", stream)
			if diff := cmp.Diff(all, forward); diff != "" {
				t.Errorf("%s forward (-at first +followed):\n%s", list, diff)
			}
			if diff := cmp.Diff(all, back); diff != "" {
				t.Errorf("%s back (-at first +followed):\n%s", list, diff)
			}
			all = undisturbed(list)
			forward, back = walk(t, s, list+"&limit=3&page=2", stream)
			if diff := cmp.Diff(all[3:], forward); diff != "" {
				t.Errorf("%s from page 2 forward (-at first +followed):\n%s", list, diff)
			}
			if diff := cmp.Diff(all, back); diff != "" {
				t.Errorf("%s from page 2 and back (-at first +followed):\n%s", list, diff)
			}
		}
	})
}

func TestPagesAreNumbered(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	for i := range 5 {
		notify(t, s, fmt.Sprint("E", i), "production")
	}
	page := func(path string) (numbers []string) {
		_, links := idsOf(s, path)
		for _, link := range []string{links.Prev, links.Next} {
			number := ""
			if _, query, ok := strings.Cut(link, "page="); ok {
				number = strings.Split(query, "&")[0]
			}
			numbers = append(numbers, number)
		}
		return numbers
	}
	_, first := idsOf(s, faultsPath(s, "?limit=2"))
	second := strings.TrimPrefix(first.Next, s.Base)
	_, links := idsOf(s, second)
	for path, want := range map[string][]string{
		faultsPath(s, "?limit=2"):                {"", "2"},
		second:                                   {"1", "3"},
		strings.TrimPrefix(links.Next, s.Base):   {"2", ""},
		strings.TrimPrefix(links.Prev, s.Base):   {"", "2"},
		faultsPath(s, "?limit=2&page=3"):         {"2", ""},
		faultsPath(s, "?limit=2&page=9"):         {"8", ""},
		"/v2/accounts?page=2":                    {"1", ""},
		"/v2/accounts?page=9":                    {"8", ""},
		faultsPath(s, "/1/notices?limit=2"):      {"", ""},
		faultsPath(s, "/1/notices?page=2"):       {"1", ""},
		"/v2/projects?limit=1&page=2&account_id": {"1", ""},
	} {
		if diff := cmp.Diff(want, page(path)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
}
