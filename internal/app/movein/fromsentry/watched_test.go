package fromsentry_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett/move"
	"sett/internal/setttest/oldsentry"
)

// rows are rows of a list as a server answers them.
func rows(t *testing.T, text string) (all []any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		t.Fatal(err)
	}
	return all
}

const cronMonitors = `[
{"id":"m1","slug":"nightly","name":"Nightly","status":"active","isMuted":false,"project":{"id":"1","slug":"shop"},"config":{"schedule_type":"crontab","schedule":"0 3 * * *","checkin_margin":5,"max_runtime":30,"timezone":"Europe/Vienna"}},
{"id":"m2","slug":"often","name":"Often","status":"disabled","project":{"id":"1"},"config":{"schedule_type":"interval","schedule":[2,"hour"],"checkin_margin":null}},
{"id":"m3","slug":"odd","name":"Odd","project":{"id":"1"},"config":{"schedule":{"at":3}}},
{"id":"m4","slug":"other","name":"Of another project","project":{"id":"2"},"config":{"schedule":"0 3 * * *"}}]`

const uptimeDetectors = `[
{"id":"7","projectId":"1","name":"Shop","type":"uptime_domain_failure","enabled":true,"config":{"downtimeThreshold":3},"dataSources":[{"type":"uptime_subscription","queryObj":
  {"url":"https://shop.example.org/","method":"POST","body":"{}","headers":[["X-Probe","yes"]],"intervalSeconds":300,"timeoutMs":5000,"assertion":{"root":{}}}}]},
{"id":"8","projectId":"1","name":"Errors","type":"error","dataSources":[]},
{"id":"9","projectId":"2","name":"Of another project","type":"uptime_domain_failure","dataSources":[{"queryObj":{"url":"https://x.example.org/"}}]}]`

const olderUptime = `[{"id":"7","projectSlug":"shop","name":"Shop","status":"disabled","url":"https://shop.example.org/","method":"HEAD","headers":[],"body":null,"intervalSeconds":60,"timeoutMs":10000}]`

const glitchTip = `[
{"id":1,"project":1,"monitorType":"GET","name":"Page","url":"https://shop.example.org/","interval":"00:05:00","timeout":20,"expectedStatus":200,"expectedBody":""},
{"id":2,"project":1,"monitorType":"Heartbeat","name":"Beat","interval":3600},
{"id":3,"project":1,"monitorType":"TCP Port","name":"Port","url":"db.example.org:5432","interval":60,"expectedStatus":null},
{"id":4,"project":1,"monitorType":"SSL","name":"Certificate","url":"https://shop.example.org/","interval":86400}]`

// Monitors of a project come as check-ins and sites, whichever version lists them.
func TestWatched(t *testing.T) {
	t.Parallel()
	place := func(m move.Monitoring) move.Monitoring {
		m.From.Source = "sentry"
		return m
	}
	shop := move.Site{
		ID: "7", Name: "Shop", URL: "https://shop.example.org/", Method: "POST", Body: "{}", Headers: []move.Header{{Name: "X-Probe", Value: "yes"}},
		Every: 5 * time.Minute, Timeout: 5 * time.Second, Match: move.AnySuccess, FollowRedirects: true, Failures: 3,
	}
	older := move.Site{ID: "7", Name: "Shop", URL: "https://shop.example.org/", Method: "GET", Every: time.Minute, Timeout: 10 * time.Second, Match: move.AnySuccess, FollowRedirects: true, Paused: true}
	for name, c := range map[string]struct {
		lists map[string]string
		want  move.Monitoring
	}{
		"nothing": {nil, move.Monitoring{}},
		"sentry": {
			map[string]string{"monitors": cronMonitors, "detectors": uptimeDetectors},
			move.Monitoring{
				Sites: []move.Site{shop},
				CheckIns: []move.CheckIn{
					{ID: "m1", Name: "Nightly", Slug: "nightly", Cron: "0 3 * * *", Zone: "Europe/Vienna", Grace: 5 * time.Minute},
					{ID: "m2", Name: "Often", Slug: "often", Every: 2 * time.Hour, Grace: time.Minute},
				},
				Left: []move.Left{
					{Noun: "pauses", Name: "Often", Why: "It is muted or off. In sett it waits for the first report of its job, and notifies no one before.", Page: move.CheckInsPage},
					{Noun: "cron monitors", Name: "Odd", Why: "Its schedule cannot be read.", Page: move.CheckInsPage},
					{Noun: "uptime monitors", Name: "Shop", Why: "Its assertion does not come: a status from 200 to 299 is good.", Page: move.SitesPage},
				},
			},
		},
		"an older sentry": {map[string]string{"monitors": `[]`, "uptime": olderUptime}, move.Monitoring{Sites: []move.Site{older}}},
		"glitchtip": {
			map[string]string{"monitors": glitchTip},
			move.Monitoring{
				Sites: []move.Site{
					{ID: "1", Name: "Page", URL: "https://shop.example.org/", Every: 5 * time.Minute, Timeout: 20 * time.Second, Method: "GET", Match: move.OneStatus, Text: "200", FollowRedirects: true},
					{ID: "3", Name: "Port", URL: "tcp://db.example.org:5432", Every: time.Minute, Method: "GET", Match: move.AnySuccess},
				},
				CheckIns: []move.CheckIn{{ID: "2", Name: "Beat", Every: time.Hour, Grace: time.Minute}},
				Left: []move.Left{
					{Noun: "monitors", Name: "Beat", Why: "It comes as a check-in: give its job the new address.", Page: move.CheckInsPage},
					{Noun: "monitors", Name: "Certificate", Why: "sett has no check of the type SSL.", Page: move.SitesPage},
				},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := acme(t, 0)
			server.Lists = map[string][]any{}
			for list, text := range c.lists {
				server.Lists[list] = rows(t, text)
			}
			s, _ := open(t, server, oldsentry.Token)
			got, err := s.Watched(t.Context(), move.Project{ID: "1", Slug: "shop"})
			if err != nil {
				t.Fatal(err)
			}
			got.From.Host = ""
			if diff := cmp.Diff(place(c.want), *got); diff != "" {
				t.Errorf("watched (-want +got):\n%s", diff)
			}
		})
	}
}

// A list that the token may not read is not an empty one.
func TestListsThatAreNotShown(t *testing.T) {
	t.Parallel()
	server := acme(t, 0)
	server.Before = func(w http.ResponseWriter, r *http.Request) bool {
		for _, list := range []string{"/monitors/", "/uptime/", "/detectors/", "/workflows/"} {
			if strings.HasSuffix(r.URL.Path, list) {
				w.WriteHeader(http.StatusForbidden)
				return true
			}
		}
		return false
	}
	s, _ := open(t, server, oldsentry.Token)
	shop := move.Project{ID: "1", Slug: "shop"}
	watched, err := s.Watched(t.Context(), shop)
	if err != nil {
		t.Fatal(err)
	}
	rest, err := s.Left(t.Context(), []move.Project{shop})
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]bool{}
	for _, l := range append(watched.Left, rest...) {
		said[l.Noun] = said[l.Noun] || strings.Contains(l.Why, "The token may not list them")
	}
	for _, noun := range []string{"monitors", "uptime monitors", "alert rules"} {
		if !said[noun] {
			t.Errorf("%s are said to be none: %+v", noun, watched.Left)
		}
	}
}
