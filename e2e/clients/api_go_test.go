package clients

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	honeybadgerapi "github.com/honeybadger-io/api-go"

	"sett/e2e/rig"
)

// apiGo is the released Go client of the management interface, as the owner of a server of its own.
type apiGo struct {
	*rig.Server
	*honeybadgerapi.Client
	t testing.TB
}

func newAPIGo(t testing.TB) apiGo {
	t.Helper()
	s := rig.Start(t, "")
	return apiGo{s, honeybadgerapi.NewClient().WithBaseURL(s.Base).WithAuthToken(s.AuthToken), t}
}

// read returns what the client read, and ends the test where it could not.
func read[R any](t testing.TB) func(answer R, err error) R {
	return func(answer R, err error) R {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
}

// did ends the test when the client could not do something.
func (a apiGo) did(err error) {
	a.t.Helper()
	if err != nil {
		a.t.Fatal(err)
	}
}

// gone fails the test unless the client says that something does not exist, in sett's words.
func (a apiGo) gone(err error) {
	a.t.Helper()
	refused, ok := errors.AsType[*honeybadgerapi.APIError](err)
	if !ok || refused.StatusCode != http.StatusNotFound || !strings.Contains(refused.Message, " ") || strings.HasPrefix(refused.Message, "404") {
		a.t.Errorf("the client says %v, want 404 and a sentence", err)
	}
}

// same fails the test where a value is not as wanted.
func same[V any](t testing.TB, what string, want, got V) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestAPIGoProjects(t *testing.T) {
	t.Parallel()
	a := newAPIGo(t)
	ctx := t.Context()
	made := read[*honeybadgerapi.Project](t)(a.Projects.Create(ctx, a.AccountID, honeybadgerapi.ProjectRequest{
		Name: "Shop", PurgeDays: new(7), UserURL: "https://shop.example.test/users/[user_id]",
	}))
	if made.Name != "Shop" || made.Token == "" || !made.Active || len(made.Users) != 1 || made.Users[0].ID != int(a.UserID) {
		t.Fatalf("the project is %+v", made)
	}
	same(t, "made and read", made, read[*honeybadgerapi.Project](t)(a.Projects.Get(ctx, made.ID)))
	read[*honeybadgerapi.UpdateResult](t)(a.Projects.Update(ctx, made.ID, honeybadgerapi.ProjectRequest{Name: "Store"}))
	same(t, "name", "Store", read[*honeybadgerapi.Project](t)(a.Projects.Get(ctx, made.ID)).Name)
	var settings struct {
		PurgeDays int    `json:"purge_days"`
		UserURL   string `json:"user_url"`
	}
	body := a.Manage(t).Do(http.MethodGet, fmt.Sprint("/v2/projects/", made.ID), nil, http.StatusOK)
	if err := json.Unmarshal(body, &settings); err != nil || settings.PurgeDays != 7 || settings.UserURL == "" {
		t.Errorf("what the client does not read back is %+v (%v), want it as it was made", settings, err)
	}
	for name, listed := range map[string]*honeybadgerapi.ProjectsResponse{
		"all":            read[*honeybadgerapi.ProjectsResponse](t)(a.Projects.ListAll(ctx)),
		"of the account": read[*honeybadgerapi.ProjectsResponse](t)(a.Projects.ListByAccountID(ctx, a.AccountID)),
		"of no account":  read[*honeybadgerapi.ProjectsResponse](t)(a.Projects.ListByAccountID(ctx, "")),
	} {
		if !slices.ContainsFunc(listed.Results, func(p honeybadgerapi.Project) bool { return p.ID == made.ID }) || len(listed.Results) != 2 {
			t.Errorf("the projects %s are %+v, want two with Store", name, listed.Results)
		}
	}
	same(t, "integrations", []honeybadgerapi.ProjectIntegration{}, read[[]honeybadgerapi.ProjectIntegration](t)(a.Projects.GetIntegrations(ctx, made.ID)))
	read[*honeybadgerapi.DeleteResult](t)(a.Projects.Delete(ctx, made.ID))
	_, err := a.Projects.Get(ctx, made.ID)
	a.gone(err)
}

func TestAPIGoEnvironments(t *testing.T) {
	t.Parallel()
	a := newAPIGo(t)
	ctx, project := t.Context(), int(a.ProjectID)
	made := read[*honeybadgerapi.Environment](t)(a.Environments.Create(ctx, project, honeybadgerapi.EnvironmentParams{Name: "staging", Notifications: new(false)}))
	if made.Name != "staging" || made.Notifications || made.ProjectID != project {
		t.Fatalf("the environment is %+v", made)
	}
	a.did(a.Environments.Update(ctx, project, made.ID, honeybadgerapi.EnvironmentParams{Notifications: new(true)}))
	changed := read[*honeybadgerapi.Environment](t)(a.Environments.Get(ctx, project, made.ID))
	if changed.Name != "staging" || !changed.Notifications {
		t.Errorf("the changed environment is %+v", changed)
	}
	same(t, "list", []honeybadgerapi.Environment{*changed}, read[[]honeybadgerapi.Environment](t)(a.Environments.List(ctx, project)))
	a.did(a.Environments.Delete(ctx, project, made.ID))
	_, err := a.Environments.Get(ctx, project, made.ID)
	a.gone(err)
}

func TestAPIGoDeploys(t *testing.T) {
	t.Parallel()
	a := newAPIGo(t)
	ctx, project := t.Context(), int(a.ProjectID)
	a.deploy("production")
	a.deploy("staging")
	listed := read[[]honeybadgerapi.Deployment](t)(a.Deployments.List(ctx, project, honeybadgerapi.DeploymentListOptions{
		Environment: "staging", LocalUsername: "ada", CreatedAfter: time.Now().Add(-time.Minute), CreatedBefore: time.Now().Add(time.Minute), Limit: 5,
	}))
	if len(listed) != 1 {
		t.Fatalf("the deploys to staging are %+v, want one", listed)
	}
	one := read[*honeybadgerapi.Deployment](t)(a.Deployments.Get(ctx, project, listed[0].ID))
	same(t, "deploy", honeybadgerapi.Deployment{
		ID: listed[0].ID, CreatedAt: listed[0].CreatedAt, Environment: "staging", LocalUsername: "ada", ProjectID: project,
		Repository: "git@example.test:shop", Revision: "abc123",
	}, *one)
	a.did(a.Deployments.Delete(ctx, project, one.ID))
	_, err := a.Deployments.Get(ctx, project, one.ID)
	a.gone(err)
}

// deploy reports a deploy to the first project, in the body that the command line client hb sends.
func (a apiGo) deploy(environment string) {
	a.t.Helper()
	body := `{"deploy":{"environment":"` + environment + `","repository":"git@example.test:shop","revision":"abc123","local_username":"ada"}}`
	r, err := http.NewRequestWithContext(a.t.Context(), http.MethodPost, a.Base+"/v1/deploys", strings.NewReader(body))
	a.did(err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-API-Key", a.APIKey)
	answer, err := http.DefaultClient.Do(r)
	a.did(err)
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusCreated {
		a.t.Fatalf("the deploy was answered with status %d, want 201", answer.StatusCode)
	}
}
