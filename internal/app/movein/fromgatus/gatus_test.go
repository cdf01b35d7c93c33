package fromgatus_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/app/movein/fromfile"
	"sett/internal/app/movein/fromgatus"
	"sett/internal/sett"
	"sett/internal/sett/move"
)

const first = `
ui: {header: Acme}
alerting:
  slack: {webhook-url: "${SLACK}"}
  custom: {url: "https://hook.example.org/$UNSET"}
  clickup: {list-id: 1}
maintenance: {start: "23:00", duration: 1h}
endpoints:
  - name: front
    group: Core
    url: "https://shop.example.org/health"
    interval: 5m
    client: {timeout: 20s, insecure: true, ignore-redirect: true}
    headers: {X-A: b}
    conditions: ["[STATUS] == 204", "[RESPONSE_TIME] < 500", "[CERTIFICATE_EXPIRATION] > 48h"]
    alerts: [{type: slack}, {type: custom, failure-threshold: 2}]
  - name: ready
    url: "https://shop.example.org/ready"
    conditions: ["[STATUS] == 200", "[BODY] == pat(*$$ok*)", "[BODY].status == UP"]
  - {name: db, url: "tcp://db.example.org:5432", enabled: false, conditions: ["[CONNECTED] == true"]}
  - {name: ping, url: "icmp://db.example.org"}
  - {name: names, url: "8.8.8.8", dns: {query-name: example.org, query-type: A}}
`

const second = `
external-endpoints:
  - {name: backup, group: Jobs, token: secret, heartbeat: {interval: 24h}}
  - {name: other, token: secret}
announcements:
  - {timestamp: 2026-11-02T10:00:00Z, type: outage, message: "Broken **now**"}
  - {timestamp: 2026-11-01T10:00:00Z, type: information, message: "Hello"}
suites: [{name: chain}]
`

func TestConfigurationIsRead(t *testing.T) {
	t.Parallel()
	env := func(name string) (string, bool) { return "https://hooks.example.org/1", name == "SLACK" }
	m, err := fromgatus.Read([]fromfile.File{{Name: "a.yaml", Text: []byte(first)}, {Name: "b.yaml", Text: []byte(second)}}, "Websites", env)
	if err != nil {
		t.Fatal(err)
	}
	at := func(day int) time.Time { return time.Date(2026, 11, day, 10, 0, 0, 0, time.UTC) }
	want := &move.Monitoring{
		From: move.Place{Source: "gatus", Host: "Websites"},
		Sites: []move.Site{
			{
				ID: "core_front", Name: "Core / front", URL: "https://shop.example.org/health", Every: 5 * time.Minute, Timeout: 20 * time.Second, Method: "GET",
				Headers: []move.Header{{Name: "X-A", Value: "b"}}, Match: move.OneStatus, Text: "204", AnyCertificate: true, Failures: 2,
			},
			{ID: "_ready", Name: "ready", URL: "https://shop.example.org/ready", Every: time.Minute, Timeout: 10 * time.Second, Method: "GET", Match: move.WithText, Text: "$ok", FollowRedirects: true},
			{ID: "_db", Name: "db", URL: "tcp://db.example.org:5432", Every: time.Minute, Timeout: 10 * time.Second, Method: "GET", Match: move.AnySuccess, Paused: true},
		},
		CheckIns: []move.CheckIn{{ID: "jobs_backup", Name: "Jobs / backup", Slug: "jobs-backup", Every: 24 * time.Hour, Grace: 144 * time.Minute}},
		Channels: []move.Channel{
			{ID: "custom", Name: "custom", Type: "WebHook", Options: map[string]any{"url": "https://hook.example.org/${UNSET}"}},
			{ID: "slack", Name: "slack", Type: "Slack", Options: map[string]any{"url": "https://hooks.example.org/1"}},
		},
		Pages: []move.StatusPage{{
			ID: "page", Name: "Acme", Slug: "gatus", Unlisted: true,
			Components: []move.Component{
				{Kind: move.SiteKind, ID: "core_front", Name: "front", Group: "Core"},
				{Kind: move.SiteKind, ID: "_ready", Name: "ready"},
				{Kind: move.SiteKind, ID: "_db", Name: "db"},
				{Kind: move.CheckInKind, ID: "jobs_backup", Name: "backup", Group: "Jobs"},
			},
			Incidents: []move.Incident{
				{ID: "1793613600-0", Name: "Broken **now**", Message: "Broken **now**", Start: at(2)},
				{ID: "1793527200-1", Name: "Hello", Message: "Hello", Start: at(1), End: at(1)},
			},
		}},
	}
	left := map[string]int{}
	for _, l := range m.Left {
		left[l.Noun+" "+l.Name]++
	}
	m.Left = nil
	if diff := cmp.Diff(want, m); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	wantLeft := map[string]int{
		"variables UNSET": 1, "endpoints Core / front": 1, "endpoints ready": 1, "endpoints ping": 1, "endpoints names": 1, "external endpoints Jobs / backup": 1, "external endpoints other": 1,
		"channels custom": 1, "channels clickup": 1, "suites chain": 1, "maintenance each day at 23:00": 1,
	}
	if diff := cmp.Diff(wantLeft, left); diff != "" {
		t.Errorf("what does not come (-want +got):\n%s", diff)
	}
}

func TestQueriesOfGraphQLAreSentAsGatusSendsThem(t *testing.T) {
	t.Parallel()
	const text = `endpoints: [{name: me, method: POST, graphql: true, url: "https://example.org/graphql", body: "{ me(id: \"1\") }"}]`
	m, err := fromgatus.Read([]fromfile.File{{Name: "a.yaml", Text: []byte(text)}}, "Websites", nil)
	if err != nil || len(m.Sites) != 1 || m.Sites[0].Body != `{"query":"{ me(id: \"1\") }"}` {
		t.Errorf("%v, %+v", err, m)
	}
}

// What Gatus 5.36.0 does with such a file: the thresholds of its log, where alerts that are off never fire.
func TestAlertsHaveTheDefaultsOfTheirProvider(t *testing.T) {
	t.Parallel()
	const text = `
alerting:
  slack: {webhook-url: "https://hooks.example.org/1", default-alert: {failure-threshold: 5}}
  discord: {webhook-url: "https://hooks.example.org/2", default-alert: {enabled: false}}
endpoints:
  - {name: usual, url: "https://example.org", alerts: [{type: slack}]}
  - {name: own, url: "https://example.org", alerts: [{type: slack, failure-threshold: 2}]}
  - {name: off, url: "https://example.org", alerts: [{type: slack}, {type: slack, enabled: false, failure-threshold: 1}]}
  - {name: off by default, url: "https://example.org", alerts: [{type: slack}, {type: discord, failure-threshold: 1}]}
  - {name: on again, url: "https://example.org", alerts: [{type: discord, enabled: true}]}
  - {name: none, url: "https://example.org"}
`
	m, err := fromgatus.Read([]fromfile.File{{Name: "a.yaml", Text: []byte(text)}}, "Websites", nil)
	if err != nil {
		t.Fatal(err)
	}
	failures := map[string]int64{}
	for _, s := range m.Sites {
		failures[s.Name] = s.Failures
	}
	if diff := cmp.Diff(map[string]int64{"usual": 5, "own": 2, "off": 5, "off by default": 5, "on again": 3, "none": 0}, failures); diff != "" {
		t.Errorf("failures before an outage (-want +got):\n%s", diff)
	}
}

func TestStrangeFilesAreRefused(t *testing.T) {
	t.Parallel()
	none := func(string) (string, bool) { return "", false }
	for _, text := range []string{"", "endpoints: 7", "a: [", "endpoints: [{interval: soon}]", strings.Repeat("#", fromfile.MostText+1)} {
		_, err := fromgatus.Read([]fromfile.File{{Name: "config.yaml", Text: []byte(text)}}, "Gatus", none)
		if code := sett.CodeOf(err); code != sett.Invalid && code != sett.TooLarge {
			t.Errorf("%.20q: %v", text, err)
		}
	}
}
