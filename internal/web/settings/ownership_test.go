package settings_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/repo"
)

func TestOwnership(t *testing.T) {
	t.Parallel()
	h := open(t)
	page := h.root + "/ownership" // where the forms are sent
	h.member.Post(page, "rules", "* @a").Want(403)
	h.admin.Get(h.root+"/access").Want(200, "Ownership").CheckPage()
	h.admin.Post(page+"/preview", "rules", "* @a").Want(200, "The project has no events yet.", "@a").CheckPage()

	h.Do("POST", "/v1/notices", `{"error":{"class":"<A>","backtrace":[{"file":"app/<b>.rb","number":"1","method":"m"}]}}`).Want(http.StatusCreated)
	h.admin.Post(page+"/preview", "rules", "# all\r\n* @backend gone@example.test\r\n").Want(200, "&lt;A&gt;", "app/&lt;b&gt;.rb", "@backend, gone@example.test", "line 2", "Unknown owners are ignored").CheckPage()
	h.admin.Post(page+"/preview", "rules", "/lib/ @backend").Want(200, "none").CheckPage()
	h.admin.Post(page+"/preview", "rules", "/lib/ backend").Want(422, "line 1", "neither an email address nor a team").CheckPage()
	if entries := h.audited("previewOwnership"); len(entries) != 0 {
		t.Errorf("a preview is in the audit log: %+v", entries)
	}
	h.admin.Post(page, "rules", "!app @a").Want(422, "negates").CheckPage()
	h.admin.Post(page, "rules", "* @backend", "notify_only_owners", "true").Leads(h.root + "/access?done=saved")
	h.admin.Get(h.root+"/access").Want(200, "* @backend").CheckPage()
	if entries := h.audited("saveOwnership"); len(entries) != 1 || !strings.Contains(string(entries[0].Changes), "@backend") {
		t.Errorf("audit log: %+v", entries)
	}
	h.Do("GET", fmt.Sprintf("/v2/projects/%d/ownership", h.Setup.ProjectID), "").Want(http.StatusOK)
}

func TestOwnershipNamesWhereRulesComeFrom(t *testing.T) {
	t.Parallel()
	h := open(t)
	repos, now, project := h.App.Store().Repos, h.Clock.Now(), h.Setup.ProjectID
	access := h.root + "/access"
	h.admin.Get(access).Want(200, "This project has no repository.").CheckPage()
	at, err := repos.Create(t.Context(), now, project, repo.RepositoryChange{URL: sett.Some("https://github.com/acme/shop")})
	note := func(asked time.Time, problem, text string) {
		t.Helper()
		if err == nil {
			err = repos.NoteAsked(t.Context(), asked, at.ID, problem)
		}
		if err == nil {
			err = repos.NoteOwners(t.Context(), at.ID, text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	token := func(token string) {
		t.Helper()
		if _, err = repos.Update(t.Context(), now, project, at.ID, repo.RepositoryChange{Token: sett.Some(token)}); err != nil {
			t.Fatal(err)
		}
		if err = repos.Finish(t.Context(), repo.Work{Kind: repo.RepositoryWork, SubjectID: at.ID}); err != nil { // no host is asked
			t.Fatal(err)
		}
	}
	const text = "* @crew @<b>ada\n!x @crew\n/app/ admin@example.test\n"
	note(time.Time{}, "", "")
	h.admin.Get(access).Want(200, "sett cannot read CODEOWNERS of acme/shop without a token.")
	note(now, "", text)
	h.admin.Get(access).Want(200, "2 rules from CODEOWNERS of acme/shop. The repository has no token now")
	token("t")
	note(now.Add(-2*time.Hour), "", text)
	h.admin.Get(access).Want(200, "2 rules from CODEOWNERS of acme/shop, read 2 h ago.", "Line 2 negates a pattern", "Unknown owners in it are ignored: @&lt;b&gt;ada.").CheckPage()
	note(now, "The host refuses the token.", text)
	h.admin.Get(access).Want(200, "sett could not ask the host since: The host refuses the token.")
	h.Do("POST", "/v1/notices", `{"error":{"class":"A","backtrace":[{"file":"[PROJECT_ROOT]/app/a.rb","number":"1","method":"m"}]}}`).Want(http.StatusCreated)
	h.admin.Post(h.root+"/ownership/preview", "rules", "/lib/ @crew").Want(200, "admin@example.test", "CODEOWNERS of acme/shop").CheckPage()
	note(now, "The host refuses the token.", "")
	h.admin.Get(access).Want(200, "sett could not read CODEOWNERS of acme/shop: The host refuses the token.")
	note(now, "", "")
	h.admin.Get(access).Want(200, "acme/shop had no CODEOWNERS file", ".github/CODEOWNERS, CODEOWNERS, docs/CODEOWNERS")
}
