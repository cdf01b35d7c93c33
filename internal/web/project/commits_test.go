package project_test

import (
	"net/http"
	"testing"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/release"
	"sett/internal/sett/repo"
	"sett/internal/setttest"
)

// The commits of a release lead to the host, if it is known which repository they are of. A client may send anything as the id of a commit.
func TestCommitsOfAReleaseLeadToTheirHost(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	b := signedIn(t, s, accounts.Member)
	s.Do("POST", "/v1/deploys", `{"deploy":{"environment":"production","revision":"shop-2","repository":"git@git.example.test:acme/shop.git"}}`).Want(http.StatusCreated)
	commits := []release.Commit{{SHA: "0123456789abcdef", Message: "Split the tax"}, {SHA: `"><script>x`, Message: "Odd"}}
	if err := s.App.Store().Releases.SetCommits(t.Context(), s.Setup.ProjectID, "shop-2", commits); err != nil {
		t.Fatal(err)
	}
	page := in(s, "/releases/shop-2")
	b.Get(page).Want(200, "<code>0123456789</code>").CheckPage()
	for _, at := range []string{"https://git.example.test/acme/shop", "https://git.example.test/acme/other"} {
		change := repo.RepositoryChange{URL: sett.Some(at), Host: sett.Some(string(repo.GitLab))}
		if _, err := s.App.Store().Repos.Create(t.Context(), s.Clock.Now(), s.Setup.ProjectID, change); err != nil {
			t.Fatal(err)
		}
	}
	link := `<code><a href="https://git.example.test/acme/shop/-/commit/0123456789abcdef" rel="noreferrer">0123456789</a></code>`
	b.Get(page).Want(200, link, "<code>&#34;&gt;").Lacks("acme/other").CheckPage()
}
