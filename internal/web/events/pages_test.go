package events_test

import (
	"bufio"
	"context"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"sett/internal/app"
	"sett/internal/sett/accounts"
	"sett/internal/setttest"
	"sett/internal/setttest/visitor"
	"sett/internal/store/accountdb"
)

const password = "seven lonely walruses"

// signedIn returns the browser of a new member of the server's project.
func signedIn(t *testing.T, s *setttest.Server) *visitor.Browser {
	t.Helper()
	id, err := s.App.Store().Accounts.CreateUser(t.Context(), s.Clock.Now(), accountdb.NewUser{
		AccountID: s.Setup.AccountID, Email: "ann@people.test", Name: "Ann", Role: accounts.Member, Password: setttest.PasswordCost.Hash(password),
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.App.Store().Accounts.CreateTeam(t.Context(), s.Clock.Now(), s.Setup.AccountID, "Crew", []int64{s.Setup.ProjectID}, map[int64]bool{id: false}); err != nil {
		t.Fatal(err)
	}
	return visitor.New(t, s).SignIn("ann@people.test", password)
}

// report sends events to the server's project.
func report(s *setttest.Server, lines ...string) {
	s.Do("POST", "/v1/events", strings.Join(lines, "\n"), "X-API-Key", s.Setup.APIKey).Want(http.StatusCreated)
}

func in(s *setttest.Server, rest string) string {
	return fmt.Sprintf("/projects/%d/insights%s", s.Setup.ProjectID, rest)
}

func TestInsightsPage(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		b := signedIn(t, s)
		b.Get(in(s, "")).Want(200, "No events yet").CheckPage()
		report(s, `{"event_type":"request","path":"/orders","status":200,"duration":12.5}`, `{"event_type":"request","path":"/orders","status":500,"duration":100}`,
			`{"event_type":"job","job":"<script>alert(1)</script>","duration":3}`)
		b.Get(in(s, "")).Want(200, "3 events<", "/orders", "3 events, ", " today (UTC).").CheckPage().Lacks("<script>alert")
		b.Get(in(s, "?q="+url.QueryEscape("status:>=500"))).Want(200, "1 event<", "Read as a search.").CheckPage()
		there := in(s, "?period=7d&q="+url.QueryEscape("stats count() as events, sum(duration), avg(duration), percentile(95, duration), max(duration) by event_type"))
		b.Get(in(s, "?by=event_type&of=duration&period=7d")).Leads(there)
		grouped := b.Get(there).Want(200, "Read as a query.", "2 rows<", "request", "job", ">112.5<", ">56.25<").CheckPage()
		for _, m := range regexp.MustCompile(`<a href="(/projects/1/insights\?[^"]*filter[^"]*)">(request|&lt;script)`).FindAllStringSubmatch(grouped.Body, -1) {
			b.Get(html.UnescapeString(m[1])).Want(200, map[string]string{"request": "2 events<", "&lt;script": "1 event<"}[m[2]]).CheckPage()
		}
		b.Get(in(s, "?of=duration&period=1h&q=request")).Want(303)
		misspelt := b.Get(in(s, "?q="+url.QueryEscape("durration:>5"))).Want(200, "No event in this period matches").CheckPage()
		if !strings.Contains(html.UnescapeString(misspelt.Body), `No event in this period has the field "durration". Did you mean "duration"?`) {
			t.Errorf("there is no suggestion:\n%s", misspelt.Body)
		}
		b.Get(in(s, "?q="+strings.Repeat("a+", 1500))).Want(422, "may be at most").CheckPage()
	})
}

// Users who may not see a project do not see its events.
func TestInsightsOfOthers(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	_, _, err := s.App.Store().Accounts.CreateAccount(t.Context(), s.Clock.Now(), "Others", accountdb.NewUser{Email: "stranger@people.test", Name: "Stranger", Password: setttest.PasswordCost.Hash(password)})
	if err != nil {
		t.Fatal(err)
	}
	b := visitor.New(t, s).SignIn("stranger@people.test", password)
	for _, page := range []string{"", "/live", "/live/events"} {
		b.Get(in(s, page)).Want(404)
	}
}

// A server that stores no events accepts them, and says that it stores none.
func TestInsightsTurnedOff(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite", func(c *app.Config) { c.InsightBytes = 0 })
	report(s, `{"event_type":"request"}`)
	signedIn(t, s).Get(in(s, "")).Want(200, "No events yet", "This server does not store events.").CheckPage()
}

// liveStream finds the path of a page's stream.
var liveStream = regexp.MustCompile(`data-live="([^"]+)"`)

// The tail shows events that match, as they arrive.
func TestLiveInsights(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	b := signedIn(t, s)
	report(s, `{"event_type":"before","status":500}`)
	page := b.Get(in(s, "/live?q=status%3A500")).Want(200, "listening", "status:500").CheckPage()
	path := html.UnescapeString(liveStream.FindStringSubmatch(page.Body)[1])
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, b.Base+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := b.Client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	report(s, `{"event_type":"other","status":200}`, `{"event_type":"wanted<b>","status":500}`)
	lines := bufio.NewScanner(got.Body)
	text := ""
	for !strings.Contains(text, "event: row\ndata:") && lines.Scan() {
		text += lines.Text() + "\n"
	}
	if !strings.Contains(text, "wanted&lt;b&gt;") || strings.Contains(text, "before") || strings.Contains(text, "other") {
		t.Errorf("the stream sends %s", text)
	}
}

// insightsLink finds the link of an error to the events of its request.
var insightsLink = regexp.MustCompile(`href="([^"]+/insights\?[^"]+)"`)

// An error links to the events of its request or trace, once the project has sent events.
func TestAnErrorLinksToTheEventsOfItsRequest(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	b := signedIn(t, s)
	notice := `{"error":{"class":"Boom"},"correlation_context":{"request_id":"4c0f 1b"}}`
	s.Do("POST", "/v1/notices", notice, "X-API-Key", s.Setup.APIKey).Want(http.StatusCreated)
	fault := fmt.Sprintf("/projects/%d/faults/1", s.Setup.ProjectID)
	b.Get(fault).Want(200, "Boom").Lacks("/insights?")
	report(s, `{"event_type":"mine","request_id":"4C0F 1B"}`, `{"event_type":"logged","trace_id":"4c0f 1b"}`, `{"event_type":"other","request_id":"7"}`)
	found := insightsLink.FindStringSubmatch(b.Get(fault).Want(200, "Structured events of this request").CheckPage().Body)
	b.Get(html.UnescapeString(found[1])).Want(200, "2 events<", "mine", "logged").Lacks("other<")
}
