package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/api"
	"sett/internal/event/payload"
	"sett/internal/serve"
	"sett/internal/sett/faults"
	"sett/internal/setttest"
	"sett/internal/setttest/recording"
)

func listNotices(s *setttest.Server, fault int64, query string) (list serve.List[api.Notice]) {
	s.Get(faultsPath(s, fmt.Sprintf("/%d/notices%s", fault, query))).Into(&list)
	return list
}

func TestNotice(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		for _, revision := range []string{"aaa", "bbb"} {
			deploy := faults.Deploy{Environment: "production", Revision: revision, Repository: "https://git.example.test/shop.git", LocalUsername: "olga"}
			if _, err := s.App.Store().Faults.RecordDeploy(t.Context(), s.Clock.Now(), s.Setup.ProjectID, deploy); err != nil {
				t.Fatal(err)
			}
		}
		const token = "6c8e5f1a-4b1c-4f0e-9d2a-0123456789ab"
		s.Do("POST", "/v1/notices", `{
			"notifier": {"name": "honeybadger-ruby", "version": "6.9.0"},
			"breadcrumbs": {"enabled": true, "trail": [{"category": "query", "message": "select", "timestamp": "2026-11-18T10:29:59Z", "metadata": {"rows": 3}}]},
			"details": {"Job": {"queue": "mail"}}, "correlation_context": {"request_id": "r-1"},
			"error": {"class": "Boom", "message": "Boom: it broke", "token": "`+token+`", "tags": "urgent, db", "fingerprint": "own",
				"causes": [{"class": "Cause", "message": "deeper"}], "backtrace": [
				{"file": "[PROJECT_ROOT]/app/a.rb", "method": "call", "number": "7", "source": {"7": "boom!\n"}}, {"file": "[GEM_ROOT]/b.rb", "method": "run", "number": 8, "column": "2"}]},
			"request": {"url": "https://shop.example.test/1", "component": "Orders", "params": ["1"], "session": null,
				"context": {"user_id": 7, "user_email": "ann@example.test"}, "cgi_data": {"HTTP_COOKIE": "a=b%20c", "SERVER_PORT": 443}},
			"server": {"environment_name": "production", "hostname": "web-1", "revision": "bbb", "project_root": "/srv", "pid": "1234", "time": "2026-11-18 10:30:00 UTC"}
		}`, "X-API-Key", s.Setup.APIKey).Want(http.StatusCreated)
		fault := listFaults(s, "").Results[0].ID
		got := listNotices(s, fault, "").Results
		if len(got) != 1 {
			t.Fatalf("%d notices", len(got))
		}
		seven, eight, two, pid, now := 7, 8, 2, 1234, s.Clock.Now()
		first := payload.Frame{Number: &seven, File: "[PROJECT_ROOT]/app/a.rb", Method: "call", Source: map[string]string{"7": "boom!\n"}, Context: "app"}
		own := first
		own.ApplicationFile = "app/a.rb"
		address, component, email, fingerprint, compare := "https://shop.example.test/1", "Orders", "ann@example.test", "own", "https://git.example.test/shop/compare/aaa...bbb"
		want := api.Notice{
			ID: token, FaultID: fault, CreatedAt: now, Message: "it broke",
			URL:             fmt.Sprintf("%s/projects/%d/faults/%d/%s", s.Base, s.Setup.ProjectID, fault, token),
			EnvironmentName: "production",
			Environment: api.NoticeEnvironment{
				EnvironmentName: "production", Hostname: "web-1", ProjectRoot: payload.ProjectRoot{Path: "/srv"}, Revision: "bbb",
				Stats: map[string]any{}, Time: "2026-11-18 10:30:00 UTC", PID: &pid,
			},
			Cookies: map[string]string{"a": "b c"}, WebEnvironment: map[string]string{"HTTP_COOKIE": "a=b%20c", "SERVER_PORT": "443"},
			Request: api.NoticeRequest{
				Component: &component, URL: &address, Params: map[string]any{"value": []any{"1"}}, Session: map[string]any{},
				Context: map[string]any{"user_id": 7.0, "user_email": "ann@example.test"}, User: &api.NoticeUser{Email: &email, ID: 7.0},
			},
			Backtrace:        []payload.Frame{first, {Number: &eight, Column: &two, File: "[GEM_ROOT]/b.rb", Method: "run", Context: "all"}},
			ApplicationTrace: []payload.Frame{own},
			Deploy: &api.NoticeDeploy{
				ID: 2, Environment: "production", Revision: "bbb", Repository: "https://git.example.test/shop.git", LocalUsername: "olga",
				CreatedAt: now, Changelog: []string{}, URL: &compare,
			},
			NoticeExtras: api.NoticeExtras{
				OccurredAt: time.Date(2026, 11, 18, 10, 30, 0, 0, time.UTC), Class: "Boom", Tags: []string{"urgent", "db"}, Fingerprint: &fingerprint,
				Causes:      []payload.Cause{{Class: "Cause", Message: "deeper", Backtrace: []payload.Frame{}}},
				Breadcrumbs: []payload.Breadcrumb{{Category: "query", Message: "select", Timestamp: "2026-11-18T10:29:59Z", Metadata: map[string]any{"rows": 3.0}}},
				Details:     map[string]any{"Job": map[string]any{"queue": "mail"}}, LocalVariables: map[string]any{},
				CorrelationContext: map[string]any{"request_id": "r-1"}, Notifier: payload.Notifier{Name: "honeybadger-ruby", Version: "6.9.0"},
			},
		}
		if diff := cmp.Diff(want, got[0], cmp.Comparer(sameMillisecond)); diff != "" {
			t.Error(diff)
		}
	})
}

// What a notice does not say of its user is null, and a user of whom nothing is said as well.
func TestNoticeUserIsNullWhereUnknown(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		for i, c := range []struct{ context, want string }{
			{`{}`, `null`},
			{`{"user_id":7}`, `{"email":null,"id":7}`},
			{`{"user_email":"ann@example.test"}`, `{"email":"ann@example.test","id":null}`},
			{`{"user_email":"","user_id":"x"}`, `{"email":null,"id":"x"}`},
			{`{"user_email":"ann@example.test","user_id":7}`, `{"email":"ann@example.test","id":7}`},
		} {
			class := fmt.Sprint("User", i)
			s.Post("/v1/notices", `{"error":{"class":"`+class+`"},"request":{"context":`+c.context+`}}`).Want(http.StatusCreated)
			fault := listFaults(s, "?q=class:"+class).Results[0].ID
			var list struct {
				Results []struct {
					Request struct {
						User json.RawMessage `json:"user"`
					} `json:"request"`
				} `json:"results"`
			}
			s.Get(faultsPath(s, fmt.Sprintf("/%d/notices", fault))).Into(&list)
			if got := string(list.Results[0].Request.User); got != c.want {
				t.Errorf("%s: user %s, want %s", c.context, got, c.want)
			}
		}
	})
}

// strictNotices is what api-go 0.8 decodes a list of notices into (wire.md §1.4): one field of another type, and it
// refuses all of them.
type strictNotices struct {
	Results []struct {
		ID              string
		CreatedAt       time.Time `json:"created_at"`
		EnvironmentName string    `json:"environment_name"`
		Environment     struct {
			EnvironmentName string `json:"environment_name"`
			Hostname        string
			ProjectRoot     any `json:"project_root"`
			Revision        *string
			Stats           map[string]any
			Time            string
			PID             int
		}
		Cookies        map[string]any
		WebEnvironment map[string]any `json:"web_environment"`
		Request        struct {
			Action, Component, URL         *string
			Context, Params, Session, User map[string]any
		}
		Backtrace, ApplicationTrace []strictFrame
		Deploy                      any
		FaultID                     int `json:"fault_id"`
		Message, URL                string
	}
}

type strictFrame struct {
	Number, Column json.Number
	File, Method   string
	Class, Type    string
	Args           []any
	Source         map[string]any
	Context        string
}

// What every client sends can be listed, with what is hostile beside it: setttest holds each answer against the
// document, and api-go's types take it.
func TestNoticesOfEveryClient(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		bodies := []string{
			`{"error":{"class":[1],"message":{"a":1},"backtrace":[null,1,"x",{"number":"","column":"x","args":7,"source":[1]}]},"request":[],"server":{"pid":"x","stats":[],"time":5}}`,
			`{"error":{"backtrace":{}},"request":{"context":[1],"params":"x","session":7,"url":[],"cgi_data":[]},"server":null}`,
			`{"error":{"message":null},"server":{"pid":1e400,"stats":{"deep":[1e999]}}}`,
		}
		for _, n := range recording.Notices(t) {
			bodies = append(bodies, string(n.Body))
		}
		for _, body := range bodies {
			s.Do("POST", "/v1/notices", body, "X-API-Key", s.Setup.APIKey).Want(http.StatusCreated)
		}
		listed := 0
		for page := 1; page <= 3; page++ {
			for _, f := range listFaults(s, fmt.Sprintf("?page=%d", page)).Results {
				answer := s.Get(faultsPath(s, fmt.Sprintf("/%d/notices", f.ID)))
				var strict strictNotices
				if err := json.NewDecoder(bytes.NewReader(answer.Body)).Decode(&strict); err != nil {
					t.Errorf("%s: %v\n%s", f.Klass, err, answer.Body)
				}
				listed += len(strict.Results)
			}
		}
		if listed != len(bodies) {
			t.Errorf("%d of %d notices are listed", listed, len(bodies))
		}
	})
}

func TestNoticePages(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		start := s.Clock.Now()
		send := func(message string) {
			body := map[string]any{"error": map[string]any{"class": "A", "message": message, "fingerprint": "a"}}
			s.Do("POST", "/v1/notices", body, "X-API-Key", s.Setup.APIKey).Want(http.StatusCreated)
			s.Clock.Push(time.Minute)
		}
		for i := range 6 {
			send(fmt.Sprint(i))
		}
		fault := listFaults(s, "").Results[0].ID
		messages := func(list serve.List[api.Notice]) (m string) {
			for _, n := range list.Results {
				m += n.Message
			}
			return m
		}
		unix := func(minutes int) int64 { return start.Add(time.Duration(minutes) * time.Minute).Unix() }
		for query, want := range map[string]string{
			"":                "543210",
			"?limit=4":        "5432",
			"?limit=4&page=2": "10",
			fmt.Sprintf("?created_after=%d", unix(4)):                                    "54",
			fmt.Sprintf("?created_after=%d&created_before=%d", unix(1), unix(3)):         "21",
			"?created_before=" + start.Add(time.Minute).Format(time.RFC3339) + "&page=1": "0",
		} {
			if got := messages(listNotices(s, fault, query)); got != want {
				t.Errorf("%s: %q, want %q", query, got, want)
			}
		}
		all, query := "", "?limit=2"
		for query != "" {
			list := listNotices(s, fault, query)
			all, query = all+messages(list), ""
			if next, err := url.Parse(list.Links.Next); err != nil {
				t.Fatal(err)
			} else if list.Links.Next != "" {
				query = "?" + next.RawQuery
			}
			send("new")
		}
		if all != "543210" {
			t.Errorf("page by page, while others come in: %q", all)
		}
		for query, field := range map[string]string{"?created_after=x": "created_after", "?created_before=x": "created_before", "?cursor=0": "cursor", "?limit=x": "limit"} {
			path := faultsPath(s, fmt.Sprintf("/%d/notices%s", fault, query))
			if text := s.Do("GET", path, nil).Want(http.StatusUnprocessableEntity).Errors(); !strings.HasPrefix(text, "Please correct: "+field+" must be") {
				t.Errorf("%s: %s", query, text)
			}
		}
		s.Do("GET", faultsPath(s, "/999999/notices"), nil).Want(http.StatusNotFound)
	})
}
