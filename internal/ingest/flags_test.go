package ingest

import (
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett/accounts"
)

// What programs report thousands of times a second fills no log; what people or their pipelines do now and then is in it. Each flag of a route is
// easily lost, and nothing else of the route changes then.
func TestFlagsOfRoutes(t *testing.T) {
	t.Parallel()
	in := New(Options{})
	var loud, cooked, public, noHead []string
	for _, rt := range slices.Concat(in.Routes(), in.RoutesOfOthers()) {
		name := rt.Method + " " + rt.Path
		if !rt.Quiet {
			loud = append(loud, name)
		}
		if !rt.Raw && rt.Method == http.MethodPost {
			cooked = append(cooked, name)
		}
		if rt.Permission == accounts.Public && rt.Method != http.MethodOptions {
			public = append(public, name)
		}
		if rt.NoHead {
			noHead = append(noHead, name)
		}
		if rt.Reads || rt.Permission != accounts.Public && rt.Permission != accounts.ReportWithKey {
			t.Errorf("%s reads, or needs %v", name, rt.Permission)
		}
	}
	want := map[string][]string{
		"in the log": {"GET /v1/deploys", "POST /v1/deploys", "POST /v1/deploys/heroku", "POST /v1/source_maps"},
		"JSON only":  nil,
		"without a key": {
			"GET /2020-06-18/config/{project_id}/config.json", "GET /api/push/{token}", "GET /ping/{first}", "GET /ping/{first}/{second}", "GET /ping/{first}/{second}/{third}",
			"GET /v1/check_in/{check_in_id}", "GET /v1/check_in/{key}/{slug}",
			"HEAD /v1/check_in/{check_in_id}", "HEAD /v1/check_in/{key}/{slug}", "POST /api/v5/projects/{project_id}/{statistics}",
			"POST /ping/{first}", "POST /ping/{first}/{second}", "POST /ping/{first}/{second}/{third}",
			"POST /v1/check_in/{check_in_id}", "POST /v1/check_in/{key}/{slug}", "POST /v1/integrations/{integration_id}/webhook",
			"POST /v1/repositories/{repository_id}/webhook", "PUT /api/v5/projects/{project_id}/{statistics}",
		},
		"where HEAD is refused": {"GET /v1/deploys"},
	}
	for _, list := range [][]string{loud, cooked, public, noHead} {
		slices.Sort(list)
	}
	got := map[string][]string{"in the log": loud, "JSON only": cooked, "without a key": public, "where HEAD is refused": noHead}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("routes (-want +got):\n%s", diff)
	}
}
