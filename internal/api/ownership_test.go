package api_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/api"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/owner"
	"sett/internal/sett/repo"
	"sett/internal/setttest"
)

func TestOwnership(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		path := projectPath(s.Setup.ProjectID, "/ownership")
		get := func() (got api.Ownership) {
			t.Helper()
			var body struct{ Ownership api.Ownership }
			s.Do("GET", path, "").Want(http.StatusOK).Into(&body)
			return body.Ownership
		}
		if diff := cmp.Diff(api.Ownership{Unknown: []string{}, Files: []api.OwnersFile{}}, get()); diff != "" {
			t.Errorf("at first (-want +got):\n%s", diff)
		}
		member, _ := s.AddUser(t, "member@example.test", accounts.Member)
		member.Do("PUT", path, `{"ownership":{"rules":""}}`).Want(http.StatusNotFound)
		for wrong, says := range map[string]string{
			`{}`: "ownership", `{"ownership":{"rules":"app/ ines"}}`: "line 1", `{"ownership":{"rules":[5]}}`: "rules", `{"ownership":{"notify_only_owners":"x"}}`: "notify_only_owners",
		} {
			if text := s.Do("PUT", path, wrong).Want(http.StatusUnprocessableEntity).Errors(); !strings.Contains(text, says) {
				t.Errorf("%s is answered %q", wrong, text)
			}
		}
		s.Do("PUT", path, `{"ownership":{"rules":"* @nothing\n/app/ olga@example.org gone@example.test"}}`).Want(http.StatusNoContent)
		s.Do("PUT", path, `{"ownership":{"notify_only_owners":true}}`).Want(http.StatusNoContent)
		got := get()
		if !strings.Contains(got.Rules, "/app/ olga") || !got.OnlyOwners || !cmp.Equal(got.Unknown[len(got.Unknown)-1], "gone@example.test") || got.Unknown[0] != "@nothing" {
			t.Errorf("after two changes: %+v", got)
		}
		s.Do("PUT", path, `{"ownership":{"rules":null,"notify_only_owners":null}}`).Want(http.StatusNoContent)
		if diff := cmp.Diff(api.Ownership{Unknown: []string{}, Files: []api.OwnersFile{}}, get()); diff != "" {
			t.Errorf("reset (-want +got):\n%s", diff)
		}
	})
}

// What the API says of the CODEOWNERS file of a repository, from the first day on.
func TestOwnersFiles(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	repos, now, path := s.App.Store().Repos, s.Clock.Now(), projectPath(s.Setup.ProjectID, "/ownership")
	get := func() api.OwnersFile {
		t.Helper()
		var body struct{ Ownership api.Ownership }
		s.Get(path).Into(&body)
		if len(body.Ownership.Files) != 1 {
			t.Fatalf("the files are %+v", body.Ownership.Files)
		}
		return body.Ownership.Files[0]
	}
	at, err := repos.Create(t.Context(), now, s.Setup.ProjectID, repo.RepositoryChange{URL: sett.Some("https://github.com/acme/shop")})
	if err != nil {
		t.Fatal(err)
	}
	want := api.OwnersFile{RepositoryID: at.ID, URL: "https://github.com/acme/shop", State: owner.NoToken, Mistakes: []string{}, Unknown: []string{}}
	if diff := cmp.Diff(want, get()); diff != "" {
		t.Errorf("at first (-want +got):\n%s", diff)
	}
	if _, err := repos.Update(t.Context(), now, s.Setup.ProjectID, at.ID, repo.RepositoryChange{Token: sett.Some("t")}); err != nil {
		t.Fatal(err)
	}
	if err := repos.Finish(t.Context(), repo.Work{Kind: repo.RepositoryWork, SubjectID: at.ID}); err != nil { // no host is asked
		t.Fatal(err)
	}
	states := []owner.FileState{get().State}
	for _, said := range []struct{ problem, text string }{
		{"", ""}, {"The host refuses the token.", ""}, {"", "* @crew owner@example.test\n!x @crew\n"}, {"The host refuses the token.", "* @crew owner@example.test\n!x @crew\n"},
	} {
		if err := repos.NoteAsked(t.Context(), now, at.ID, said.problem); err != nil {
			t.Fatal(err)
		}
		if err := repos.NoteOwners(t.Context(), at.ID, said.text); err != nil {
			t.Fatal(err)
		}
		states = append(states, get().State)
	}
	got := get()
	s.Put(path, map[string]any{"ownership": map[string]any{"rules": "*"}})
	states = append(states, get().State)
	if want := []owner.FileState{owner.Unread, owner.NoFile, owner.Failed, owner.InForce, owner.InForce, owner.Overruled}; !slices.Equal(states, want) {
		t.Errorf("the states are %v, want %v", states, want)
	}
	if got.Rules != 1 || !slices.Equal(got.Unknown, []string{"@crew"}) || len(got.Mistakes) != 1 || !strings.Contains(got.Mistakes[0], "Line 2") || *got.Problem != "The host refuses the token." || !got.AskedAt.Equal(now) {
		t.Errorf("a file in force is %+v", got)
	}
}
