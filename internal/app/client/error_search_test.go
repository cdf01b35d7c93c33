package client_test

import (
	"net/http"
	"testing"
	"time"

	"sett/internal/app/client"
	"sett/internal/setttest"
)

// Errors that came while a person was asked are not resolved: the server's clock counts.
func TestResolveAllLeavesWhatIsNew(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	report := func(class string) {
		t.Helper()
		s.Client.Post("/v1/notices", object{"error": object{"class": class}, "server": object{"environment_name": "production"}}).Want(http.StatusCreated)
	}
	server := client.Server{Address: s.Base, Token: s.Token, Project: s.Setup.ProjectID, Do: func(r *http.Request) (*http.Response, error) {
		response, err := http.DefaultClient.Do(r)
		if err == nil {
			response.Header.Set("Date", s.Clock.Now().UTC().Format(http.TimeFormat))
		}
		return response, err
	}}
	report("Old")
	report("Other")
	match, err := server.Unresolved(t.Context(), "-class:Other")
	if err != nil || match.Count != 1 || match.More {
		t.Fatalf("%+v, %v", match, err)
	}
	s.Clock.Push(5 * time.Second)
	report("New")
	done, err := server.ResolveAll(t.Context(), match, "")
	if err != nil || done.Count != 1 {
		t.Errorf("resolved are %+v, %v", done, err)
	}
	if left, err := server.Unresolved(t.Context(), ""); err != nil || left.Count != 2 {
		t.Errorf("not resolved are %+v, %v", left, err)
	}
}
