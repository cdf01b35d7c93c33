package fromhoneybadger_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"sett/internal/app/movein/fromhoneybadger"
	"sett/internal/sett/move"
)

// A list that the server does not show is not said to be empty.
func TestListsThatAreNotShown(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/check_ins") {
			_, _ = w.Write([]byte(`{"results":[{"id":"abc","name":"Nightly","schedule_type":"cron","cron_schedule":"0 3 * * *","grace_period":""},
				{"id":"def","name":"Often","report_period":"2 hours","grace_period":90}]}`))
			return
		}
		w.WriteHeader(http.StatusNotFound)
	}))
	t.Cleanup(server.Close)
	s, err := fromhoneybadger.New(fromhoneybadger.Options{
		URL: server.URL, Token: "t", Account: "a", Do: http.DefaultClient.Do, Now: time.Now, Wait: func(context.Context, time.Duration, string) error { return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	m, err := s.Watched(t.Context(), move.Project{ID: "1"})
	if err != nil || len(m.CheckIns) != 2 || m.CheckIns[0].Cron != "0 3 * * *" || m.CheckIns[1].Every != 2*time.Hour || m.CheckIns[1].Grace != 90*time.Minute {
		t.Fatalf("%+v, %v", m, err)
	}
	pages, err := s.Pages(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var nouns []string
	for _, l := range append(m.Left, pages.Left...) {
		nouns = append(nouns, l.Noun)
	}
	if got := strings.Join(nouns, ", "); got != "sites, channels, status pages" {
		t.Errorf("said of %q that they are not shown", got)
	}
}
