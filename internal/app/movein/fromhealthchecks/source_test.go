package fromhealthchecks_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/app/movein/fromhealthchecks"
	"sett/internal/sett"
	"sett/internal/sett/move"
)

const uuid = "f618072a-7bde-4eee-af63-71a77c5723bc"

// old is a server with these answers to a key.
func old(t *testing.T, checks string) *httptest.Server {
	t.Helper()
	answers := map[string]string{
		"/api/v3/checks/": checks, "/api/v3/channels/": `{"channels": [{"id": "1", "name": "Team", "kind": "slack"}]}`,
		"/api/v3/checks/" + uuid + "/flips/": `[{"timestamp": "2026-11-02T10:00:00+00:00", "up": 1}, {"timestamp": "2026-11-02T09:00:00+00:00", "up": 0}, {"timestamp": "2026-11-01T00:00:00+00:00", "up": 1}]`,
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Api-Key") != "key" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		answer, ok := answers[r.URL.Path]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = w.Write([]byte(answer))
	}))
	t.Cleanup(s.Close)
	return s
}

func read(t *testing.T, s *httptest.Server, key string) (*move.Monitoring, error) {
	t.Helper()
	return fromhealthchecks.Read(t.Context(), fromhealthchecks.Options{
		URL: s.URL, Token: key, Do: s.Client().Do, Now: time.Now, Wait: func(context.Context, time.Duration, string) error { return nil },
	})
}

func TestChecksBecomeCheckIns(t *testing.T) {
	t.Parallel()
	s := old(t, `{"checks": [
		{"name": "Backup", "slug": "backup", "tags": "prod", "grace": 900, "timeout": 3600, "status": "up", "last_ping": "2026-11-03T10:00:00+00:00", "uuid": "`+uuid+`", "ping_url": "https://hc-ping.com/`+uuid+`", "methods": ""},
		{"name": "Report", "slug": "report", "grace": 60, "schedule": "15 5 * * *", "tz": "Europe/Riga", "status": "paused", "last_ping": null, "uuid": "", "ping_url": "https://hc.example.org/ping/abcdef/report", "methods": "POST"}
	]}`)
	m, err := read(t, s, "key")
	if err != nil {
		t.Fatal(err)
	}
	at := func(day, hour int) time.Time { return time.Date(2026, 11, day, hour, 0, 0, 0, time.UTC) }
	want := []move.CheckIn{
		{
			ID: uuid, Name: "Backup", Slug: "backup", Every: time.Hour, Grace: 15 * time.Minute, Aliases: []string{"ping/" + uuid},
			Past: move.Past{Since: at(1, 0), Last: at(3, 10), Outages: []move.Outage{{Down: at(2, 9), Up: at(2, 10)}}},
		},
		{ID: "report", Name: "Report", Slug: "report", Cron: "15 5 * * *", Zone: "Europe/Riga", Grace: time.Minute, Paused: true, Aliases: []string{"ping/abcdef/report"}},
	}
	if diff := cmp.Diff(want, m.CheckIns); diff != "" {
		t.Errorf("check-ins (-want +got):\n%s", diff)
	}
	var nouns []string
	for _, l := range m.Left {
		nouns = append(nouns, l.Noun)
	}
	if got := strings.Join(nouns, ", "); got != "pauses, filters, tags, channels" {
		t.Errorf("left: %s", got)
	}
}

// A key that only reads hides the addresses, and the report says so.
func TestReadOnlyKeysHideAddresses(t *testing.T) {
	t.Parallel()
	m, err := read(t, old(t, `{"checks": [{"name": "Backup", "timeout": 60, "grace": 60, "unique_key": "abc"}]}`), "key")
	if err != nil || len(m.CheckIns) != 1 || len(m.CheckIns[0].Aliases) != 0 || !strings.Contains(m.Left[0].Why, "1 are hidden") {
		t.Errorf("%+v, %v", m, err)
	}
	if _, err := read(t, old(t, `{}`), "other"); sett.CodeOf(err) != sett.Unauthenticated || strings.Contains(err.Error(), "other") {
		t.Errorf("a wrong key: %v", err)
	}
}
