package api_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/api"
	"sett/internal/sett"
	"sett/internal/setttest"
)

// faultsPath is the path of the faults of the server's project and what follows it.
func faultsPath(s *setttest.Server, rest string) string {
	return projectPath(s.Setup.ProjectID, "/faults"+rest)
}

// notify reports an error of a class and returns its fault.
func notify(t *testing.T, s *setttest.Server, class, environment string) api.Fault {
	t.Helper()
	report(s.Client, s.Setup.APIKey, class, environment).Want(http.StatusCreated)
	faults := listFaults(s, "?order=recent&q="+url.QueryEscape("class:"+class)).Results
	if len(faults) == 0 {
		t.Fatalf("no fault of class %s", class)
	}
	return faults[0]
}

func listFaults(s *setttest.Server, query string) (list api.FaultList) {
	s.Get(faultsPath(s, query)).Into(&list)
	return list
}

func klasses(list api.FaultList) (classes []string) {
	for _, f := range list.Results {
		classes = append(classes, f.Klass)
	}
	return classes
}

func TestFault(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		body := map[string]any{
			"error":   map[string]any{"class": "Boom", "message": "Boom: it broke", "tags": "billing, slow"},
			"request": map[string]any{"component": "Orders", "context": map[string]any{"user_email": "ann@example.test"}},
			"server":  map[string]any{"environment_name": "staging"},
		}
		for range 2 {
			s.Do("POST", "/v1/notices", body, "X-API-Key", s.Setup.APIKey).Want(http.StatusCreated)
		}
		got := listFaults(s, "").Results
		if len(got) != 1 {
			t.Fatalf("%d faults", len(got))
		}
		orders, now := "Orders", s.Clock.Now()
		want := api.Fault{
			ID: got[0].ID, ProjectID: s.Setup.ProjectID, Klass: "Boom", Message: "it broke", Component: &orders, Environment: "staging",
			NoticesCount: 2, Tags: []string{"billing", "slow"}, CreatedAt: now, LastNoticeAt: &now,
			URL: fmt.Sprintf("%s/projects/%d/faults/%d", s.Base, s.Setup.ProjectID, got[0].ID),
		}
		if diff := cmp.Diff(want, got[0], cmp.Comparer(sameMillisecond)); diff != "" {
			t.Error(diff)
		}
		var one api.Fault
		s.Get(faultsPath(s, fmt.Sprintf("/%d/", want.ID))).Into(&one)
		if diff := cmp.Diff(got[0], one); diff != "" {
			t.Error(diff)
		}
		if raw := s.Get(faultsPath(s, "")).JSON()["results"].([]any)[0].(map[string]any); raw["assignee"] != nil || raw["action"] != nil || raw["notices_count_in_range"] != nil {
			t.Errorf("a fault without an assignee, action or range: %v", raw)
		}
		if n := listFaults(s, fmt.Sprintf("?occurred_after=%d", now.Unix())).Results[0].NoticesCountInRange; n == nil || *n != 2 {
			t.Errorf("notices in range: %v", n)
		}
		for _, id := range []string{"0", "-1", "999999", "x", "1.5", "99999999999999999999"} {
			if text := s.Do("GET", faultsPath(s, "/"+id), nil).Want(http.StatusNotFound).Errors(); text != "Fault not found" {
				t.Errorf("fault %s: %s", id, text)
			}
		}
	})
}

func TestFaultsInOrderAndRange(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		start := s.Clock.Now()
		for _, classes := range []string{"A", "BAC", "B", "BC"} {
			for _, c := range strings.Split(classes, "") {
				notify(t, s, c, "production")
			}
			s.Clock.Push(time.Hour)
		}
		unix := func(hours int) int64 { return start.Add(time.Duration(hours) * time.Hour).Unix() }
		for query, want := range map[string]string{
			"":                "CBA",
			"?order=":         "CBA",
			"?order=recent":   "CBA",
			"?order=frequent": "BCA",
			"?limit=2":        "CB",
			"?limit=100":      "CBA",
			fmt.Sprintf("?created_after=%d", unix(1)):                                      "CB",
			fmt.Sprintf("?occurred_after=%d", unix(2)):                                     "CB",
			fmt.Sprintf("?occurred_before=%d", unix(1)):                                    "A",
			fmt.Sprintf("?occurred_after=%d&occurred_before=%d", unix(2), unix(3)):         "B",
			"?occurred_before=" + start.Add(time.Hour).Format(time.RFC3339):                "A",
			"?occurred_before=" + start.Add(time.Hour).Format(time.RFC3339) + "&q=class:B": "",
			"?occurred_after=":                 "CBA",
			"?occurred_before=253402300799":    "CBA",
			"?q=-class:B+-class:C":             "A",
			"?q=occurred.after:%222+hours+ago": "CB",
		} {
			list := listFaults(s, query)
			if got := strings.Join(klasses(list), ""); got != want {
				t.Errorf("%s: %s, want %s", query, got, want)
			}
			total := len(want)
			if query == "?limit=2" {
				total = 3
			}
			if list.Total != int64(total) || list.TotalCapped {
				t.Errorf("%s: a total of %d, capped: %v", query, list.Total, list.TotalCapped)
			}
		}
	})
}

func TestFaultQueriesThatAreRefused(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	notify(t, s, "A", "production")
	const moment = " must be Unix seconds, such as 1795000000, or a time such as 2026-11-18T10:30:00Z"
	for query, want := range map[string]string{
		"?order=oldest":    "order must be one of recent, frequent",
		"?limit=0":         "limit must be a positive integer",
		"?page=x&limit=-1": "page must be a positive integer; limit must be a positive integer",
		"?created_after=soon&occurred_before=later": "created_after" + moment + "; occurred_before" + moment,
		"?occurred_after=-1":                        "occurred_after" + moment,
		"?occurred_after=2026-13-40":                "occurred_after" + moment,
		"?cursor=x":                                 "cursor must be from a next or prev link",
		"?cursor=after.x":                           "cursor must be from a next or prev link of the same list",
		"?order=recent&cursor=after..1.2.3":         "cursor must be from a next or prev link of the same list",
		"?q=is:done&order=oldest&limit=ten&page=0&created_after=soon&cursor=x": "created_after" + moment + "; order must be one of recent, frequent; " +
			"q has “is:done”, which is not known; allowed: is:resolved, is:unresolved, is:ignored, is:assigned, is:paused, is:pending_resolution, is:new; " +
			"page must be a positive integer; limit must be a positive integer; cursor must be from a next or prev link",
		"?q=hosname:web-1":                  "q has “hosname:web-1”, whose key is not known; did you mean hostname:? To search for the text itself, put it in quotes",
		"/summary?q=has:x&occurred_after=x": "occurred_after" + moment + "; q has “has:x”, which is not known; allowed: has:comment",
	} {
		if text := s.Do("GET", faultsPath(s, query), nil).Want(http.StatusUnprocessableEntity).Errors(); text != "Please correct: "+want+"." {
			t.Errorf("%s:\n got %s\nwant %s", query, text, want)
		}
	}
	for _, path := range []string{"?q=is:done", "/summary?q=is:done", "/summary?created_after=x", "/1/occurrences?period=year"} {
		s.Do("GET", faultsPath(s, path), nil).Want(http.StatusUnprocessableEntity)
	}
	s.Post(faultsPath(s, "/resolve?q=is:done"), nil).Want(http.StatusUnprocessableEntity)
	if got := listFaults(s, "?q=is:unresolved").Results; len(got) != 1 {
		t.Error("a refused search resolved a fault")
	}
}

// Following next shows each fault once while others come in and old ones come again; prev and page lead back.
func TestFaultPages(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		for i := range 7 {
			notify(t, s, fmt.Sprintf("E%d", i), "production")
			s.Clock.Push(time.Second)
		}
		for order, want := range map[string]string{"": "E6 E5 E4 E3 E2 E1 E0", "recent": "E6 E5 E4 E3 E2 E1 E0", "frequent": "E6 E5 E4 E3 E2 E1 E0"} {
			var got []string
			query := "?limit=3&q=-class:New*&order=" + order
			for number := 1; query != ""; number++ {
				list := listFaults(s, query)
				got = append(got, klasses(list)...)
				if (number == 1) != (list.Links.Prev == "") {
					t.Errorf("page %d has the previous page %q", number, list.Links.Prev)
				}
				query = ""
				if list.Links.Next != "" {
					next, err := url.Parse(list.Links.Next)
					if err != nil || next.Query().Get("page") != fmt.Sprint(number+1) {
						t.Fatalf("page %d has the next page %q: %v", number, list.Links.Next, err)
					}
					query = "?" + next.RawQuery
				}
				notify(t, s, fmt.Sprintf("New%s%d", order, number), "production")
				for i := range 7 { // all of them move, and stay in step
					notify(t, s, fmt.Sprintf("E%d", i), "production")
				}
				s.Clock.Push(time.Second)
			}
			if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
				t.Errorf("order %q: %s", order, diff)
			}
		}
		if got := strings.Join(klasses(listFaults(s, "?limit=3&page=2&q=-class:New*")), " "); got != "E3 E2 E1" {
			t.Errorf("page 2 without a cursor: %s", got)
		}
		if got := listFaults(s, "?page=99"); len(got.Results) != 0 || got.Links.Next != "" {
			t.Errorf("page 99: %+v", got)
		}
	})
}

func TestFaultSummary(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		var none api.FaultSummary
		if s.Get(faultsPath(s, "/summary")).Into(&none); none.Total != 0 || none.Environments == nil {
			t.Errorf("of nothing: %+v", none)
		}
		notify(t, s, "A", "production")
		notify(t, s, "B", "production")
		resolved := notify(t, s, "A", "staging")
		s.Put(faultsPath(s, fmt.Sprintf("/%d", resolved.ID)), `{"fault":{"resolved":true}}`).Want(http.StatusNoContent)
		for query, want := range map[string]api.FaultSummary{
			"":                 {Total: 3, Environments: []api.FaultSummaryRow{{"production", false, false, 2}, {"staging", true, false, 1}}},
			"?q=class:A":       {Total: 2, Environments: []api.FaultSummaryRow{{"production", false, false, 1}, {"staging", true, false, 1}}},
			"?q=-is:resolved":  {Total: 2, Environments: []api.FaultSummaryRow{{"production", false, false, 2}}},
			"?created_after=0": {Total: 3, Environments: []api.FaultSummaryRow{{"production", false, false, 2}, {"staging", true, false, 1}}},
		} {
			var got api.FaultSummary
			s.Get(faultsPath(s, "/summary"+query)).Into(&got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s:\n%s", query, diff)
			}
		}
	})
}

func TestAffectedUsers(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		id := notify(t, s, "A", "production").ID
		for _, user := range []string{"ann@example.test", "bob@example.test", "bob@example.test"} {
			body := map[string]any{"error": map[string]any{"class": "A", "message": "broken"}, "request": map[string]any{"context": map[string]any{"user_email": user}}}
			s.Do("POST", "/v1/notices", body, "X-API-Key", s.Setup.APIKey).Want(http.StatusCreated)
		}
		for query, want := range map[string]string{
			"":       `[{"user":"bob@example.test","count":2},{"user":"ann@example.test","count":1}]`,
			"?q=ANN": `[{"user":"ann@example.test","count":1}]`,
			"?q=_":   `[]`,
		} {
			got := s.Get(faultsPath(s, fmt.Sprintf("/%d/affected_users%s", id, query))).Body
			if strings.TrimSpace(string(got)) != want {
				t.Errorf("%s: %s, want %s", query, got, want)
			}
		}
		s.Do("GET", faultsPath(s, "/999999/affected_users"), nil).Want(http.StatusNotFound)
	})
}

func TestFaultOccurrences(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		id := notify(t, s, "A", "production").ID
		s.Clock.Push(time.Hour)
		notify(t, s, "A", "production")
		notify(t, s, "B", "production")
		for query, rows := range map[string]int{"": 60, "?period=hour": 60, "?period=day": 24, "?period=week": 7, "?period=month": 30} {
			var series [][2]int64
			s.Get(faultsPath(s, fmt.Sprintf("/%d/occurrences%s", id, query))).Into(&series)
			if len(series) != rows {
				t.Fatalf("%s: %d rows, want %d", query, len(series), rows)
			}
			sum := int64(0)
			for _, row := range series {
				sum += row[1]
			}
			want := int64(2)
			if rows == 60 {
				want = 1 // the first is an hour old
			}
			if last := series[rows-1]; sum != want || last[0] > s.Clock.Now().Unix() || last[1] == 0 {
				t.Errorf("%s: %d notices, want %d; the last row is %v", query, sum, want, last)
			}
		}
		s.Do("GET", faultsPath(s, "/999999/occurrences"), nil).Want(http.StatusNotFound)
	})
}

func TestAssigneeIsShown(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	id := notify(t, s, "A", "production").ID
	s.Put(faultsPath(s, fmt.Sprintf("/%d", id)), fmt.Sprintf(`{"fault":{"assignee_id":%d}}`, s.Setup.UserID)).Want(http.StatusNoContent)
	want := &sett.Person{ID: s.Setup.UserID, Email: "owner@example.test", Name: "Olga Owner"}
	if diff := cmp.Diff(want, listFaults(s, "?q=assignee:me").Results[0].Assignee); diff != "" {
		t.Error(diff)
	}
}
