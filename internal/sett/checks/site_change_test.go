package checks

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
)

func siteChange(t *testing.T, body string) (c SiteChange) {
	t.Helper()
	if err := json.Unmarshal([]byte(body), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestSiteChangeApplies(t *testing.T) {
	t.Parallel()
	have := SiteSettings{
		Name: "Shop", Frequency: 15, Locations: []Location{London}, OutageThreshold: 3,
		ProbeRequest: ProbeRequest{
			URL: "https://shop.test", MatchType: MatchInclude, Match: "fine", Method: "POST", Body: "{}", Headers: []ProbeHeader{{"X-A", "1"}},
			Timeout: time.Minute,
		},
	}
	with := func(f func(*SiteSettings)) SiteSettings { s := have; f(&s); return s }
	fresh := NewSiteSettings()
	fresh.Name, fresh.URL = "https://shop.test", "https://shop.test"
	long := "https://shop.test/" + strings.Repeat("ö", 400)
	for body, want := range map[string]SiteSettings{
		`{}`:               have,
		`{"colour":"red"}`: have,
		`{"name":" Q&A "}`: with(func(s *SiteSettings) { s.Name = "Q&A" }),
		`{"name":null}`:    with(func(s *SiteSettings) { s.Name = "https://shop.test" }),
		`{"name":"  "}`:    with(func(s *SiteSettings) { s.Name = "https://shop.test" }),
		`{"url":"HTTP://user:pw@[::1]:8080/x?y=%20#z"}`: with(func(s *SiteSettings) { s.URL = "HTTP://user:pw@[::1]:8080/x?y=%20#z" }),
		`{"name":null,"url":"` + long + `"}`:            with(func(s *SiteSettings) { s.URL, s.Name = long, string([]rune(long)[:255]) }),
		`{"frequency":5}`:                               with(func(s *SiteSettings) { s.Frequency = 5 }),
		`{"frequency":null}`:                            with(func(s *SiteSettings) { s.Frequency = 5 }),
		`{"frequency":1,"timeout":null}`:                with(func(s *SiteSettings) { s.Frequency, s.Timeout = 1, 30*time.Second }),
		`{"timeout":120}`:                               with(func(s *SiteSettings) { s.Timeout = 2 * time.Minute }),
		`{"timeout":1}`:                                 with(func(s *SiteSettings) { s.Timeout = time.Second }),
		`{"match_type":"exact","match":"204"}`:          with(func(s *SiteSettings) { s.MatchType, s.Match = MatchExact, "204" }),
		`{"match_type":"exclude"}`:                      with(func(s *SiteSettings) { s.MatchType = MatchExclude }),
		`{"match_type":null,"match":null}`:              with(func(s *SiteSettings) { s.MatchType, s.Match = MatchSuccess, "" }),
		`{"match_type":"success"}`:                      with(func(s *SiteSettings) { s.MatchType = MatchSuccess }),
		`{"match":"` + strings.Repeat("ö", 255) + `"}`:  with(func(s *SiteSettings) { s.Match = strings.Repeat("ö", 255) }),
		`{"request_method":"DELETE"}`:                   with(func(s *SiteSettings) { s.Method = "DELETE" }),
		`{"request_method":null,"request_body":null,"request_headers":null}`: with(func(s *SiteSettings) {
			s.Method, s.Body, s.Headers = "GET", "", nil
		}),
		`{"request_headers":[{"key":"Host","value":"x.test:81"},{"key":"X-Tab","value":"a\tb"},{"key":"X-Empty"}]}`: with(func(s *SiteSettings) {
			s.Headers = []ProbeHeader{{"Host", "x.test:81"}, {"X-Tab", "a\tb"}, {"X-Empty", ""}}
		}),
		`{"locations":["Oregon","London","Oregon"]}`: with(func(s *SiteSettings) { s.Locations = []Location{Oregon, London} }),
		`{"locations":[]}`:                           with(func(s *SiteSettings) { s.Locations = nil }),
		`{"locations":null}`:                         with(func(s *SiteSettings) { s.Locations = nil }),
		`{"outage_threshold":null}`:                  with(func(s *SiteSettings) { s.OutageThreshold = 0 }),
		`{"outage_threshold":100}`:                   with(func(s *SiteSettings) { s.OutageThreshold = 100 }),
		`{"active":true,"validate_ssl":true}`:        with(func(s *SiteSettings) { s.Active, s.ValidateSSL = true, true }),
		`{"active":null,"validate_ssl":null}`:        with(func(s *SiteSettings) { s.Active, s.ValidateSSL = true, true }),
	} {
		got, err := siteChange(t, body).Apply(have)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", body, err, diff)
		}
	}
	got, err := siteChange(t, `{"url":"https://shop.test"}`).Apply(NewSiteSettings())
	if diff := cmp.Diff(fresh, got); diff != "" || err != nil {
		t.Errorf("made: %v (-want +got):\n%s", err, diff)
	}
	moved, err := siteChange(t, `{"url":"https://new.test"}`).Apply(fresh)
	if err != nil || moved.Name != "https://new.test" {
		t.Errorf("a name that no user chose: %q, %v", moved.Name, err)
	}
}

func TestSiteChangeRefuses(t *testing.T) {
	t.Parallel()
	have := NewSiteSettings()
	have.Name, have.URL = "Shop", "https://shop.test"
	header := func(key, value string) string {
		return fmt.Sprintf(`{"request_headers":[{"key":"X-A"},{"key":%q,"value":%q}]}`, key, value)
	}
	const status = "match must be a status code from 100 to 999 when match_type is exact"
	const kinds = "match_type is not included in the list: success, exact, include, exclude"
	for body, want := range map[string]string{
		`{"name":[7]}`: "name must be a string",
		`{"name":"` + strings.Repeat("ö", 256) + `"}`: "name is too long (maximum is 255 characters)",
		`{"name":"a\nb"}`:                  "name must not contain control characters",
		`{"url":null}`:                     "url can't be blank",
		`{"url":""}`:                       "url can't be blank",
		`{"url":[7]}`:                      "url must be a string",
		`{"url":"shop.test"}`:              "url must be a URL that starts with http:// or https://",
		`{"url":"ftp://shop.test"}`:        "url must be a URL that starts with http:// or https://",
		`{"url":"http:shop.test"}`:         "url must be a URL that starts with http:// or https://",
		`{"url":"http://%zz"}`:             "url is not a valid URL; write it like https://shop.example.org",
		`{"url":"http://"}`:                "url must name a host, such as https://shop.example.org",
		`{"url":"http://:80/"}`:            "url must name a host, such as https://shop.example.org",
		`{"url":"http://shop.test:0"}`:     "url must have no port, or one from 1 to 65535",
		`{"url":"http://shop.test:65536"}`: "url must have no port, or one from 1 to 65535",
		`{"url":"http://shop.test:"}`:      "url must have no port, or one from 1 to 65535",
		`{"url":"http://shop.test/a b"}`:   "url must not contain spaces; write one as %20",
		`{"url":"http://x.test/` + strings.Repeat("a", 2000) + `"}`: "url is too long (maximum is 2000 characters)",
		`{"frequency":2}`:                                          "frequency is not included in the list: 1, 5, 15",
		`{"frequency":0}`:                                          "frequency is not included in the list: 1, 5, 15",
		`{"frequency":"five"}`:                                     "frequency must be an integer",
		`{"frequency":1,"timeout":31}`:                             "timeout must be from 1 to 30 seconds, half of the frequency",
		`{"timeout":121}`:                                          "timeout must be from 1 to 120 seconds",
		`{"timeout":0}`:                                            "timeout must be from 1 to 120 seconds",
		`{"timeout":18446744104}`:                                  "timeout must be from 1 to 120 seconds", // in nanoseconds, 64 bits of it would be 30 s
		`{"timeout":-1}`:                                           "timeout must be from 1 to 120 seconds",
		`{"match_type":"jmespath"}`:                                kinds,
		`{"match_type":"any"}`:                                     kinds,
		`{"match_type":"exact"}`:                                   status,
		`{"match_type":"exact","match":"99"}`:                      status,
		`{"match_type":"exact","match":"1000"}`:                    status,
		`{"match_type":"exact","match":"+20"}`:                     status,
		`{"match_type":"exact","match":"ok"}`:                      status,
		`{"match_type":"include"}`:                                 "match can't be blank when match_type is include",
		`{"match_type":"exclude","match":null}`:                    "match can't be blank when match_type is exclude",
		`{"match":"` + strings.Repeat("ö", 256) + `"}`:             "match is too long (maximum is 255 characters)",
		`{"match":[204]}`:                                          "match must be a string",
		`{"request_method":"HEAD"}`:                                "request_method is not included in the list: GET, POST, PUT, PATCH, DELETE",
		`{"request_method":"get"}`:                                 "request_method is not included in the list: GET, POST, PUT, PATCH, DELETE",
		`{"request_body":"` + strings.Repeat("a", 32<<10+1) + `"}`: "request_body is too long (maximum is 32768 bytes)",
		`{"request_body":"a\u0000"}`:                               "request_body must not contain the character U+0000",
		`{"request_headers":{"X-A":"1"}}`:                          "request_headers must be an array of objects, each member of the right type",
		`{"request_headers":[{"key":1}]}`:                          "request_headers must be an array of objects, each member of the right type",
		`{"request_headers":[` + strings.Repeat(`{"key":"X"},`, 50) + `{"key":"X"}]}`: "request_headers are too many (maximum is 50)",
		header("", "1"):                             "request_headers[1] key can't be blank",
		header("X A", "1"):                          `request_headers[1] key "X A" must be letters, digits and !#$%&'*+-.^_` + "`|~ alone",
		header("Content-Length", "1"):               "request_headers[1] key must not be Content-Length, which belongs to the connection that each check opens anew",
		header("X-B", "1\r\nX-C: 2"):                "request_headers[1] value must not contain line breaks or other control characters",
		header("host", "a b"):                       "request_headers[1] value must be a host name with an optional port, because the key is Host",
		header("X-B", strings.Repeat("a", 4<<10)):   "request_headers[1] is too long (maximum is 4096 bytes for key and value)",
		`{"locations":["us-east"]}`:                 `locations must be some of Virginia, Oregon, Frankfurt, Singapore, London; "us-east" is none of them`,
		`{"locations":["london"]}`:                  `locations must be some of Virginia, Oregon, Frankfurt, Singapore, London; "london" is none of them`,
		`{"locations":"London"}`:                    "locations must be an array of strings",
		`{"locations":[{}]}`:                        "locations must be an array of strings",
		`{"outage_threshold":0}`:                    "outage_threshold must be from 1 to 100, or null",
		`{"outage_threshold":-1}`:                   "outage_threshold must be from 1 to 100, or null",
		`{"outage_threshold":101}`:                  "outage_threshold must be from 1 to 100, or null",
		`{"outage_threshold":"all"}`:                "outage_threshold must be an integer",
		`{"active":"yes"}`:                          "active must be true or false",
		`{"validate_ssl":1}`:                        "validate_ssl must be true or false",
		`{"url":"","frequency":3,"match_type":"x"}`: "url can't be blank; frequency is not included in the list: 1, 5, 15; " + kinds,
	} {
		_, err := siteChange(t, body).Apply(have)
		if want := "Please correct: " + want + "."; err == nil || err.Error() != want || sett.CodeOf(err) != sett.Invalid {
			t.Errorf("%.100s: %v, want %s", body, err, want)
		}
	}
}

func TestWhatRetargets(t *testing.T) {
	t.Parallel()
	have := NewSiteSettings()
	have.Name, have.URL = "Shop", "https://shop.test"
	for body, want := range map[string]bool{
		`{}`:                                   false,
		`{"name":"x"}`:                         false,
		`{"frequency":15}`:                     false,
		`{"locations":["London"]}`:             false,
		`{"outage_threshold":3}`:               false,
		`{"url":"https://x.test"}`:             true,
		`{"match_type":"exclude","match":"x"}`: true,
		`{"request_method":"POST"}`:            true,
		`{"request_body":"x"}`:                 true,
		`{"request_headers":[{"key":"X"}]}`:    true,
		`{"validate_ssl":false}`:               true,
		`{"follow_redirects":true}`:            true,
		`{"timeout":5}`:                        true,
		`{"active":false}`:                     true,
	} {
		s, err := siteChange(t, body).Apply(have)
		if got := s.Retargets(have); err != nil || got != want {
			t.Errorf("%s: %v, want %v (%v)", body, got, want, err)
		}
		if same := s.Equal(have); same != (body == `{}`) {
			t.Errorf("%s: equal is %v", body, same)
		}
	}
}
