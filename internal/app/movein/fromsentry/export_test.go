package fromsentry_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/app/movein/fromsentry"
	"sett/internal/sett"
	"sett/internal/sett/move"
)

// exported is an export in the shape of those that Sentry's tests have, with a second organization and models that do not matter.
const exported = `[
{"model":"sentry.option","pk":1,"fields":{"key":"x","value":[1]}},
{"model":"sentry.user","pk":5,"fields":{"username":"ann","email":"Ann@example.org","name":"Ann"}},
{"model":"sentry.organization","pk":1,"fields":{"name":"Acme","slug":"acme","status":0}},
{"model":"sentry.organization","pk":2,"fields":{"name":"Other","slug":"other","status":0}},
{"model":"sentry.organizationmember","pk":3,"fields":{"organization":1,"user_id":5,"email":null,"role":"owner","user_email":null}},
{"model":"sentry.organizationmember","pk":4,"fields":{"organization":1,"user_id":null,"email":"bob@example.org","role":"member","user_email":null}},
{"model":"sentry.organizationmember","pk":6,"fields":{"organization":2,"user_id":null,"email":"eve@example.org","role":"owner"}},
{"model":"sentry.team","pk":1,"fields":{"organization":1,"slug":"devs","name":"Devs","status":0}},
{"model":"sentry.organizationmemberteam","pk":1,"fields":{"team":1,"organizationmember":4,"is_active":true}},
{"model":"sentry.organizationmemberteam","pk":2,"fields":{"team":1,"organizationmember":3,"is_active":false}},
{"model":"sentry.project","pk":7,"fields":{"slug":"shop","name":"Shop","organization":1,"status":0,"platform":"python-django"}},
{"model":"sentry.project","pk":8,"fields":{"slug":"gone","name":"Gone","organization":1,"status":2,"platform":null}},
{"model":"sentry.project","pk":9,"fields":{"slug":"theirs","name":"Theirs","organization":2,"status":0,"platform":null}},
{"model":"sentry.projectteam","pk":1,"fields":{"project":7,"team":1}},
{"model":"sentry.projectkey","pk":1,"fields":{"project":7,"label":"Default","public_key":"A1B2C3D4A1B2C3D4A1B2C3D4A1B2C3D4","secret_key":"s","status":0}},
{"model":"sentry.projectkey","pk":2,"fields":{"project":7,"label":"Old","public_key":"b1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4","secret_key":"s","status":1}},
{"model":"sentry.environment","pk":1,"fields":{"organization_id":1,"name":"production"}},
{"model":"sentry.environment","pk":2,"fields":{"organization_id":1,"name":"old"}},
{"model":"sentry.environmentproject","pk":1,"fields":{"project":7,"environment":1,"is_hidden":null}},
{"model":"sentry.environmentproject","pk":2,"fields":{"project":7,"environment":2,"is_hidden":true}},
{"model":"sentry.projectownership","pk":1,"fields":{"project":7,"raw":"path:src/* #devs"}},
{"model":"sentry.monitor","pk":1,"fields":{"guid":"m-1","slug":"nightly","name":"Nightly","organization_id":1,"project_id":7,"status":0,"is_muted":false,"config":{"schedule_type":1,"schedule":"0 3 * * *","checkin_margin":5}}},
{"model":"sentry.rule","pk":1,"fields":{"project":7,"label":"Tell the devs"}}
]`

// A file of Sentry's export has what its server says, but for errors and events.
func TestExport(t *testing.T) {
	t.Parallel()
	e, err := fromsentry.OpenExport(strings.NewReader(exported), "https://sentry.example.org", "acme")
	if err != nil {
		t.Fatal(err)
	}
	if want := (move.Place{Source: "sentry", Host: "sentry.example.org"}); e.Place() != want {
		t.Errorf("place %+v", e.Place())
	}
	projects, left, err := e.Projects(t.Context())
	want := []move.Project{{
		ID: "7", Slug: "shop", Name: "Shop", Language: "python", Environments: []string{"production"},
		Keys: []move.Key{{Public: "a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4", Label: "Default", Active: true}, {Public: "b1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4", Label: "Old"}},
	}}
	if diff := cmp.Diff(want, projects); err != nil || len(left) > 0 || diff != "" {
		t.Fatalf("%v, left %+v, projects (-want +got):\n%s", err, left, diff)
	}
	teams, members, left, err := e.People(t.Context(), projects)
	wantTeams := []move.Team{{ID: "1", Name: "Devs", Projects: []string{"7"}}}
	wantMembers := []move.Member{{Email: "ann@example.org", Name: "Ann", Role: "owner"}, {Email: "bob@example.org", Role: "member", Teams: []string{"1"}}}
	if diff := cmp.Diff(wantTeams, teams) + cmp.Diff(wantMembers, members); err != nil || len(left) > 0 || diff != "" {
		t.Errorf("%v, left %+v, people (-want +got):\n%s", err, left, diff)
	}
	watched, err := e.Watched(t.Context(), projects[0])
	if err != nil || len(watched.CheckIns) != 1 || watched.CheckIns[0].ID != "m-1" || watched.CheckIns[0].Cron != "0 3 * * *" {
		t.Errorf("watched %+v, %v", watched, err)
	}
	if lines, _, err := e.Owners(t.Context(), projects[0]); err != nil || len(lines) != 1 || lines[0] != "src/* @devs" {
		t.Errorf("owners %q, %v", lines, err)
	}
	page, err := e.Faults(t.Context(), projects[0], "")
	if err != nil || len(page.Faults) > 0 || page.Next != "" {
		t.Errorf("errors %+v, %v", page, err)
	}
	releases, err := e.Releases(t.Context(), projects[0], "")
	if err != nil || len(releases.Releases) > 0 {
		t.Errorf("releases %+v, %v", releases, err)
	}
	rest, err := e.Left(t.Context(), projects)
	if err != nil || len(rest) != 2 || rest[0].Name != "shop: Tell the devs" {
		t.Errorf("left %+v, %v", rest, err)
	}
}

// What is no export is refused with what to do.
func TestFilesThatAreNoExport(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		file, org string
		code      sett.Code
		want      string
	}{
		"no JSON":         {"PK\x03\x04", "acme", sett.Invalid, "--file is no export of Sentry"},
		"an object":       {"{}", "acme", sett.Invalid, "does not begin with ["},
		"cut off":         {exported[:len(exported)/2], "acme", sett.Invalid, "--file is no export of Sentry"},
		"other":           {exported, "acmee", sett.NotFound, `The file has no organization "acmee"; it has: acme, other.`},
		"nothing in it":   {"[]", "acme", sett.NotFound, "it has: none."},
		"odd fields":      {`[{"model":"sentry.organization","pk":1,"fields":[]}]`, "acme", sett.NotFound, "it has: none."},
		"no organization": {exported, "", sett.Invalid, "--org must be the slug"},
	} {
		_, err := fromsentry.OpenExport(strings.NewReader(tt.file), "https://sentry.example.org", tt.org)
		if sett.CodeOf(err) != tt.code || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", name, err, tt.want)
		}
	}
}
