package api_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/api"
	"sett/internal/serve"
	"sett/internal/setttest"
)

func deploysPath(s *setttest.Server, rest string) string {
	return projectPath(s.Setup.ProjectID, "/deploys"+rest)
}

func TestADeployFromItsReportToDeletion(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		fault := notify(t, s, "Old", "production").ID
		const body = `{"deploy":{"environment":"production","revision":"bbb","repository":"https://git.example.test/shop.git","local_username":"olga"}}`
		s.Do("POST", "/v1/deploys", `{"environment":"production","revision":"aaa"}`).Want(http.StatusCreated)
		s.Clock.Push(time.Minute)
		if answer := s.Do("POST", "/v1/deploys/", body).Want(http.StatusCreated).JSON(); answer["status"] != "OK" || len(answer) != 1 {
			t.Errorf("answer: %v", answer)
		}
		var list serve.List[api.Deploy]
		s.Get(deploysPath(s, "")).Into(&list)
		if len(list.Results) != 2 {
			t.Fatalf("listed: %+v", list.Results)
		}
		newest := list.Results[0]
		want := api.Deploy{
			ID: newest.ID, ProjectID: s.Setup.ProjectID, Environment: "production", Revision: "bbb", Repository: "https://git.example.test/shop.git",
			LocalUsername: "olga", CreatedAt: s.Clock.Now(),
		}
		var got api.Deploy
		path := deploysPath(s, fmt.Sprintf("/%d", newest.ID))
		s.Get(path).Into(&got)
		if diff := cmp.Diff([]api.Deploy{want, want}, []api.Deploy{newest, got}); diff != "" {
			t.Errorf("listed and read (-want +got):\n%s", diff)
		}
		var resolved api.Fault
		if s.Get(faultsPath(s, fmt.Sprintf("/%d", fault))).Into(&resolved); !resolved.Resolved {
			t.Error("the deploy resolved nothing")
		}

		// A notice of its revision ran on it.
		s.Do("POST", "/v1/notices", `{"error":{"class":"New"},"server":{"environment_name":"production","revision":"bbb"}}`).Want(http.StatusCreated)
		notices := listNotices(s, listFaults(s, "?q=class:New").Results[0].ID, "").Results
		if ran := notices[0].Deploy; ran == nil || ran.ID != newest.ID || ran.URL == nil || *ran.URL != "https://git.example.test/shop/compare/aaa...bbb" {
			t.Errorf("the notice ran on %+v", ran)
		}

		s.Delete(path).Want(http.StatusNoContent)
		for _, r := range []*setttest.Response{s.Do("GET", path, nil), s.Delete(path)} {
			if text := r.Want(http.StatusNotFound).Errors(); text != "Deploy not found" {
				t.Errorf("deleted: %s", text)
			}
		}
	})
}

func TestListDeploysByQuery(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		start := s.Clock.Now().Unix()
		for i, body := range []string{
			`{"environment":"production","local_username":"ann"}`, `{"environment":"staging","local_username":"bob"}`,
			`{"environment":"production","local_username":"bob"}`, `{}`, `{"environment":"production"}`,
		} {
			s.Do("POST", "/v1/deploys", body).Want(http.StatusCreated)
			if i < 4 {
				s.Clock.Push(time.Minute)
			}
		}
		all, _ := idsOf(s, deploysPath(s, ""))
		for query, want := range map[string][]string{
			"?environment=production":                                               {all[0], all[2], all[4]},
			"?environment=":                                                         all,
			"?local_username=bob":                                                   {all[2], all[3]},
			"?environment=production&local_username=bob":                            {all[2]},
			fmt.Sprintf("?created_after=%d", start+180):                             {all[0], all[1]},
			fmt.Sprintf("?created_before=%d", start+60):                             {all[4]},
			fmt.Sprintf("?created_after=%d&created_before=%d", start+60, start+120): {all[3]},
			"?limit=2":                            all[:2],
			"?created_after=2026-11-18T10:34:00Z": {all[0]},
			"?environment=qa":                     nil,
		} {
			if got, _ := idsOf(s, deploysPath(s, query)); cmp.Diff(want, got) != "" {
				t.Errorf("%s: %v, want %v", query, got, want)
			}
		}
		forward, back := walk(t, s, deploysPath(s, "?limit=2"), func() {
			s.Do("POST", "/v1/deploys", `{"revision":"new"}`).Want(http.StatusCreated)
		})
		if diff := cmp.Diff([][]string{all, all}, [][]string{forward, back}); diff != "" {
			t.Errorf("page by page, while others come in (-want +got):\n%s", diff)
		}
		const refusal = "Please correct: created_after must be Unix seconds, such as 1795000000, or a time such as 2026-11-18T10:30:00Z; limit must be a positive integer."
		if text := s.Do("GET", deploysPath(s, "?created_after=x&limit=0"), nil).Want(http.StatusUnprocessableEntity).Errors(); text != refusal {
			t.Errorf("a wrong query: %s", text)
		}
	})
}
