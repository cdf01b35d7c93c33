package clients

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"sett/e2e/rig"
	"sett/internal/setttest/program"
)

// Clients with a DSN or an endpoint, jobs, agents and tools work below a path, whether or not the proxy removes it.
func TestClientsBelowAPath(t *testing.T) {
	t.Parallel()
	for name, removes := range map[string]bool{"proxy removes the path": true, "path arrives": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, n := rig.StartBelow(t, removes)
			clientsBelow(t, s)
			n.WantNoneStrayed(t)
		})
	}
}

func clientsBelow(t *testing.T, s *rig.Server) {
	m := s.Manage(t)
	e := exporter{"sentry/go", installGo, []string{"bin/exceptions"}, nil, checkSentryGo}
	e.run(t, s, e.installed(t), s.Base)
	e.check(t, s, m)

	m.Do(http.MethodPost, s.Project()+"/check_ins", map[string]any{"check_in": map[string]any{"slug": "backup", "report_period": "1 day"}}, http.StatusCreated)
	job := program.Bounded(rig.Binary, "run", "--server", s.Base, "--check-in", "backup", "--api-key", s.APIKey, "--", "true")
	job.Env = rig.Environment()
	if out, err := job.CombinedOutput(); err != nil {
		t.Errorf("sett run: %v: %s", err, out)
	}
	var got struct {
		State, URL string
		Links      struct{ Self string }
		Results    []struct{ Slug, State, URL string }
	}
	m.Get(s.Project()+"/check_ins", &got)
	if len(got.Results) != 2 || got.Links.Self != s.Base+s.Project()+"/check_ins" || !slices.ContainsFunc(got.Results, func(c struct{ Slug, State, URL string }) bool {
		return c.Slug == "backup" && c.State == "reporting" && strings.HasPrefix(c.URL, s.Base+"/v1/check_in/")
	}) {
		t.Errorf("the check-ins are %+v", got)
	}

	target := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(target.Close)
	agent := s.NewAgent(t, "Frankfurt", &rig.Gate{URL: s.Base})
	agent.Start(t)
	site := m.NewSite(s, target.URL, "Frankfurt")
	rig.Await(t, "the agent's checks arrive", func() bool { return m.Site(s, site.ID).State == "up" })
	agent.Stop(t)
}
