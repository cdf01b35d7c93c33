package api_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"sett/internal/setttest"
)

// publishedRouter finds the operations of the document that a server publishes.
func publishedRouter(t *testing.T, s *setttest.Server) routers.Router {
	t.Helper()
	address, err := url.Parse(s.Base + "/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := openapi3.NewLoader().LoadFromURI(address)
	if err != nil {
		t.Fatal(err)
	}
	doc.Servers = nil
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		t.Fatal(err)
	}
	return router
}

// allows reports whether the document allows a request.
func allows(t *testing.T, router routers.Router, method, target, body string) bool {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, target, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	route, params, err := router.FindRoute(r)
	if err != nil {
		t.Fatalf("%s %s: %v", method, target, err)
	}
	return openapi3filter.ValidateRequest(t.Context(), &openapi3filter.RequestValidationInput{
		Request: r, PathParams: params, Route: route,
		Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc},
	}) == nil
}

// The document allows what the server takes, and nothing that it refuses: one bound, required member or null that is
// documented otherwise than served is seen here.
func TestDocumentIsAsStrictAsTheServer(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short leaves out tests that take seconds")
	}
	s := setttest.Start(t, "sqlite")
	router := publishedRouter(t, s)
	notify(t, s, "A", "production")
	project, fault := projectPath(s.Setup.ProjectID, ""), faultsPath(s, "/1")
	site := sitesPath(s, "/"+createSite(t, s).ID)
	integration := integrationPath(s, createWebHook(t, s, ""), "")
	long := strings.Repeat("ö", 255)
	for _, c := range []struct {
		method, target string
		taken, refused []string // bodies; of a GET, queries
	}{
		{"GET", faultsPath(s, ""), []string{
			"limit=1", "limit=25", "page=1", "page=2147483647", "order=recent", "created_after=1795000000", "occurred_before=2026-11-18T10:30:00Z",
		}, []string{"limit=0", "limit=x", "page=0", "page=-1", "page=1.5", "order=oldest"}},
		{"GET", fault + "/occurrences", []string{"period=month"}, []string{"period=year"}},
		{"POST", "/v2/projects", []string{
			`{"project":{"name":"a"}}`, `{"project":{"name":"` + long + `","purge_days":1,"language":null}}`,
			`{"project":{"name":"b","purge_days":3650,"user_url":"https://x.test/[user_id]","source_url":null}}`,
		}, []string{
			``, `{}`, `{"project":null}`, `{"project":{}}`, `{"project":{"name":null}}`, `{"project":{"name":""}}`, `{"project":{"name":"ö` + long + `"}}`,
			`{"project":{"name":"c","purge_days":0}}`, `{"project":{"name":"c","purge_days":3651}}`, `{"project":{"name":"c","language":"cobol"}}`,
		}},
		{"PUT", project, []string{
			`{"project":{}}`, `{"project":{"purge_days":null,"disable_public_links":null,"user_search_field":null,"resolve_errors_on_deploy":null}}`,
		}, []string{`{}`, `{"project":null}`, `{"project":{"name":null}}`, `{"project":{"purge_days":0}}`, `{"project":{"disable_public_links":"yes"}}`}},
		{"PUT", fault, []string{
			`{"fault":{}}`, `{"fault":{"resolved":null,"ignored":null,"resolve_on_deploy":null,"assignee_id":null}}`, `{"fault":{"resolved":true}}`,
		}, []string{`{}`, `{"fault":null}`, `{"fault":{"resolved":1}}`, `{"fault":{"assignee_id":"me"}}`}},
		{
			"POST", fault + "/pause",
			[]string{`{"time":"hour"}`, `{"count":10}`, `{"count":1000}`, `{"count":100,"time":null}`, `{"users":3}`, `{"notices":5,"per":"hour"}`},
			[]string{``, `{}`, `{"per":"hour"}`, `{"notices":5}`, `{"time":"year"}`, `{"count":11}`, `{"count":"ten"}`},
		},
		{"POST", fault + "/link", nil, []string{`{}`, `{"channel_id":null,"data":{}}`, `{"channel_id":1}`, `{"channel_id":1,"data":null}`}},
		{"POST", fault + "/unlink", nil, []string{`{}`, `{"channel_id":null}`}},
		{
			"POST", checkInsPath(s, ""),
			[]string{
				`{"check_in":{"report_period":"1 day"}}`, `{"check_in":{"name":"` + long + `","slug":"` + strings.Repeat("a", 255) + `","report_period":"12 months","grace_period":null,"cron_schedule":null}}`,
				`{"check_in":{"name":null,"slug":null,"schedule_type":"cron","cron_schedule":"0 2 * * *","cron_timezone":"Europe/Berlin","report_period":""}}`,
			},
			[]string{
				``, `{}`, `{"check_in":null}`, `{"check_in":{"report_period":"1 day","schedule_type":"weekly"}}`, `{"check_in":{"report_period":true}}`,
				`{"check_in":{"report_period":"1 day","slug":"` + strings.Repeat("a", 256) + `"}}`,
				`{"check_in":{"report_period":"1 day","name":"ö` + long + `"}}`,
			},
		},
		{"PUT", checkInsPath(s, ""), []string{`{"check_ins":[{"slug":"a","report_period":"1 day"}]}`, `{"check_ins":[]}`}, []string{`{}`, `{"check_ins":null}`, `{"check_ins":{}}`, `{"check_ins":[7]}`}},
		{"POST", sitesPath(s, ""), []string{
			`{"site":{"url":"https://x.test"}}`, `{"site":{"url":"https://x.test","name":"` + long + `","match":"` + long + `","outage_threshold":100}}`,
			`{"site":{"url":"https://x.test","name":null,"frequency":null,"match_type":null,"match":null,"request_method":null,"request_body":null,"request_headers":null,"locations":null,"validate_ssl":null,"outage_threshold":null,"active":null,"timeout":null}}`,
			`{"site":{"url":"https://x.test","frequency":15,"timeout":120,"locations":["London"],"request_headers":[{"key":"A","value":""}],"match_type":"exact","match":"204"}}`,
		}, []string{
			``, `{}`, `{"site":null}`, `{"site":{}}`, `{"site":{"url":null}}`, `{"site":{"url":""}}`, `{"site":{"url":"https://x.test","name":"ö` + long + `"}}`,
			`{"site":{"url":"https://x.test","frequency":2}}`, `{"site":{"url":"https://x.test","match_type":"jmespath"}}`,
			`{"site":{"url":"https://x.test","match":"ö` + long + `"}}`, `{"site":{"url":"https://x.test","request_method":"HEAD"}}`,
			`{"site":{"url":"https://x.test","locations":["Paris"]}}`, `{"site":{"url":"https://x.test","outage_threshold":0}}`,
			`{"site":{"url":"https://x.test","outage_threshold":101}}`, `{"site":{"url":"https://x.test","timeout":121}}`, `{"site":{"url":"https://x.test","timeout":0}}`,
			`{"site":{"url":"https://x.test","request_headers":{}}}`, `{"site":{"url":"https://x.test","request_headers":[{"value":"a"}]}}`,
		}},
		{"PUT", site, []string{`{"site":{}}`, `{"site":{"name":null,"frequency":1}}`}, []string{`{}`, `{"site":null}`, `{"site":{"url":null}}`, `{"site":{"active":"yes"}}`}},
		{"POST", integrationsPath(s, ""), []string{
			`{"integration":{"type":"WebHook","options":{"url":"https://x.test"}}}`,
			`{"integration":{"type":"WebHook","options":{"url":"https://x.test"},"active":null,"events":null,"site_ids":null,"check_in_ids":null,"excluded_environments":null,"filters":null,"rate":null,"threshold":null,"notification_limit":null,"quiet_hours":null}}`,
			`{"integration":{"type":"WebHook","options":{"url":"https://x.test","label":null},"events":["up"],"filters":[{"event":"all","query":"a"}],"rate":"week","threshold":1000000,"notification_limit":100000,"quiet_hours":{"from":"22:00","to":"24:00","time_zone":"Europe/Berlin","days":["mon"],"urgent_at_once":false}}}`,
		}, []string{
			``, `{}`, `{"integration":null}`, `{"integration":{}}`, `{"integration":{"type":null}}`, `{"integration":{"type":"Carrier"}}`,
			`{"integration":{"type":"WebHook","options":7}}`, `{"integration":{"type":"WebHook","options":{"url":"https://x.test"},"events":["flooded"]}}`,
			`{"integration":{"type":"WebHook","options":{"url":"https://x.test"},"filters":[{"event":"flooded","query":"a"}]}}`,
			`{"integration":{"type":"WebHook","options":{"url":"https://x.test"},"filters":[{"event":"all"}]}}`,
			`{"integration":{"type":"WebHook","options":{"url":"https://x.test"},"filters":[{"event":"all","query":""}]}}`,
			`{"integration":{"type":"WebHook","options":{"url":"https://x.test"},"rate":"day","threshold":1}}`,
			`{"integration":{"type":"WebHook","options":{"url":"https://x.test"},"rate":"hour","threshold":0}}`,
			`{"integration":{"type":"WebHook","options":{"url":"https://x.test"},"notification_limit":100001}}`,
			`{"integration":{"type":"WebHook","options":{"url":"https://x.test"},"quiet_hours":{"from":"22:00"}}}`,
			`{"integration":{"type":"WebHook","options":{"url":"https://x.test"},"quiet_hours":{"from":"22:00","to":"07:00","days":["monday"]}}}`,
			`{"integration":{"type":"WebHook","options":{"url":"https://x.test"},"quiet_hours":{"from":"22:00","to":null}}}`,
		}},
		{"PUT", integration, []string{`{"integration":{}}`, `{"integration":{"type":"WebHook","active":null,"options":{}}}`}, []string{`{}`, `{"integration":null}`, `{"integration":{"active":"yes"}}`, `{"integration":{"type":null}}`}},
		{"PUT", project + "/personal_alerts", []string{
			`{"personal_alerts":{}}`, `{"personal_alerts":{"events":null,"mentions":null,"digest":null}}`,
			`{"personal_alerts":{"events":["up","volume_spike"],"mentions":false,"digest":"weekly"}}`, `{"personal_alerts":{"events":[]}}`,
		}, []string{
			``, `{}`, `{"personal_alerts":null}`, `{"personal_alerts":{"events":["rate_exceeded"]}}`, `{"personal_alerts":{"events":"up"}}`,
			`{"personal_alerts":{"digest":"hourly"}}`, `{"personal_alerts":{"mentions":1}}`,
		}},
		{"POST", statusPagesPath(s, ""), []string{
			`{"status_page":{"name":"a"}}`,
			`{"status_page":{"name":"` + long + `","slug":null,"domain":null,"sites":null,"check_ins":null,"hide_branding":null,"features":null,"search_engine_indexing_disabled":null,"automatic_incidents":null,"response_times":null,"password":null}}`,
			`{"status_page":{"name":"b","features":{"home_link":null,"up_caption":"` + long + `","custom_css":""},"password":"12345678","domain":"status.example.test"}}`,
			`{"status_page":{"name":"d","language":"de","logo":null,"features":{"accent_color":"#2f4fa8"}}}`,
		}, []string{
			``, `{}`, `{"status_page":null}`, `{"status_page":{}}`, `{"status_page":{"name":null}}`, `{"status_page":{"name":""}}`, `{"status_page":{"name":"ö` + long + `"}}`,
			`{"status_page":{"name":"c","slug":"` + strings.Repeat("a", 61) + `"}}`, `{"status_page":{"name":"c","password":"1234567"}}`,
			`{"status_page":{"name":"c","sites":[{}]}}`, `{"status_page":{"name":"c","sites":[{"site_id":null}]}}`, `{"status_page":{"name":"c","check_ins":[{"check_in_id":7}]}}`,
			`{"status_page":{"name":"c","features":{"up_caption":"ö` + long + `"}}}`, `{"status_page":{"name":"c","features":7}}`, `{"status_page":{"name":"c","language":"xx"}}`, `{"status_page":{"name":"c","hide_branding":"yes"}}`,
		}},
		{"GET", site + "/outages", []string{"limit=1", "created_after=1795000000", "created_before=2026-11-18T10:30:00Z"}, []string{"limit=0", "page=0"}},
		{"GET", site + "/uptime_checks", []string{"limit=25", "created_after=1795000000", "created_before=2026-11-18T10:30:00Z"}, []string{"limit=x"}},
		{"GET", site + "/uptime", []string{"", "from=2026-11-01", "from=2026-11-01T00:00:00Z&to=1795000000"}, nil},
		{"POST", "/v1/notices", []string{`{"error":{"class":"A","message":"b"}}`}, []string{``, `{}`, `{"notifier":{}}`}},
	} {
		for want, inputs := range map[bool][]string{true: c.taken, false: c.refused} {
			for _, input := range inputs {
				target, body := c.target, input
				if c.method == http.MethodGet {
					target, body = c.target+"?"+input, ""
				}
				if got := allows(t, router, c.method, target, body); got != want {
					t.Errorf("%s %s %s: the document allows it: %v, want %v", c.method, target, body, got, want)
				}
				var sent any
				if c.method != http.MethodGet {
					sent = body
				}
				if answer := s.Do(c.method, target, sent); (answer.Status < 400) != want {
					t.Errorf("%s %s %s: the server answers %d %s", c.method, target, body, answer.Status, answer.Body)
				}
			}
		}
	}
}
