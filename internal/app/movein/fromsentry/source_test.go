package fromsentry_test

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/app/movein/fromsentry"
	"sett/internal/sett"
	"sett/internal/sett/move"
	"sett/internal/setttest/oldsentry"
)

var noon = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)

// waits are the waits that a source asked for. They pass at once.
type waits struct {
	now time.Time
	all []time.Duration
}

func (w *waits) wait(_ context.Context, d time.Duration, _ string) error {
	w.all, w.now = append(w.all, d), w.now.Add(d)
	return nil
}

func open(t *testing.T, s *oldsentry.Server, token string) (*fromsentry.Source, *waits) {
	t.Helper()
	w := &waits{now: noon}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	source, err := fromsentry.New(fromsentry.Options{URL: s.URL + "/", Token: token, Org: "acme", Do: client.Do, Now: func() time.Time { return w.now }, Wait: w.wait})
	if err != nil {
		t.Fatal(err)
	}
	return source, w
}

func event(id, environment string) oldsentry.Event {
	return oldsentry.Event{ID: strings.Repeat(id, 32), Hash: id, Sent: map[string]any{
		"event_id": strings.Repeat(id, 32), "platform": "python", "environment": environment, "timestamp": 1795860000.25, "level": "error",
		"exception": map[string]any{"values": []any{map[string]any{"type": "ValueError", "value": "no cart", "stacktrace": map[string]any{"frames": []any{
			map[string]any{"filename": "cart.py", "function": "pay", "lineno": 4, "in_app": true, "context_line": "x()", "pre_context": []any{"# pay"}},
		}}}}},
	}}
}

func acme(t *testing.T, issues int) *oldsentry.Server {
	p := &oldsentry.Project{Slug: "shop", Platform: "python-django", Key: "A1B2C3D4A1B2C3D4A1B2C3D4A1B2C3D4", Environments: []string{"production", "staging"}}
	for n := range issues {
		status := []string{"unresolved", "resolved", "ignored"}[n%3]
		p.Issues = append(p.Issues, &oldsentry.Issue{
			ID: strconv.Itoa(4000 + n), Short: "SHOP-" + strconv.Itoa(n), Title: "ValueError: no cart", Type: "ValueError", Value: "no cart", Status: status, Count: 12,
			First: noon.Add(-72 * time.Hour), Last: noon.Add(-time.Hour), Assignee: "ann@example.test", Notes: []string{"Seen it", "Fixed"},
			Events: []oldsentry.Event{event("a", "production"), event("b", "staging"), event("a", "production")},
		})
	}
	return (&oldsentry.Server{Projects: []*oldsentry.Project{p, {Slug: "blog", Platform: "other"}}}).Start(t)
}

func TestProjectsWithKeys(t *testing.T) {
	t.Parallel()
	s, _ := open(t, acme(t, 0), oldsentry.Token)
	got, left, err := s.Projects(t.Context(), "shop")
	if err != nil || len(left) > 0 {
		t.Fatal(left, err)
	}
	want := []move.Project{{ID: "1", Slug: "shop", Name: "shop", Language: "python", Environments: []string{"production", "staging"}, Keys: []move.Key{{Public: "a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4", Label: "Default", Active: true}}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("projects (-want +got):\n%s", diff)
	}
	if _, _, err := s.Projects(t.Context(), "shop", "shopp"); sett.CodeOf(err) != sett.NotFound || !strings.Contains(err.Error(), "shopp") {
		t.Errorf("a project that there is not: %v", err)
	}
}

func TestFaultsInEveryStatePageByPage(t *testing.T) {
	t.Parallel()
	server := acme(t, 7)
	server.PerPage = 3
	s, _ := open(t, server, oldsentry.Token)
	var all []move.Fault
	pages, cursor := 0, ""
	for {
		page, err := s.Faults(t.Context(), move.Project{ID: "1", Slug: "shop"}, cursor)
		if err != nil {
			t.Fatal(err)
		}
		all, pages = append(all, page.Faults...), pages+1
		if page.Total != 7 {
			t.Errorf("%d in all, want 7", page.Total)
		}
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	if pages != 3 || len(all) != 7 {
		t.Errorf("%d pages with %d errors", pages, len(all))
	}
	want := move.Fault{
		ID: "4001", Short: "SHOP-1", Link: "https://sentry.test/organizations/acme/issues/4001/", Class: "ValueError", Message: "no cart", Component: "shop in pay", State: move.Resolved,
		First: noon.Add(-72 * time.Hour), Last: noon.Add(-time.Hour), Count: 12, Assignee: "ann@example.test", Comments: 2,
	}
	if diff := cmp.Diff(want, all[1]); diff != "" {
		t.Errorf("an error (-want +got):\n%s", diff)
	}
}

func TestDetailHasAnEventOfEachShape(t *testing.T) {
	t.Parallel()
	for _, noRaw := range []bool{false, true} {
		server := acme(t, 1)
		server.NoRaw = noRaw
		s, _ := open(t, server, oldsentry.Token)
		d, err := s.Detail(t.Context(), move.Project{ID: "1", Slug: "shop"}, move.Fault{ID: "4000", Comments: 2}, 1)
		if err != nil {
			t.Fatal(err)
		}
		if len(d.Events) != 2 || !d.Events[0].Shape || !d.Events[1].Shape || d.Events[1].Environment != "staging" || d.Events[0].At.IsZero() {
			t.Errorf("events without raw %t: %+v", noRaw, d.Events)
		}
		for _, part := range []string{`"in_app":true`, `"context_line":"x()"`, `"pre_context":["# pay"]`, `"lineno":4`, `"type":"ValueError"`} {
			if !strings.Contains(string(d.Events[0].Body), part) {
				t.Errorf("without raw %t, the body lacks %s: %s", noRaw, part, d.Events[0].Body)
			}
		}
		if strings.Contains(string(d.Events[0].Body), "culprit") {
			t.Error("the body has what the server made")
		}
		want := []move.Comment{
			{ID: "4000100", Author: "Ann", Email: "ann@example.test", Body: "Seen it", At: noon.Add(-72*time.Hour + time.Minute)},
			{ID: "4000101", Author: "Ann", Email: "ann@example.test", Body: "Fixed", At: noon.Add(-72*time.Hour + 2*time.Minute)},
		}
		if diff := cmp.Diff(want, d.Comments); diff != "" {
			t.Errorf("comments (-want +got):\n%s", diff)
		}
		if !slices.Equal(d.Environments, []string{"production", "staging"}) {
			t.Errorf("environments %q", d.Environments)
		}
	}
}

// The server says when to ask again, and the source does: it never asks while it may not.
func TestLimitsAreObeyed(t *testing.T) {
	t.Parallel()
	server := acme(t, 1)
	n := 0
	server.Before = func(w http.ResponseWriter, _ *http.Request) bool {
		n++
		switch n {
		case 1:
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(http.StatusTooManyRequests)
		case 2:
			w.Header().Set("X-Sentry-Rate-Limit-Reset", strconv.FormatInt(noon.Add(40*time.Second).Unix(), 10))
			w.WriteHeader(http.StatusTooManyRequests)
		case 3:
			w.WriteHeader(http.StatusBadGateway)
		case 4:
			w.Header().Set("X-Sentry-Rate-Limit-Remaining", "0")
			w.Header().Set("X-Sentry-Rate-Limit-Reset", strconv.FormatInt(noon.Add(100*time.Second).Unix(), 10))
			return false
		default:
			return false
		}
		return true
	}
	s, w := open(t, server, oldsentry.Token)
	for range 2 {
		if _, err := s.Faults(t.Context(), move.Project{ID: "1", Slug: "shop"}, ""); err != nil {
			t.Fatal(err)
		}
	}
	slack := 100 * time.Millisecond
	want := []time.Duration{7 * time.Second, 33*time.Second + slack, time.Second, 59 * time.Second}
	if diff := cmp.Diff(want, w.all); diff != "" {
		t.Errorf("waits (-want +got):\n%s", diff)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	server := acme(t, 1)
	s, _ := open(t, server, "sntryu_wrong")
	if _, _, err := s.Projects(t.Context()); sett.CodeOf(err) != sett.Unauthenticated || strings.Contains(err.Error(), "sntryu_wrong") {
		t.Errorf("with a wrong token: %v", err)
	}
	s, w := open(t, server, oldsentry.Token)
	for name, answer := range map[string]func(http.ResponseWriter){
		"no JSON":   func(w http.ResponseWriter) { _, _ = w.Write([]byte("<html>")) },
		"redirects": func(w http.ResponseWriter) { w.Header().Set("Location", "http://10.0.0.1/"); w.WriteHeader(302) },
		"down":      func(w http.ResponseWriter) { w.WriteHeader(http.StatusServiceUnavailable) },
	} {
		server.Before = func(w http.ResponseWriter, _ *http.Request) bool { answer(w); return true }
		_, _, err := s.Projects(t.Context())
		if code := sett.CodeOf(err); code != sett.Invalid && code != sett.Unavailable {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(w.all) != 8 {
		t.Errorf("%d waits, want those of a server that is down", len(w.all))
	}
	for _, address := range []string{"", "sentry.io", "ftp://sentry.io", "https://u:p@sentry.io", "https://sentry.io?x=1"} {
		if _, err := fromsentry.New(fromsentry.Options{URL: address, Org: "acme"}); sett.CodeOf(err) != sett.Invalid {
			t.Errorf("address %q: %v", address, err)
		}
	}
}

// What a server says is a stranger's: texts are cut, addresses that are none are left out, times that cannot be are no times.
func TestHostileIssues(t *testing.T) {
	t.Parallel()
	server := acme(t, 0)
	long := strings.Repeat("é", 60_000)
	server.Before = func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "/issues/") {
			return false
		}
		w.Header().Set("Link", `<x>; rel="next"; results="true"; cursor="same"`)
		_, _ = w.Write([]byte(`[{"id":"1\u0000\n2","shortId":"` + long + `","permalink":"javascript:alert(1)","count":"-5","numComments":-1,"status":"resolved","lastSeen":"2026-11-01T00:00:00Z",
			"firstSeen":"0001-01-01T00:00:00Z","metadata":{"type":"A\u202e\nB","value":"` + long + `"},"assignedTo":null},{"id":"2","lastSeen":"never"},{"id":null,"lastSeen":"2026-11-01T00:00:00Z"}]`))
		return true
	}
	s, _ := open(t, server, oldsentry.Token)
	page, err := s.Faults(t.Context(), move.Project{ID: "1"}, "same")
	if err != nil || len(page.Faults) != 1 || page.Next != "" {
		t.Fatalf("%d errors, next %q, %v", len(page.Faults), page.Next, err)
	}
	f := page.Faults[0]
	if f.ID != "1 2" || f.Link != "" || f.Count != 0 || f.Comments != 0 || len(f.Short) > 60 || len(f.Message) > move.MostMessage || strings.Contains(f.Class, "\n") || !f.First.Equal(f.Last) {
		t.Errorf("%+v", f)
	}
}
