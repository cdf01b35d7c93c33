package settings_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"sett/internal/sett/repo"
)

func (h *house) repositories() []repo.Repository {
	h.t.Helper()
	all, err := h.App.Store().Repos.List(h.t.Context(), h.Setup.ProjectID)
	if err != nil {
		h.t.Fatal(err)
	}
	return all
}

func TestRepositories(t *testing.T) {
	t.Parallel()
	h := open(t)
	list := h.root + "/repositories"
	h.admin.Get(list).Want(200, "Connect the repository", "Add repository", `href="/docs/repositories"`).CheckPage()
	h.member.Get(list).Want(200, "Connect the repository").Lacks("Add repository").CheckPage()
	h.member.Post(list, "url", "https://github.com/acme/shop").Want(403)
	h.admin.Post(list, "url", "javascript:alert(1)", "path", "../x").Want(422, `id="url-problem"`, `id="host-problem"`, `id="path-problem"`, `value="javascript:alert(1)"`).CheckPage()
	h.admin.Post(list, "url", "https://git.example.test/acme/shop", "token", "t0ken").Want(422, `id="host-problem"`).Lacks("t0ken")
	h.admin.Post(list, "url", "https://github.com/acme/shop.git/", "host", "").Want(303)
	made := h.repositories()
	if len(made) != 1 || made[0].URL != "https://github.com/acme/shop" || made[0].Host != repo.GitHub {
		t.Fatalf("there are %+v", made)
	}
	page := fmt.Sprintf("%s/%d", list, made[0].ID)
	h.admin.Get(page+"?done=repository_added").Want(200, "Repository added.", made[0].Secret, made[0].WebhookURL(h.Base), "No webhook has arrived yet", "No token is stored", "Check suites",
		`href="https://github.com/acme/shop/settings/hooks"`, "The commits of deploys, and the errors that a deploy fixes. This").Lacks(`name="host"`).CheckPage()
	h.member.Get(page).Want(403).Lacks(made[0].Secret)
	h.member.Post(page, "url", "https://github.com/acme/other").Want(403)
	h.member.Post(page + "/delete").Want(403)
	h.member.Get(list).Want(200, "acme/shop", "No webhook yet").Lacks(made[0].Secret, page).CheckPage()
	h.admin.Post(list, "url", "https://github.com/acme/shop").Want(422, "is a repository that this project has already").CheckPage()

	h.admin.Post(page, "url", "acme/shop").Want(422, `id="url-problem"`, `value="acme/shop"`, made[0].Secret).CheckPage()
	own := "https://git.example.test/acme/shop" // that tests reach no host
	h.admin.Post(page, "url", own, "host", "github", "path", "apps/<b>", "token", "t0ken", "comments", "true").Leads(page + "?done=saved")
	if got := h.repositories()[0]; got.Token != "t0ken" || got.Path != "apps/<b>" || !got.Comments || got.Secret != made[0].Secret {
		t.Errorf("saved %+v", got)
	}
	h.admin.Get(page).Want(200, "A token is stored", "and comments on pull requests", "apps/&lt;b&gt;").Lacks("t0ken", "No token is stored").CheckMarkup()
	h.admin.Post(page, "url", "https://gitlab.com/acme/shop").Want(422, `id="token-problem"`, "entered again").CheckMarkup()
	h.admin.Post(page, "url", own+"2").Leads(page + "?done=saved")
	if got := h.repositories()[0]; got.Token != "t0ken" || got.Comments || got.Path != "" {
		t.Errorf("an empty token changed it to %+v", got)
	}
	for _, name := range []string{"addRepository", "changeRepository"} {
		if entries := h.audited(name); len(entries) == 0 || strings.Contains(string(entries[0].Changes), "t0ken") {
			t.Errorf("audit log of %s: %+v", name, entries)
		}
	}
	h.admin.Post(page, "url", "https://gitlab.com/acme/shop", "drop_token", "true").Leads(page + "?done=saved")
	h.admin.Get(page).Want(200, "Merge request events", "unless the deploy reports its commits", "https://gitlab.com/acme/shop/-/hooks", "read_api").CheckPage()

	h.Clock.Push(time.Minute)
	if err := h.App.Store().Repos.NoteAsked(t.Context(), h.Clock.Now(), made[0].ID, "GitLab refused the token."); err != nil { // of the token that was removed
		t.Fatal(err)
	}
	h.admin.Get(list).Want(200, "No webhook yet").Lacks("refused the token")
	h.admin.Get(page).Want(200, "No token is stored").Lacks("refused the token")
	h.admin.Post(page + "/delete").Leads(list + "?done=repository_removed")
	if left := h.repositories(); len(left) != 0 || len(h.audited("removeRepository")) != 1 {
		t.Errorf("there are still %+v", left)
	}
	h.admin.Get(page).Want(http.StatusNotFound)
	h.admin.Post(page + "/delete").Want(http.StatusNotFound)
}

// Each kind of host has its own steps.
func TestStepsOfEveryHost(t *testing.T) {
	t.Parallel()
	h := open(t)
	for host, says := range map[repo.Host]string{
		repo.GitHub: "application/json", repo.GitLab: "Secret token", repo.Gitea: "Pull request synchronized", repo.Bitbucket: "merged and declined",
	} {
		h.admin.Post(h.root+"/repositories", "url", "https://"+string(host)+".example.test/acme/shop", "host", string(host)).Want(303)
		all := h.repositories()
		h.admin.Get(fmt.Sprintf("%s/repositories/%d", h.root, all[len(all)-1].ID)).Want(200, says, `name="host"`, `<option value="`+string(host)+`" selected>`).CheckPage()
	}
}
