package app_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"sett/internal/app"
	"sett/internal/setttest"
)

func TestAskReady(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	_, port, err := net.SplitHostPort(s.App.Addr())
	if err != nil {
		t.Fatal(err)
	}
	if err := app.AskReady(t.Context(), app.Config{Listen: ":" + port}); err != nil {
		t.Errorf("a server that is ready: %v", err)
	}
	for answer, want := range map[string]string{
		`{"ready":false,"checks":{"writes":"disk is full","serving":"ok","database":"is away"}}`: "the server is not ready: database is away; writes disk is full",
		`<html>`: "another server responds at ",
	} {
		other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusServiceUnavailable)
			if _, err := w.Write([]byte(answer)); err != nil {
				t.Error(err)
			}
		}))
		err := app.AskReady(t.Context(), app.Config{Listen: other.Listener.Addr().String()})
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("after %s: %v, want %q", answer, err, want)
		}
		other.Close()
		if err := app.AskReady(t.Context(), app.Config{Listen: other.Listener.Addr().String()}); err == nil || !strings.HasPrefix(err.Error(), "no server answers at ") {
			t.Errorf("after it has stopped: %v", err)
		}
	}
}
