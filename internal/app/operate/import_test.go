package operate_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"sett/internal/app/operate"
	"sett/internal/sett/move"
	"sett/internal/setttest"
	"sett/internal/setttest/oldsentry"
)

// A server goes on to record while an import runs beside it, as another process does, and knows at once what came.
func TestImportBesideARunningServer(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		seen := time.Now().Add(-time.Hour)
		event := func(id, class string) oldsentry.Event {
			return oldsentry.Event{ID: strings.Repeat(id, 32), Hash: "h", Sent: map[string]any{"platform": "python", "environment": "production", "exception": map[string]any{"values": []any{
				map[string]any{"type": class, "value": "no cart", "stacktrace": map[string]any{"frames": []any{map[string]any{"filename": "cart.py", "function": "pay", "lineno": 4, "in_app": true}}}},
			}}}}
		}
		issue := &oldsentry.Issue{ID: "7", Short: "SHOP-7", Type: "ValueError", Status: "resolved", First: seen, Last: seen, Count: 12, Assignee: "owner@example.test", Events: []oldsentry.Event{event("a", "ValueError")}}
		old := (&oldsentry.Server{Projects: []*oldsentry.Project{{Slug: "shop", Platform: "python", Key: strings.Repeat("ab", 16), Issues: []*oldsentry.Issue{issue}}}}).Start(t)
		post := func(id, class string) {
			body := "{}\n{\"type\":\"event\"}\n{\"event_id\":\"" + strings.Repeat(id, 32) + "\",\"platform\":\"python\",\"environment\":\"production\",\"exception\":{\"values\":[{\"type\":\"" + class +
				"\",\"value\":\"no cart\",\"stacktrace\":{\"frames\":[{\"filename\":\"cart.py\",\"function\":\"pay\",\"lineno\":4,\"in_app\":true}]}}]}}"
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.App.BaseURL()+"/api/1/envelope/?sentry_key="+s.Setup.APIKey, strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			if response.StatusCode != http.StatusOK {
				t.Fatalf("an event was answered with status %d", response.StatusCode)
			}
		}
		old.Before = func(_ http.ResponseWriter, r *http.Request) bool {
			if strings.HasSuffix(r.URL.Path, "/hashes/") {
				post("b", "KeyError") // the error of another event at the same place
			}
			return false
		}
		report, err := operate.ImportFromSentry(t.Context(), s.Config.Installation(), operate.Import{URL: old.URL, Org: "acme", Token: oldsentry.Token, Events: 1})
		if err != nil {
			t.Fatal(err)
		}
		if report.Came[0] != (move.Came{Noun: "projects", Found: 1, Present: 1}) { // Shop, by its name
			t.Errorf("projects: %+v", report.Came[0])
		}
		post("c", "ValueError")
		if err := s.App.Store().Intake.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		var faults, count, open, assigned int64
		row := s.App.Store().Read.QueryRowContext(t.Context(), `SELECT count(*), CAST(sum(c.notices_count) AS bigint), CAST(sum(CASE WHEN f.resolved THEN 0 ELSE 1 END) AS bigint), count(f.assignee_id)
			FROM faults f JOIN fault_counts c ON c.fault_id = f.id`)
		if err := row.Scan(&faults, &count, &open, &assigned); err != nil {
			t.Fatal(err)
		}
		if faults != 2 || count != 14 || open != 2 || assigned != 1 {
			t.Errorf("%d errors with %d events, of which %d are open and %d assigned, want 2 with 14, 2 and 1", faults, count, open, assigned)
		}
	})
}
