package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/api"
	"sett/internal/serve"
	"sett/internal/sett/accounts"
	"sett/internal/setttest"
)

func environmentsPath(s *setttest.Server, rest string) string {
	return projectPath(s.Setup.ProjectID, "/environments"+rest)
}

func withEnvironment(fields map[string]any) map[string]any {
	return map[string]any{"environment": fields}
}

func TestAnEnvironmentFromCreationToDeletion(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		var made, got api.Environment
		s.Post(environmentsPath(s, ""), withEnvironment(map[string]any{"name": "qa"})).Want(http.StatusCreated).Into(&made)
		want := api.Environment{ID: made.ID, ProjectID: s.Setup.ProjectID, Name: "qa", Notifications: true, CreatedAt: s.Clock.Now(), UpdatedAt: s.Clock.Now()}
		if diff := cmp.Diff(want, made); diff != "" {
			t.Errorf("made (-want +got):\n%s", diff)
		}
		path := environmentsPath(s, fmt.Sprintf("/%d", made.ID))
		s.Clock.Push(time.Minute)
		s.Put(path, withEnvironment(map[string]any{"notifications": false})).Want(http.StatusNoContent)
		s.Get(path).Into(&got)
		want.Notifications, want.UpdatedAt = false, s.Clock.Now()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("changed (-want +got):\n%s", diff)
		}
		s.Put(path, withEnvironment(map[string]any{"name": "staging", "notifications": nil})).Want(http.StatusNoContent)
		notify(t, s, "E", "production")
		s.Do("POST", "/v1/deploys", map[string]any{"environment": "canary"}).Want(http.StatusCreated)
		var list serve.List[api.Environment]
		s.Get(environmentsPath(s, "")).Into(&list)
		var names []string
		for _, e := range list.Results {
			names = append(names, fmt.Sprint(e.Name, " ", e.Notifications))
		}
		if diff := cmp.Diff([]string{"staging true", "production true", "canary true"}, names); diff != "" {
			t.Errorf("listed (-want +got):\n%s", diff)
		}
		s.Delete(path).Want(http.StatusNoContent)
		for _, r := range []*setttest.Response{s.Do("GET", path, nil), s.Delete(path), s.Put(path, "{")} {
			if text := r.Want(http.StatusNotFound).Errors(); text != "Environment not found" {
				t.Errorf("deleted: %s", text)
			}
		}
	})
}

func TestEnvironmentBodiesThatAreRefused(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	var made api.Environment
	s.Post(environmentsPath(s, ""), withEnvironment(map[string]any{"name": "qa"})).Want(http.StatusCreated).Into(&made)
	notify(t, s, "E", "production")
	const wrap = `Please correct: environment must be an object that contains the fields, as in {"environment": {"name": "production"}}.`
	for _, c := range []struct {
		body   string
		status int
		errors string
	}{
		{`{"environment":{"name":"production"}}`, 422, "Please correct: name has already been taken by another environment of this project."},
		{`{"environment":{"name":" "}}`, 422, "Please correct: name can't be blank."},
		{`{"environment":{"name":null}}`, 422, "Please correct: name can't be blank."},
		{`{"environment":{"name":[7],"notifications":"yes"}}`, 422, "Please correct: name must be a string; notifications must be true or false."},
		{`{"environment":{"name":"a\tb"}}`, 422, "Please correct: name must not contain control characters."},
		{`{"environment":{"name":"` + strings.Repeat("x", 256) + `"}}`, 422, "Please correct: name is too long (maximum is 255 characters)."},
		{`{"name":"x"}`, 422, wrap},
		{`{"environment":null}`, 422, wrap},
		{`{"environment":"x"}`, 422, "Please correct: environment must be an object."},
		{`{"environment":`, 400, "The request body is not valid JSON: it ends too early."},
	} {
		for _, r := range []*setttest.Response{s.Post(environmentsPath(s, ""), c.body), s.Put(environmentsPath(s, fmt.Sprintf("/%d", made.ID)), c.body)} {
			if text := r.Want(c.status).Errors(); text != c.errors {
				t.Errorf("%s:\ngot  %s\nwant %s", c.body, text, c.errors)
			}
		}
	}
	s.Post(environmentsPath(s, ""), withEnvironment(nil)).Want(http.StatusUnprocessableEntity)
	s.Put(environmentsPath(s, fmt.Sprintf("/%d", made.ID)), `{"environment":{}}`).Want(http.StatusNoContent)
	if ids, _ := idsOf(s, environmentsPath(s, "")); len(ids) != 2 {
		t.Errorf("a refused body left its mark: %v", ids)
	}
	for _, query := range []string{"?page=0", "?cursor=x"} {
		s.Do("GET", environmentsPath(s, query), nil).Want(http.StatusUnprocessableEntity)
	}
}

// What may be named in a path belongs to the project before it.
func TestEnvironmentsCommentsAndDeploysOfAnotherProject(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		other := createProject(t, s.Client, "Other")
		fault := notify(t, s, "E", "production").ID
		s.Do("POST", "/v1/deploys", map[string]any{"environment": "staging"}).Want(http.StatusCreated)
		var comment api.Comment
		s.Post(commentsPath(s, fault, ""), withComment("Mine.")).Want(http.StatusCreated).Into(&comment)
		deploys, _ := idsOf(s, deploysPath(s, ""))
		environments, _ := idsOf(s, environmentsPath(s, ""))
		stranger, member := s.AddStranger(t, "stranger@example.test"), func() *setttest.Client { c, _ := s.AddUser(t, "m@example.test", accounts.Member); return c }()
		for _, path := range []string{
			"/environments/" + environments[0], "/deploys/" + deploys[0], fmt.Sprintf("/faults/%d/comments/%d", fault, comment.ID),
		} {
			for _, method := range []string{"GET", "PUT", "DELETE"} {
				if method == "PUT" && strings.Contains(path, "deploys") {
					continue
				}
				s.Do(method, projectPath(other.ID, path), nil).Want(http.StatusNotFound)
				stranger.Do(method, projectPath(s.Setup.ProjectID, path), nil).Want(http.StatusNotFound)
				member.Do(method, projectPath(s.Setup.ProjectID, path), nil).Want(http.StatusNotFound) // of no team
			}
			s.Get(projectPath(s.Setup.ProjectID, path))
		}
	})
}
