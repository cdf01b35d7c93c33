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

func commentsPath(s *setttest.Server, fault int64, rest string) string {
	return faultsPath(s, fmt.Sprintf("/%d/comments%s", fault, rest))
}

func withComment(body any) map[string]any {
	return map[string]any{"comment": map[string]any{"body": body}}
}

func listComments(s *setttest.Server, fault int64) []api.Comment {
	var list serve.List[api.Comment]
	s.Get(commentsPath(s, fault, "")).Into(&list)
	return list.Results
}

func TestACommentFromCreationToDeletion(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		fault := notify(t, s, "E", "production").ID
		var first, second, got api.Comment
		s.Post(commentsPath(s, fault, ""), withComment("Is it\nthe cache?")).Want(http.StatusCreated).Into(&first)
		s.Clock.Push(time.Minute)
		s.Post(commentsPath(s, fault, "/"), withComment("It is.")).Want(http.StatusCreated).Into(&second)
		want := api.Comment{
			ID: first.ID, FaultID: fault, Source: "web", NoticesCount: 1, CreatedAt: s.Clock.Now().Add(-time.Minute), Author: "Olga Owner",
			AuthorID: &s.Setup.UserID, Body: "Is it\nthe cache?",
		}
		path := commentsPath(s, fault, fmt.Sprintf("/%d", first.ID))
		s.Get(path).Into(&got)
		if diff := cmp.Diff([]api.Comment{want, want}, []api.Comment{first, got}); diff != "" {
			t.Errorf("made and read (-want +got):\n%s", diff)
		}
		s.Put(path, withComment("It was the cache.")).Want(http.StatusNoContent)
		want.Body = "It was the cache."
		if diff := cmp.Diff([]api.Comment{want, second}, listComments(s, fault)); diff != "" {
			t.Errorf("listed (-want +got):\n%s", diff)
		}
		if list := listFaults(s, "?q=has:comment"); len(list.Results) != 1 || list.Results[0].CommentsCount != 2 {
			t.Errorf("faults with comments: %+v", list.Results)
		}
		s.Delete(path).Want(http.StatusNoContent)
		for _, r := range []*setttest.Response{s.Do("GET", path, nil), s.Put(path, "{"), s.Delete(path)} {
			if text := r.Want(http.StatusNotFound).Errors(); text != "Comment not found" {
				t.Errorf("deleted: %s", text)
			}
		}
		s.Delete(faultsPath(s, fmt.Sprintf("/%d", fault))).Want(http.StatusNoContent)
		for _, r := range []*setttest.Response{
			s.Do("GET", commentsPath(s, fault, "?limit=x"), nil), s.Post(commentsPath(s, fault, ""), "{"), s.Do("GET", path, nil), s.Put(path, "{"), s.Delete(path),
		} {
			if text := r.Want(http.StatusNotFound).Errors(); text != "Fault not found" {
				t.Errorf("of a deleted fault: %s", text)
			}
		}
	})
}

func TestCommentBodiesThatAreRefused(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	fault := notify(t, s, "E", "production").ID
	var made api.Comment
	s.Post(commentsPath(s, fault, ""), withComment("Mine.")).Want(http.StatusCreated).Into(&made)
	path := commentsPath(s, fault, fmt.Sprintf("/%d", made.ID))
	const wrap = `Please correct: comment must be an object that contains the fields, as in {"comment": {"body": "Fixed in 4f2a9c1."}}.`
	for _, c := range []struct {
		body   string
		status int
		errors string
	}{
		{`{"comment":{"body":""}}`, 422, "Please correct: body can't be blank."},
		{`{"comment":{"body":" \n"}}`, 422, "Please correct: body can't be blank."},
		{`{"comment":{"body":null}}`, 422, "Please correct: body can't be blank."},
		{`{"comment":{"body":[7]}}`, 422, "Please correct: body must be a string."},
		{`{"comment":{"body":"` + strings.Repeat("ö", 65537) + `"}}`, 422, "Please correct: body is too long (maximum is 65536 characters)."},
		{`{"body":"x"}`, 422, wrap},
		{`{"comment":null}`, 422, wrap},
		{`{"comment":"x"}`, 422, "Please correct: comment must be an object."},
		{`[]`, 422, "The request body is not a JSON object. Send a JSON object in the request body."},
		{``, 400, "The request body is empty. Send a JSON object in the request body."},
	} {
		for _, r := range []*setttest.Response{s.Post(commentsPath(s, fault, ""), c.body), s.Put(path, c.body)} {
			if text := r.Want(c.status).Errors(); text != c.errors {
				t.Errorf("%.60s:\ngot  %s\nwant %s", c.body, text, c.errors)
			}
		}
	}
	if text := s.Post(commentsPath(s, fault, ""), `{"comment":{}}`).Want(http.StatusUnprocessableEntity).Errors(); text != "Please correct: body can't be blank." {
		t.Errorf("without a body: %s", text)
	}
	s.Put(path, `{"comment":{"author":"Eve","event":"resolved"}}`).Want(http.StatusNoContent)
	if diff := cmp.Diff([]api.Comment{made}, listComments(s, fault)); diff != "" {
		t.Errorf("a refused body left its mark (-before +after):\n%s", diff)
	}
}

func TestOnlySomeMayChangeAComment(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		fault := notify(t, s, "E", "production").ID
		author, authorID := s.AddUser(t, "author@example.test", accounts.Member)
		other, otherID := s.AddUser(t, "other@example.test", accounts.Billing)
		admin, _ := s.AddUser(t, "admin@example.test", accounts.Admin)
		if _, err := s.App.Store().Accounts.CreateTeam(t.Context(), s.Clock.Now(), s.Setup.AccountID, "Crew", []int64{s.Setup.ProjectID}, map[int64]bool{authorID: false, otherID: true}); err != nil {
			t.Fatal(err)
		}
		var c api.Comment
		author.Post(commentsPath(s, fault, ""), withComment("Mine.")).Want(http.StatusCreated).Into(&c)
		author.Put(faultsPath(s, fmt.Sprintf("/%d", fault)), `{"fault":{"resolved":true}}`).Want(http.StatusNoContent)
		path := commentsPath(s, fault, fmt.Sprintf("/%d", c.ID))
		const notYours = "Only its author, or an admin or owner of the account, can change or delete a comment."
		for _, r := range []*setttest.Response{other.Put(path, withComment("Yours.")), other.Put(path, "{"), other.Delete(path)} {
			if text := r.Want(http.StatusForbidden).Errors(); text != notYours {
				t.Errorf("of another user: %s", text)
			}
		}
		entry := listComments(s, fault)[1]
		event := "resolved"
		if diff := cmp.Diff(api.Comment{
			ID: entry.ID, FaultID: fault, Event: &event, Source: "web", NoticesCount: 1, CreatedAt: s.Clock.Now(), Author: "author@example.test",
			AuthorID: &authorID, Body: "Resolved.",
		}, entry); diff != "" {
			t.Errorf("the entry (-want +got):\n%s", diff)
		}
		for _, client := range []*setttest.Client{author, admin, s.Client} {
			client.Put(path, withComment("Changed.")).Want(http.StatusNoContent)
			at := commentsPath(s, fault, fmt.Sprintf("/%d", entry.ID))
			for _, r := range []*setttest.Response{client.Put(at, withComment("x")), client.Put(at, "{"), client.Delete(at)} {
				if text := r.Want(http.StatusForbidden).Errors(); !strings.Contains(text, "cannot be changed") {
					t.Errorf("of an entry: %s", text)
				}
			}
		}
		admin.Delete(path).Want(http.StatusNoContent)
	})
}

// The history of a fault contains every change by its routes, notices and deploys.
func TestChangesOfAFaultAreInItsHistory(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		fault := notify(t, s, "E", "production").ID
		at := faultsPath(s, fmt.Sprintf("/%d", fault))
		s.Put(at, fmt.Sprintf(`{"fault":{"assignee_id":%d,"ignored":true}}`, s.Setup.UserID)).Want(http.StatusNoContent)
		s.Put(at, `{"fault":{"ignored":null,"assignee_id":null}}`).Want(http.StatusNoContent)
		s.Post(at+"/pause", `{"time":"hour"}`).Want(http.StatusOK)
		s.Post(at+"/unpause", nil).Want(http.StatusOK)
		s.Post(at+"/pause", `{"count":10}`).Want(http.StatusOK)
		s.Post(faultsPath(s, "/unpause"), nil).Want(http.StatusOK)
		s.Post(faultsPath(s, "/resolve"), nil).Want(http.StatusOK)
		notify(t, s, "E", "production")
		s.Put(at, `{"fault":{"resolve_on_deploy":true}}`).Want(http.StatusNoContent)
		s.Do("POST", "/v1/deploys", `{"environment":"production","revision":"r1"}`).Want(http.StatusCreated)
		s.Put(at, `{"fault":{"resolved":false}}`).Want(http.StatusNoContent)
		var got []string
		for _, c := range listComments(s, fault) {
			got = append(got, fmt.Sprint(c.Source, " ", *c.Event, " ", c.Author, " ", c.AuthorID != nil))
		}
		want := []string{
			"web ignored Olga Owner true", "web assigned Olga Owner true", "web unignored Olga Owner true", "web unassigned Olga Owner true",
			"web paused Olga Owner true", "web unpaused Olga Owner true", "web paused Olga Owner true", "web unpaused Olga Owner true",
			"web resolved Olga Owner true", "system reopened  false", "web resolve_on_deploy Olga Owner true", "system resolved  false",
			"web unresolved Olga Owner true",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("history (-want +got):\n%s", diff)
		}
		if list := listFaults(s, "?q=has:comment"); len(list.Results) != 0 {
			t.Error("what happened counts as a comment")
		}
		forward, back := walk(t, s, commentsPath(s, fault, "?limit=4"), func() {})
		if len(forward) != len(want) || cmp.Diff(forward, back) != "" {
			t.Errorf("page by page: %v, and back: %v", forward, back)
		}
	})
}
