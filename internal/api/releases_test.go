package api_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/api"
	"sett/internal/serve"
	"sett/internal/sett/release"
	"sett/internal/setttest"
	"sett/internal/store/releasedb"
)

func releasesPath(s *setttest.Server, rest string) string {
	return projectPath(s.Setup.ProjectID, "/releases"+rest)
}

// reportFrom reports a notice of a class from a revision.
func reportFrom(s *setttest.Server, class, revision string) {
	s.Do("POST", "/v1/notices", fmt.Sprintf(`{"error":{"class":%q},"server":{"environment_name":"production","revision":%q}}`, class, revision)).Want(http.StatusCreated)
}

// deployOf records a deploy a minute after what was before.
func deployOf(s *setttest.Server, environment, revision, by string) {
	s.Clock.Push(time.Minute)
	s.Do("POST", "/v1/deploys", fmt.Sprintf(`{"environment":%q,"revision":%q,"local_username":%q}`, environment, revision, by)).Want(http.StatusCreated)
}

// TestReleasesThroughTheAPI reports errors from two releases, of which a deploy resolves some, and reads the figures of both.
func TestReleasesThroughTheAPI(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		first := s.Clock.Now()
		reportFrom(s, "Boom", "shop@1.0")
		s.Clock.Push(2 * time.Hour)
		deployOf(s, "production", "shop@1.1", "josh")
		second := s.Clock.Now()
		deployOf(s, "staging", "shop@1.1", "")
		for _, class := range []string{"Boom", "Boom", "A", "B", "C"} {
			reportFrom(s, class, "shop@1.1")
		}
		last := s.Clock.Now()
		store := s.App.Store()
		commits := []release.Commit{{SHA: "8c5f2a1", Message: "Add discounts\n\nAt last.", Author: "Olga", Email: "olga@example.test", At: first}}
		if err := store.Releases.SetCommits(t.Context(), s.Setup.ProjectID, "shop@1.1", commits); err != nil {
			t.Fatal(err)
		}
		if err := store.Releases.AddHours(t.Context(), last, []releasedb.Hour{{
			Key: releasedb.Key{ProjectID: s.Setup.ProjectID, Version: "shop@1.1"}, Environment: "production", At: last,
			SessionSums: release.SessionSums{Total: 8, Errored: 3, Crashed: 2, Abnormal: 1},
		}}); err != nil {
			t.Fatal(err)
		}

		var list serve.List[api.Release]
		s.Get(releasesPath(s, "")).Into(&list)
		var got api.ReleaseDetail
		s.Get(releasesPath(s, "/shop%401.1")).Into(&got)
		if len(list.Results) != 2 || len(got.Deploys) != 2 {
			t.Fatalf("listed %+v, read %+v", list.Results, got)
		}
		free := 0.75
		for _, r := range []*api.Release{&list.Results[0], &list.Results[1], &got.Release} { // ids have microseconds
			for _, at := range []*time.Time{&r.CreatedAt, r.FirstSeenAt, r.LastSeenAt} {
				*at = at.Truncate(time.Second)
			}
		}
		want := api.Release{
			ProjectID: s.Setup.ProjectID, Version: "shop@1.1", CreatedAt: second, FirstSeenAt: &last, LastSeenAt: &last, NoticesCount: 5,
			NewFaultsCount: 3, ReopenedFaultsCount: 1, ResolvedFaultsCount: 1, Sessions: api.Sessions{Total: 8, Errored: 3, Crashed: 2, Abnormal: 1, CrashFree: &free},
			PreviousVersion: "shop@1.0", Verdict: api.ReleaseVerdict{State: "too_early", Reasons: []string{
				"4 errors new or reopened, and 1 in as much time after the previous release.",
				"A verdict needs an hour, and 200 sessions if the previous release has them.",
			}},
		}
		before := api.Release{
			ProjectID: s.Setup.ProjectID, Version: "shop@1.0", CreatedAt: first, FirstSeenAt: &first, LastSeenAt: &first, NoticesCount: 1, NewFaultsCount: 1,
			Verdict: api.ReleaseVerdict{State: "first", Reasons: []string{}},
		}
		if diff := cmp.Diff([]api.Release{want, before}, list.Results); diff != "" {
			t.Errorf("listed (-want +got):\n%s", diff)
		}
		detail := api.ReleaseDetail{
			Release: want,
			Commits: []api.ReleaseCommit{{ID: "8c5f2a1", Message: "Add discounts", AuthorName: "Olga", AuthorEmail: "olga@example.test", Timestamp: &first}},
			Deploys: []api.Deploy{
				{ID: got.Deploys[0].ID, ProjectID: s.Setup.ProjectID, Environment: "staging", Revision: "shop@1.1", CreatedAt: last},
				{ID: got.Deploys[1].ID, ProjectID: s.Setup.ProjectID, Environment: "production", Revision: "shop@1.1", LocalUsername: "josh", CreatedAt: second},
			},
		}
		if diff := cmp.Diff(detail, got); diff != "" {
			t.Errorf("read (-want +got):\n%s", diff)
		}
		s.Do("GET", releasesPath(s, "/none"), nil).Want(http.StatusNotFound)
	})
}

// TestHistoryNamesRevisions reads what resolved and reopened a fault.
func TestHistoryNamesRevisions(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		reportFrom(s, "Boom", "1.0")
		deployOf(s, "production", "1.1", "josh")
		reportFrom(s, "Other", "1.1")
		reportFrom(s, "Boom", "1.1")
		var lines []string
		for _, c := range listComments(s, listFaults(s, "?q=class:Boom").Results[0].ID) {
			lines = append(lines, c.Revision+": "+c.Body)
		}
		want := []string{"1.1: Resolved by the deploy of 1.1 to production.", "1.1: Reopened: it occurred again in 1.1."}
		if diff := cmp.Diff(want, lines); diff != "" {
			t.Errorf("history (-want +got):\n%s", diff)
		}
	})
}
