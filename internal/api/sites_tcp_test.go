package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"sett/internal/api"
	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/setttest"
)

const portURL = "tcp://db.example.test:5432"

func TestATCPSite(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		var made, got api.Site
		s.Post(sitesPath(s, ""), withSite(map[string]any{"url": portURL, "frequency": 1, "timeout": 10})).Want(http.StatusCreated).Into(&made)
		if made.URL != portURL || made.Name != portURL || made.Timeout != 10 || made.State != sett.SitePending {
			t.Errorf("made %+v", made)
		}
		path := sitesPath(s, "/"+made.ID)

		// Clients send a site back as they read it.
		s.Put(path, `{"site":`+string(s.Get(path).Body)+`}`).Want(http.StatusNoContent)
		s.Put(path, withSite(map[string]any{"name": "Database", "active": false})).Want(http.StatusNoContent)
		s.Put(path, withSite(map[string]any{"active": true})).Want(http.StatusNoContent)

		live(t, s, checks.Virginia)
		checked(t, s, made, checks.ProbeResult{Up: true, Duration: time.Millisecond, RemoteAddr: "192.0.2.7:5432"})
		if s.Get(path).Into(&got); got.State != sett.SiteUp || got.Name != "Database" {
			t.Errorf("up: %+v", got)
		}
		checked(t, s, made, checks.ProbeResult{Reason: "Connection refused", Duration: time.Millisecond})
		if s.Get(path).Into(&got); got.State != sett.SiteDown {
			t.Errorf("down: %+v", got)
		}
		if body := string(s.Get(path + "/outages").Want(http.StatusOK).Body); !strings.Contains(body, `"reason":"Connection refused"`) {
			t.Errorf("outages %s", body)
		}
		checked(t, s, made, checks.ProbeResult{Up: true, Duration: time.Millisecond})
		if s.Get(path).Into(&got); got.State != sett.SiteUp {
			t.Errorf("up again: %+v", got)
		}
	})
}

func TestTCPSitesThatAreRefused(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	shop := sitesPath(s, "/"+createSite(t, s).ID)
	s.Put(shop, withSite(map[string]any{"request_method": "POST", "validate_ssl": false})).Want(http.StatusNoContent)
	const unused = " must be left at the default because a TCP check only opens a connection; null resets it"
	inside := func(fields string) string { return `{"site":{"url":"` + portURL + `",` + fields + `}}` }
	for body, want := range map[string]string{
		`{"site":{"url":"tcp://db.example.test"}}`:        "url must have a port, such as tcp://db.example.org:5432",
		`{"site":{"url":"tcp://db.example.test:70000"}}`:  "url must have a port from 1 to 65535",
		`{"site":{"url":"tcp://db.example.test:x"}}`:      "url is not a valid URL; write it like tcp://db.example.org:5432",
		`{"site":{"url":"tcp://db.example.test:1/path"}}`: "url must be only a host and a port, such as tcp://db.example.org:5432, because no data is sent",

		inside(`"match_type":"exact","match":"200"`):         "match" + unused + "; match_type" + unused,
		inside(`"request_method":"POST"`):                    "request_method" + unused,
		inside(`"request_body":"x"`):                         "request_body" + unused,
		inside(`"request_headers":[{"key":"A","value":""}]`): "request_headers" + unused,
		inside(`"validate_ssl":false`):                       "validate_ssl" + unused,
		inside(`"frequency":1,"timeout":31`):                 "timeout must be from 1 to 30 seconds, half of the frequency",
	} {
		if text := s.Post(sitesPath(s, ""), body).Want(http.StatusUnprocessableEntity).Errors(); text != "Please correct: "+want+"." {
			t.Errorf("%s: %s, want %s", body, text, want)
		}
	}
	if text := s.Put(shop, withSite(map[string]any{"url": portURL})).Want(http.StatusUnprocessableEntity).Errors(); text != "Please correct: request_method"+unused+"; validate_ssl"+unused+"." {
		t.Errorf("a site that becomes a TCP site: %s", text)
	}
	s.Put(shop, withSite(map[string]any{"url": portURL, "request_method": nil, "validate_ssl": nil})).Want(http.StatusNoContent)
}
