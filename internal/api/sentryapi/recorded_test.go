package sentryapi_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"sett/internal/setttest"
	"sett/internal/setttest/recording"
)

// want is the status with which each recorded request of the tools is answered.
func want(c recording.Capture) int {
	switch {
	case c.Method == http.MethodPost && (strings.HasSuffix(c.Target, "/deploys/") || strings.HasSuffix(c.Target, "/releases/")):
		return http.StatusCreated
	default:
		return http.StatusOK
	}
}

// The plugins upload with the requests that were recorded, and a notice of the build finds its map by its debug id.
func TestRecordedBuilds(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		for client, debugID := range map[string]string{
			"sentry-webpack-plugin": "8b8bcbe7-6a9a-4295-a0d9-026da186b79f", "sentry-vite-plugin": "d8f1a263-94db-4288-9abb-fd7baec79f55",
		} {
			var states []any
			s.Clock.Push(1)
			for _, c := range recording.Captures(t, client) {
				got := ask(t, s, s.Token, c.Method, c.Target, c.Header.Get("Content-Type"), c.Body)
				status := want(c)
				if client == "sentry-vite-plugin" && got.status == http.StatusOK {
					status = http.StatusOK // the release may be there already
				}
				if got.status != status && !(got.status == http.StatusOK && strings.HasSuffix(c.Target, "/releases/")) {
					t.Errorf("%s %s: status %d %s, want %d", c.Name, c.Target, got.status, got.body, status)
				}
				if strings.HasSuffix(c.Target, "/assemble/") {
					var said map[string]any
					if err := json.Unmarshal(got.body, &said); err != nil {
						t.Fatal(err)
					}
					states = append(states, said["state"])
				}
			}
			if len(states) != 2 || states[0] != "not_found" || states[1] != "ok" {
				t.Errorf("%s: the states are %v", client, states)
			}
			found, ok, err := s.App.Store().SourceMaps.Find(t.Context(), s.Setup.ProjectID, debugID, "", "")
			if err != nil || !ok || found.Revision != "shop@1.2.3" || found.Sources != 2 || found.Contained != 2 {
				t.Errorf("%s: found %t %+v %v", client, ok, found, err)
			}
		}
	})
}

// sentry-cli's requests are answered as it needs them, in the order in which it sends them.
func TestRecordedCommands(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	for _, c := range recording.Captures(t, "sentry-cli") {
		if !strings.HasPrefix(c.Target, "/api/0/") {
			continue // with the DSN
		}
		if strings.Contains(c.Name, "/deploys/") {
			call(t, s, "POST", releasesPath, `{"version":"shop@1.2.3","projects":["shop"]}`, http.StatusCreated)
		}
		got := ask(t, s, s.Token, c.Method, c.Target, c.Header.Get("Content-Type"), c.Body)
		if got.status != want(c) && got.status != http.StatusOK {
			t.Errorf("%s %s: status %d %s, want %d", c.Name, c.Target, got.status, got.body, want(c))
		}
	}
	if got := call(t, s, "GET", releasesPath+"shop@1.2.3/", "", http.StatusOK); got["dateReleased"] == nil || got["shortVersion"] != "1.2.3" {
		t.Errorf("the release is %v", got)
	}
}

// Whatever is sent in place of what the tools send, nothing fails on the server.
func TestMutatedRequests(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	for _, client := range []string{"sentry-cli", "sentry-webpack-plugin"} {
		for _, c := range recording.Captures(t, client) {
			if !strings.HasPrefix(c.Target, "/api/0/") || c.Method == http.MethodGet || len(c.Body) == 0 || c.Body[0] != '{' {
				continue
			}
			n := 0
			for doc := range recording.Mutations(t, c.Body) {
				if n++; testing.Short() && n%7 > 0 {
					continue
				}
				got := ask(t, s, s.Token, c.Method, c.Target, "application/json", doc)
				if got.status >= 500 || got.status >= 400 && !strings.HasPrefix(string(got.body), `{"detail":"`) {
					t.Fatalf("%s: status %d %s to %.300q", c.Name, got.status, got.body, doc)
				}
			}
		}
	}
}
