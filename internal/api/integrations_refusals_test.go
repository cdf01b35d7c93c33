package api_test

import (
	"net/http"
	"strings"
	"testing"

	"sett/internal/notify/channel"
	"sett/internal/setttest"
)

// Every field of an integration that people write, with the exact sentence when it is refused.
func TestIntegrationBodiesThatAreRefused(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	made := createWebHook(t, s, "")
	before := string(s.Get(integrationPath(s, made, "")).Body)
	var types []string
	for _, k := range channel.Kinds() {
		types = append(types, k.Type)
	}
	kinds := "type must be one of " + strings.Join(types, ", ")
	const wrap = `integration must be an object that contains the fields, as in {"integration": {"type": "WebHook", "options": {"url": "https://example.org/hook"}}}`
	const events = "occurred, rate_exceeded, resolved, unresolved, assigned, commented, deployed, volume_spike, down, up, slow, fast, cert_will_expire, check_in_missing, check_in_failed, check_in_reporting, alarm_alert, alarm_ok"
	const address = "must be a URL that starts with http:// or https://"
	inside := func(fields string) string {
		return `{"integration":{"type":"WebHook","options":{"url":"https://127.0.0.1:1/hook"},` + fields + `}}`
	}
	options := func(fields string) string { return `{"integration":{"type":"WebHook","options":{` + fields + `}}}` }
	for body, want := range map[string]string{
		`{"type":"WebHook"}`:    wrap,
		`{"integration":null}`:  wrap,
		`{"integration":"Web"}`: "integration must be an object",

		`{"integration":{"type":"webhok","options":{"url":"x"}}}`:                   kinds + `; "webhok" is none of them, WebHook is`,
		`{"integration":{"type":[7]}}`:                                              "type must be a string",
		options(`"url":"ftp://x.test"`):                                             "options.url " + address,
		options(`"url":"https://x.test","label":"a\tb"`):                            "options.label must be a string without line breaks",
		options(`"url":["https://x.test"]`):                                         "options.url must be a string without line breaks",
		inside(`"active":"maybe"`):                                                  "active must be true or false",
		inside(`"events":["ocurred"]`):                                              "events must be some of " + events + `; "ocurred" is none of them, occurred is`,
		inside(`"site_ids":["` + missing + `"]`):                                    `site_ids must be ids of sites of this project; "` + missing + `" is none`,
		inside(`"check_in_ids":["` + missing + `"]`):                                `check_in_ids must be ids of check-ins of this project; "` + missing + `" is none`,
		inside(`"excluded_environments":[[7]]`):                                     "excluded_environments must be an array of strings",
		inside(`"filters":[{"event":"all","query":"is:gone"}]`):                     "filters[0] query has “is:gone”, which is not known; allowed: is:resolved, is:unresolved, is:ignored, is:assigned, is:paused, is:pending_resolution, is:new",
		inside(`"filters":[{"event":"all","query":7}]`):                             "filters must be an array of objects, each member of the right type",
		inside(`"rate":"day","threshold":1`):                                        "rate is not included in the list: min, hour, wday, week",
		inside(`"threshold":0,"rate":"hour"`):                                       "threshold must be from 1 to 1000000",
		inside(`"quiet_hours":"at night"`):                                          "quiet_hours must be an object",
		inside(`"quiet_hours":{"from":"25:00","to":"07:00"}`):                       `quiet_hours.from must be a time of day such as 22:00 or 07:30; "25:00" is none`,
		inside(`"quiet_hours":{"from":"07:00","to":"07:00"}`):                       "quiet_hours.to must not be the same as from: for whole days, use 00:00 to 24:00 and list the days",
		inside(`"quiet_hours":{"from":"22:00","to":"07:00","time_zone":"Berlinn"}`): `quiet_hours.time_zone "Berlinn" is no time zone; did you mean Berlin?`,
		inside(`"notification_limit":1.5`):                                          "notification_limit must be an integer",
		`{"integration":{"type":"WebHook","options":{"url":"x"},"events":"up","notification_limit":0,"site_ids":["x"]}}`: "options.url " + address +
			`; events must be an array of strings; notification_limit must be from 1 to 100000; site_ids must be ids of sites of this project; "x" is none`,
	} {
		requests := map[string]string{"POST": integrationsPath(s, ""), "PUT": integrationPath(s, made, "")}
		if strings.Contains(want, "type must") {
			delete(requests, "PUT")
		}
		for method, path := range requests {
			if got := s.Do(method, path, body).Want(http.StatusUnprocessableEntity).Errors(); got != "Please correct: "+want+"." {
				t.Errorf("%s %.200s:\n got %s\nwant %s", method, body, got, want)
			}
		}
	}
	for body, want := range map[string]string{
		`{"integration":{}}`: "type can't be blank",
		options(``):          "options.url can't be blank",
	} {
		if got := s.Do("POST", integrationsPath(s, ""), body).Want(http.StatusUnprocessableEntity).Errors(); got != "Please correct: "+want+"." {
			t.Errorf("POST %s: %s", body, got)
		}
	}
	for body, want := range map[string]string{
		`{"integration":{"type":"Slack"}}`:             "type can't be changed from WebHook: create another integration",
		`{"integration":{"options":{"url":null}}}`:     "options.url can't be blank",
		`{"integration":{"options":null}}`:             "options.url can't be blank",
		`{"integration":{"rate":"hour"}}`:              "threshold can't be blank when there is a rate",
		`{"integration":{"notification_limit":"two"}}`: "notification_limit must be an integer",
	} {
		if got := s.Do("PUT", integrationPath(s, made, ""), body).Want(http.StatusUnprocessableEntity).Errors(); got != "Please correct: "+want+"." {
			t.Errorf("PUT %s: %s", body, got)
		}
	}
	if after := string(s.Get(integrationPath(s, made, "")).Body); after != before {
		t.Errorf("what was refused has changed something:\n%s\n%s", before, after)
	}
}
