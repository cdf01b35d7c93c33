package app_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/app"
	"sett/internal/sett/accounts"
)

// Probes and scrapers of operators call some routes every second, which fills no log; only the figures need more than the address.
func TestFlagsOfSystemRoutes(t *testing.T) {
	t.Parallel()
	got := map[string]string{}
	for _, rt := range app.SystemRoutes() {
		if rt.Raw || rt.NoHead || rt.Reads {
			t.Errorf("%s %s: %+v", rt.Method, rt.Path, rt)
		}
		who := "only some"
		if rt.Permission == accounts.Public {
			who = "everyone"
		}
		got[rt.Method+" "+rt.Path] = fmt.Sprintf("%s, quiet %t, also %v", who, rt.Quiet, rt.Also)
		if rt.Permission != accounts.Public && rt.Permission != accounts.ReadFigures {
			t.Errorf("%s %s needs %v", rt.Method, rt.Path, rt.Permission)
		}
	}
	want := map[string]string{
		"GET /.well-known/security.txt": "everyone, quiet true, also []",
		"GET /healthz":                  "everyone, quiet true, also []",
		"GET /readyz":                   "everyone, quiet true, also [503]",
		"GET /readyz/reports":           "everyone, quiet true, also [503]",
		"GET /metrics":                  "only some, quiet true, also []",
		"GET /openapi.json":             "everyone, quiet false, also []",
		"GET /docs/api":                 "everyone, quiet false, also []",
		"GET /docs/api/{resource}":      "everyone, quiet false, also []",
		"GET /docs/as-code/schema.json": "everyone, quiet false, also []",
		"GET /docs/export/schema.json":  "everyone, quiet false, also []",
		"GET /docs/webhooks":            "everyone, quiet false, also []",
		"GET /docs/webhooks/{file}":     "everyone, quiet false, also []",
		"GET /docs/webhooks/v3":         "everyone, quiet false, also []",
		"GET /docs/webhooks/v3/{file}":  "everyone, quiet false, also []",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("routes (-want +got):\n%s", diff)
	}
}
