package api_test

import (
	"net/http"
	"strings"
	"testing"

	"sett/internal/setttest"
)

// Every field of a site that people write, with the exact sentence when it is refused.
func TestSiteBodiesThatAreRefused(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	path := sitesPath(s, "/"+createSite(t, s).ID)
	before := string(s.Get(path).Body)
	const wrap = `site must be an object that contains the fields, as in {"site": {"url": "https://shop.example.org/health"}}`
	const places = "locations must be some of Virginia, Oregon, Frankfurt, Singapore, London"
	inside := func(fields string) string { return `{"site":{"url":"https://shop.example.test",` + fields + `}}` }
	long := func(n int) string { return strings.Repeat("ö", n) }
	for body, want := range map[string]string{
		`{"url":"https://shop.example.test"}`: wrap,
		`{"site":null}`:                       wrap,
		`{"site":[]}`:                         "site must be an object",

		`{"site":{"url":""}}`:                                                 "url can't be blank",
		`{"site":{"url":null}}`:                                               "url can't be blank",
		`{"site":{"url":[7]}}`:                                                "url must be a string",
		`{"site":{"url":"shop.example.test"}}`:                                "url must be a URL that starts with http://, https:// or tcp://",
		`{"site":{"url":"ftp://shop.example.test"}}`:                          "url must be a URL that starts with http://, https:// or tcp://",
		`{"site":{"url":"https:shop.example.test"}}`:                          "url must be a URL that starts with http://, https:// or tcp://",
		`{"site":{"url":"https://[::1"}}`:                                     "url is not a valid URL; write it like https://shop.example.org",
		`{"site":{"url":"https:///health"}}`:                                  "url must name a host, such as https://shop.example.org",
		`{"site":{"url":"https://shop.example.test/ "}}`:                      "url must not contain spaces; write one as %20",
		`{"site":{"url":"http://.."}}`:                                        "url must name a host with something between its dots, such as shop.example.org",
		`{"site":{"url":"http://a..b/"}}`:                                     "url must name a host with something between its dots, such as shop.example.org",
		`{"site":{"url":"http://-/"}}`:                                        "url must name a host whose parts are more than hyphens, such as shop.example.org",
		`{"site":{"url":"http://` + strings.Repeat("a", 64) + `.test/"}}`:     "url must name a host with at most 63 characters between its dots",
		`{"site":{"url":"http://` + strings.Repeat("a.", 127) + `test/"}}`:    "url must name a host of at most 253 characters",
		`{"site":{"url":"https://shop.test:70000"}}`:                          "url must have no port, or one from 1 to 65535",
		`{"site":{"url":"https://x.test/` + strings.Repeat("a", 2000) + `"}}`: "url is too long (maximum is 2000 characters)",

		inside(`"name":[7]`):                                                           "name must be a string",
		inside(`"name":"a\tb"`):                                                        "name must not contain control characters",
		inside(`"name":"` + long(256) + `"`):                                           "name is too long (maximum is 255 characters)",
		inside(`"frequency":2`):                                                        "frequency is not included in the list: 1, 5, 15",
		inside(`"frequency":"five"`):                                                   "frequency must be an integer",
		inside(`"frequency":1,"timeout":31`):                                           "timeout must be from 1 to 30 seconds, half of the frequency",
		inside(`"frequency":5,"timeout":121`):                                          "timeout must be from 1 to 120 seconds",
		inside(`"frequency":15,"timeout":0`):                                           "timeout must be from 1 to 120 seconds",
		inside(`"timeout":1.5`):                                                        "timeout must be an integer",
		inside(`"match_type":"jmespath"`):                                              "match_type is not included in the list: success, exact, include, exclude",
		inside(`"match_type":[1]`):                                                     "match_type must be a string",
		inside(`"match_type":"include"`):                                               "match can't be blank when match_type is include",
		inside(`"match_type":"exclude","match":null`):                                  "match can't be blank when match_type is exclude",
		inside(`"match_type":"exact","match":"OK"`):                                    "match must be a status code from 100 to 999 when match_type is exact",
		inside(`"match_type":"exact","match":[200]`):                                   "match must be a string",
		inside(`"match":"` + long(256) + `"`):                                          "match is too long (maximum is 255 characters)",
		inside(`"match_type":"include","match":[200]`):                                 "match must be a string",
		inside(`"match_type":"x","match":[200]`):                                       "match must be a string; match_type is not included in the list: success, exact, include, exclude",
		inside(`"request_method":"HEAD"`):                                              "request_method is not included in the list: GET, POST, PUT, PATCH, DELETE",
		inside(`"request_method":"get"`):                                               "request_method is not included in the list: GET, POST, PUT, PATCH, DELETE",
		inside(`"request_method":[]`):                                                  "request_method must be a string",
		inside(`"request_body":{}`):                                                    "request_body must be a string",
		inside(`"request_body":"` + long(16385) + `"`):                                 "request_body is too long (maximum is 32768 bytes)",
		inside(`"request_headers":{"A":"b"}`):                                          "request_headers must be an array of objects, each member of the right type",
		inside(`"request_headers":[{"key":"A","value":1}]`):                            "request_headers must be an array of objects, each member of the right type",
		inside(`"request_headers":[null]`):                                             "request_headers[0] key can't be blank",
		inside(`"request_headers":[{"key":"A","value":"b"},{"key":"A b","value":""}]`): "request_headers[1] key \"A b\" must be letters, digits and !#$%&'*+-.^_`|~ alone",
		inside(`"request_headers":[{"key":"Content-Length","value":"1"}]`):             "request_headers[0] key must not be Content-Length, which belongs to the connection that each check opens anew",
		inside(`"request_headers":[{"key":"A","value":"b\r\nC: d"}]`):                  "request_headers[0] value must not contain line breaks or other control characters",
		inside(`"request_headers":[{"key":"host","value":"a/b"}]`):                     "request_headers[0] value must be a host name with an optional port, because the key is Host",
		inside(`"request_headers":[{"key":"A","value":"` + long(2048) + `"}]`):         "request_headers[0] is too long (maximum is 4096 bytes for key and value)",
		inside(`"request_headers":[` + strings.Repeat(`{"key":"A","value":""},`, 50) + `{"key":"A","value":""}]`): "request_headers are too many (maximum is 50)",
		inside(`"locations":"London"`):      "locations must be an array of strings",
		inside(`"locations":[{}]`):          "locations must be an array of strings",
		inside(`"locations":["us-east"]`):   places + `; "us-east" is none of them`,
		inside(`"locations":["London",""]`): places + `; "" is none of them`,
		inside(`"validate_ssl":"true"`):     "validate_ssl must be true or false",
		inside(`"active":1`):                "active must be true or false",
		inside(`"outage_threshold":0`):      "outage_threshold must be from 1 to 100, or null",
		inside(`"outage_threshold":101`):    "outage_threshold must be from 1 to 100, or null",
		inside(`"outage_threshold":"x"`):    "outage_threshold must be an integer",
		inside(`"frequency":7,"match_type":"x","locations":["x"],"active":null,"timeout":true`): places + `; "x" is none of them; ` +
			"timeout must be an integer; frequency is not included in the list: 1, 5, 15; match_type is not included in the list: success, exact, include, exclude",
	} {
		for _, r := range []*setttest.Response{s.Post(sitesPath(s, ""), body), s.Put(path, body)} {
			if text := r.Want(http.StatusUnprocessableEntity).Errors(); text != "Please correct: "+want+"." {
				t.Errorf("%.200s:\ngot  %s\nwant %s", body, text, want)
			}
		}
	}
	for _, body := range []string{`{"site":{}}`, `{"site":{"name":"x"}}`} {
		if text := s.Post(sitesPath(s, ""), body).Want(http.StatusUnprocessableEntity).Errors(); text != "Please correct: url can't be blank." {
			t.Errorf("%s: %s", body, text)
		}
	}
	s.Post(sitesPath(s, ""), `{"site":`).Want(http.StatusBadRequest)
	if after := string(s.Get(path).Body); after != before {
		t.Errorf("a refused body left its mark: %s", after)
	}
	if ids, _ := idsOf(s, sitesPath(s, "")); len(ids) != 1 {
		t.Errorf("a refused body made a site: %v", ids)
	}
	s.Put(path, `{"site":{}}`).Want(http.StatusNoContent)
}

// What is at its bounds is taken.
func TestSiteBodiesAtTheirBounds(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	headers := strings.TrimSuffix(strings.Repeat(`{"key":"A","value":"`+strings.Repeat("a", 600)+`"},`, 50), ",")
	for _, fields := range []string{
		`"url":"https://x.test/` + strings.Repeat("a", 1985) + `"`,
		`"url":"http://127.0.0.1:65535"`, `"url":"http://a_b.-c.test./"`, `"url":"HTTPS://[::1]:1/?a#b"`, `"url":"https://ann:open@bücher.example.test/%20"`,
		`"url":"https://x.test","name":"` + strings.Repeat("ö", 255) + `","match":"` + strings.Repeat("ö", 255) + `"`,
		`"url":"https://x.test","name":"","frequency":15,"timeout":120`, `"url":"https://x.test","frequency":1,"timeout":30`,
		`"url":"https://x.test","timeout":1,"outage_threshold":100`, `"url":"https://x.test","match_type":"exact","match":"599","outage_threshold":1`,
		`"url":"https://x.test","request_body":"` + strings.Repeat("a", 32768) + `","request_method":"DELETE"`,
		`"url":"https://x.test","request_headers":[` + headers + `]`,
		`"url":"https://x.test","locations":["Virginia","Oregon","Frankfurt","Singapore","London"]`,
	} {
		s.Post(sitesPath(s, ""), `{"site":{`+fields+`}}`).Want(http.StatusCreated)
	}
}
