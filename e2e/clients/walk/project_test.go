//go:build walk

package walk

import (
	"net/http"
	"slices"
	"testing"

	"github.com/oapi-codegen/nullable"

	"sett/e2e/clients/walk/client"
)

func TestProjects(t *testing.T) {
	w := newWalker(t)
	made := w.project("Shop")
	same(t, "made and read", made, must(w.GetProjectWithResponse(w.ctx, made.Id)).JSON200)
	same(t, "account", *account, made.AccountId)

	must(w.UpdateProjectWithResponse(w.ctx, made.Id, client.ProjectBody{Project: client.ProjectChange{
		Name: new("Store"), PurgeDays: nullable.NewNullableWithValue(int64(7)), Language: nullable.NewNullableWithValue(client.ProjectChangeLanguage("golang")),
		SourceUrl: nullable.NewNullableWithValue("https://code.example.test/[sha]/[file]#L[line]"),
	}}))
	changed := must(w.GetProjectWithResponse(w.ctx, made.Id)).JSON200
	if changed.Name != "Store" || changed.PurgeDays != 7 || changed.Language.MustGet() != "golang" ||
		changed.SourceUrl != "https://code.example.test/[sha]/[file]#L[line]" || changed.Token != made.Token {
		t.Errorf("the changed project is %+v", changed)
	}
	must(w.UpdateProjectWithResponse(w.ctx, made.Id, client.ProjectBody{Project: client.ProjectChange{
		PurgeDays: nullable.NewNullNullable[int64](), Language: nullable.NewNullNullable[client.ProjectChangeLanguage](),
	}}))
	reset := must(w.GetProjectWithResponse(w.ctx, made.Id)).JSON200
	if reset.PurgeDays != made.PurgeDays || !reset.Language.IsNull() || reset.Name != "Store" {
		t.Errorf("after null the project is %+v", reset)
	}

	listed := must(w.ListProjectsWithResponse(w.ctx, &client.ListProjectsParams{AccountId: account})).JSON200.Results
	if !slices.ContainsFunc(listed, func(p client.Project) bool { return p.Id == made.Id && p.Name == "Store" }) {
		t.Errorf("the project is not in the list %+v", listed)
	}
	same(t, "project of a key", made.Id, must(w.GetProjectOfKeyWithResponse(w.ctx, made.Token)).JSON200.Project.Id)

	must(w.DeleteProjectWithResponse(w.ctx, made.Id))
	_, err := w.GetProjectWithResponse(w.ctx, made.Id)
	w.refused(http.StatusNotFound, err)
}

func TestEnvironments(t *testing.T) {
	w := newWalker(t)
	p := w.project("Weather")
	var body client.CreateEnvironmentBody
	body.Environment.Name = "staging"
	body.Environment.Notifications = nullable.NewNullableWithValue(false)
	made := must(w.CreateEnvironmentWithResponse(w.ctx, p.Id, body)).JSON201
	if made.Name != "staging" || made.Notifications || made.ProjectId != p.Id {
		t.Fatalf("the environment is %+v", made)
	}
	must(w.UpdateEnvironmentWithResponse(w.ctx, p.Id, made.Id, client.EnvironmentBody{Environment: client.EnvironmentChange{
		Name: new("preview"), Notifications: nullable.NewNullNullable[bool](),
	}}))
	changed := must(w.GetEnvironmentWithResponse(w.ctx, p.Id, made.Id)).JSON200
	if changed.Name != "preview" || !changed.Notifications {
		t.Errorf("the changed environment is %+v, want preview, and notifications by default", changed)
	}
	same(t, "list", []client.Environment{*changed}, must(w.ListEnvironmentsWithResponse(w.ctx, p.Id, nil)).JSON200.Results)
	same(t, "environments of the project", []string{"preview"}, must(w.GetProjectWithResponse(w.ctx, p.Id)).JSON200.Environments)

	must(w.DeleteEnvironmentWithResponse(w.ctx, p.Id, made.Id))
	_, err := w.GetEnvironmentWithResponse(w.ctx, p.Id, made.Id)
	w.refused(http.StatusNotFound, err)
}

func TestProjectKeys(t *testing.T) {
	w := newWalker(t)
	p := w.project("Keys")
	made := must(w.CreateProjectKeyWithResponse(w.ctx, p.Id, client.ProjectKeyBody{Key: client.ProjectKeyChange{Label: nullable.NewNullableWithValue("Web")}})).JSON201
	same(t, "project of a new key", p.Id, must(w.GetProjectOfKeyWithResponse(w.ctx, made.Key)).JSON200.Project.Id)
	must(w.UpdateProjectKeyWithResponse(w.ctx, p.Id, made.Id, client.ProjectKeyBody{Key: client.ProjectKeyChange{
		Label: nullable.NewNullableWithValue("Shop"), Scope: nullable.NewNullableWithValue(client.ProjectKeyChangeScope("notices")),
	}}))
	changed := must(w.GetProjectKeyWithResponse(w.ctx, p.Id, made.Id)).JSON200
	same(t, "label", "Shop", changed.Label.MustGet())
	same(t, "scope", "notices", string(changed.Scope))
	same(t, "number of keys", 2, len(must(w.ListProjectKeysWithResponse(w.ctx, p.Id, nil)).JSON200.Results))
	must(w.DeleteProjectKeyWithResponse(w.ctx, p.Id, made.Id))
	_, err := w.GetProjectKeyWithResponse(w.ctx, p.Id, made.Id)
	w.refused(http.StatusNotFound, err)
}

func TestDeploys(t *testing.T) {
	w := newWalker(t)
	p := w.project("Harbour")
	for _, environment := range []string{"production", "staging"} {
		recorded := must(w.ReportDeployWithResponse(w.ctx, nil, client.DeployBody{Deploy: &client.DeployPart{
			Environment: &environment, Revision: new("abc123"), Repository: new("git@example.test:harbour"), LocalUsername: new("ada"),
		}}, withKey(p.Token))).JSON201
		same(t, "status", "OK", string(recorded.Status))
	}
	listed := must(w.ListDeploysWithResponse(w.ctx, p.Id, &client.ListDeploysParams{Environment: new("staging")})).JSON200.Results
	if len(listed) != 1 {
		t.Fatalf("the deploys to staging are %+v, want one", listed)
	}
	deploy := listed[0]
	want := client.Deploy{
		Id: deploy.Id, ProjectId: p.Id, CreatedAt: deploy.CreatedAt, Environment: "staging", Revision: "abc123",
		Repository: "git@example.test:harbour", LocalUsername: "ada",
	}
	released := must(w.ListReleasesWithResponse(w.ctx, p.Id, nil)).JSON200.Results
	if len(released) != 1 || released[0].Version != "abc123" || released[0].Verdict.State != "first" {
		t.Errorf("the releases are %+v, want one", released)
	}
	same(t, "deploys of the release", 2, len(must(w.GetReleaseWithResponse(w.ctx, p.Id, "abc123")).JSON200.Deploys))
	same(t, "deploy", want, *must(w.GetDeployWithResponse(w.ctx, p.Id, deploy.Id)).JSON200)
	must(w.DeleteDeployWithResponse(w.ctx, p.Id, deploy.Id))
	_, err := w.GetDeployWithResponse(w.ctx, p.Id, deploy.Id)
	w.refused(http.StatusNotFound, err)
	same(t, "deploys that remain", 1, len(must(w.ListDeploysWithResponse(w.ctx, p.Id, nil)).JSON200.Results))
}

func TestForwarding(t *testing.T) {
	w := newWalker(t)
	p := w.project("Forwarding")
	change := client.ForwardingChange{Address: nullable.NewNullableWithValue("https://examplePublicKey@sentry.example.org/42"), Days: nullable.NewNullableWithValue(int64(7))}
	must(w.SetForwardingWithResponse(w.ctx, p.Id, client.ForwardingBody{Forwarding: change}))
	if read := must(w.GetForwardingWithResponse(w.ctx, p.Id)).JSON200.Forwarding; read.Address != "https://sentry.example.org/42" || !read.Active {
		t.Errorf("%+v", read)
	}
	must(w.StopForwardingWithResponse(w.ctx, p.Id))
}

func TestGrouping(t *testing.T) {
	w := newWalker(t)
	p := w.project("Grouped")
	change := client.GroupingChange{Rules: nullable.NewNullableWithValue("# none yet")}
	must(w.UpdateGroupingWithResponse(w.ctx, p.Id, client.GroupingBody{Grouping: change}))
	same(t, "rules", "# none yet", must(w.GetGroupingWithResponse(w.ctx, p.Id)).JSON200.Grouping.Rules)
}

func TestOwnership(t *testing.T) {
	w := newWalker(t)
	p := w.project("Owned")
	must(w.UpdateOwnershipWithResponse(w.ctx, p.Id, client.OwnershipBody{Ownership: client.OwnershipChange{Rules: nullable.NewNullableWithValue("/app/ ines@example.org")}}))
	read := must(w.GetOwnershipWithResponse(w.ctx, p.Id)).JSON200.Ownership
	same(t, "rules", "/app/ ines@example.org", read.Rules)
	same(t, "owners that are not known", []string{"ines@example.org"}, read.UnknownOwners)
}

func TestScrubbing(t *testing.T) {
	w := newWalker(t)
	p := w.project("Scrubbed")
	names := []string{"vat_id"}
	must(w.UpdateScrubbingWithResponse(w.ctx, p.Id, client.ScrubbingBody{Scrubbing: client.ScrubbingChange{Names: nullable.NewNullableWithValue(names)}}))
	read := must(w.GetScrubbingWithResponse(w.ctx, p.Id)).JSON200.Scrubbing
	same(t, "names", names, read.Names)
	same(t, "enabled", true, read.Enabled)
}

func TestSourceMaps(t *testing.T) {
	w := newWalker(t)
	p := w.project("Minified")
	same(t, "source maps", 0, len(must(w.ListSourceMapsWithResponse(w.ctx, p.Id, nil)).JSON200.Results))
	_, err := w.DeleteSourceMapsWithResponse(w.ctx, p.Id, &client.DeleteSourceMapsParams{Revision: new("1")})
	w.refused(http.StatusNotFound, err)
	_, err = w.DeleteSourceMapWithResponse(w.ctx, p.Id, 1)
	w.refused(http.StatusNotFound, err)
}

func TestInsights(t *testing.T) {
	w := newWalker(t)
	p := w.project("Queried")
	query := "stats count() as n"
	read := must(w.QueryInsightsWithResponse(w.ctx, p.Id, client.InsightQuery{Query: query})).JSON200
	same(t, "rows", 1, len(read.Results))
	same(t, "columns", []string{"n"}, read.Meta.Fields)
}

func TestErasures(t *testing.T) {
	w := newWalker(t)
	p := w.project("Forgetful")
	var body client.CreateErasureBody
	body.Erasure.User = "ines@example.test"
	made := must(w.CreateErasureWithResponse(w.ctx, p.Id, body)).JSON201
	if made == nil || made.User != "i…@example.test" || made.NoticesCount != 0 || made.ProjectId != p.Id {
		t.Fatalf("the erasure is %+v", made)
	}
	read := must(w.GetErasureWithResponse(w.ctx, p.Id, made.Id)).JSON200
	same(t, "read", made.Id, read.Id)
	same(t, "listed", 1, len(must(w.ListErasuresWithResponse(w.ctx, p.Id, nil)).JSON200.Results))
}
