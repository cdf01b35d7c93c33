package fromopenstatus_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/app/movein/fromfile"
	"sett/internal/app/movein/fromopenstatus"
	"sett/internal/sett"
	"sett/internal/sett/move"
)

const first = `
# yaml-language-server: $schema=https://www.openstatus.dev/schema.json
api:
  name: "API"
  description: "With what it sends"
  frequency: "30s"
  active: true
  public: true
  regions: ["iad", "ams"]
  retry: 3
  timeout: 5000
  degradedAfter: 900
  kind: http
  request:
    url: https://api.example.org/graphql
    method: POST
    followRedirects: false
    headers: {User-Agent: OpenStatus, Authorization: Bearer x}
    body: |
      {"query": "query"}
  assertions:
    - {kind: statusCode, compare: eq, target: 201}
    - {kind: header, compare: eq, key: Content-Type, target: application/json}
  openTelemetry: {endpoint: "https://otel.example.org"}
db:
  {name: "Database", frequency: "5m", active: true, regions: [ams], kind: tcp, request: {host: "2001:db8::1", port: 5432}}
front:
  {name: "Front", frequency: "10m", active: false, kind: http, request: {url: "https://www.example.org", method: HEAD}}
`

const second = `
api: {name: Again, active: true, kind: http, request: {url: "https://other.example.org"}}
names: {kind: dns, request: {url: "example.org"}}
ready:
  active: true
  frequency: hourly
  kind: http
  request: {url: "https://www.example.org/ready"}
  assertions:
    - {kind: statusCode, compare: gte, target: 200}
    - {kind: statusCode, compare: lt, target: 300}
    - {kind: textBody, compare: contains, target: ready}
    - {kind: textBody, compare: not_contains, target: down}
port: {kind: tcp, request: {host: db.example.org}}
gone:
  {active: true, kind: http, request: {url: "https://www.example.org/gone"}, assertions: [{kind: textBody, compare: not_contains, target: "here"}, {kind: statusCode, compare: eq, target: 410}]}
`

func TestMonitorsAreRead(t *testing.T) {
	t.Parallel()
	m, err := fromopenstatus.Read([]fromfile.File{{Name: "a.yaml", Text: []byte(first)}, {Name: "b.yaml", Text: []byte(second)}}, "Websites")
	if err != nil {
		t.Fatal(err)
	}
	want := &move.Monitoring{
		From: move.Place{Source: "openstatus", Host: "Websites"},
		Sites: []move.Site{
			{
				ID: "api", Name: "API", URL: "https://api.example.org/graphql", Every: 30 * time.Second, Timeout: 5 * time.Second, Method: "POST", Body: "{\"query\": \"query\"}\n",
				Headers: []move.Header{{Name: "Authorization", Value: "Bearer x"}, {Name: "User-Agent", Value: "OpenStatus"}}, Match: move.OneStatus, Text: "201",
			},
			{ID: "db", Name: "Database", URL: "tcp://[2001:db8::1]:5432", Every: 5 * time.Minute, Timeout: 45 * time.Second, Method: "GET", Match: move.AnySuccess},
			{ID: "front", Name: "Front", URL: "https://www.example.org", Every: 10 * time.Minute, Timeout: 45 * time.Second, Method: "GET", Match: move.AnySuccess, FollowRedirects: true, Paused: true},
			{ID: "gone", Name: "gone", URL: "https://www.example.org/gone", Every: 10 * time.Minute, Timeout: 45 * time.Second, Method: "GET", Match: move.WithoutIt, Text: "here", FollowRedirects: true},
			{ID: "ready", Name: "ready", URL: "https://www.example.org/ready", Every: 10 * time.Minute, Timeout: 45 * time.Second, Method: "GET", Match: move.WithText, Text: "ready", FollowRedirects: true},
		},
	}
	var left []string
	for _, l := range m.Left {
		left = append(left, l.Noun+" "+l.Name+": "+l.Why)
	}
	m.Left = nil
	if diff := cmp.Diff(want, m); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	wantLeft := []string{
		"monitors API: sett has no condition like header Content-Type eq application/json.",
		"monitors API: It is degraded after 900 ms: set the limit of slow checks of the site.",
		"monitors API: sett does not send what it measures to OpenTelemetry.",
		"monitors Front: It sends HEAD; in sett it sends GET.",
		"monitors api: Two files have a monitor with this key: the first one comes.",
		"monitors gone: It wants the status 410 too; in sett one from 200 to 299.",
		"monitors names: sett has no check of the type dns.",
		"monitors port: It has no host or no port.",
		"monitors ready: sett has no condition like textBody not_contains down.",
		"monitors ready: Its frequency cannot be read: it is checked every 10 minutes or more often.",
		"regions ams, iad: sett checks from its own server, and from where an agent of it runs.",
		"status pages : The files do not have them: make one with the sites whose monitors are public.",
		"notifications, incidents, measurements : The files do not have them.",
	}
	if diff := cmp.Diff(wantLeft, left); diff != "" {
		t.Errorf("what does not come (-want +got):\n%s", diff)
	}
}

func TestStrangeFilesAreRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "tests: {ids: [1, 2]}", "- a", "a: [", "a: {kind: http, active: perhaps}", "a: 7", strings.Repeat("#", fromfile.MostText+1)} {
		_, err := fromopenstatus.Read([]fromfile.File{{Name: "openstatus.yaml", Text: []byte(text)}}, "OpenStatus")
		if code := sett.CodeOf(err); code != sett.Invalid && code != sett.TooLarge {
			t.Errorf("%.20q: %v", text, err)
		}
	}
}
