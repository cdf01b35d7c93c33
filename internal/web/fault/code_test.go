package fault_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/repo"
	"sett/internal/setttest"
)

const (
	firstSHA  = "4f2a9c1a4f2a9c1a4f2a9c1a4f2a9c1a4f2a9c1a"
	secondSHA = "5e3b8d2b5e3b8d2b5e3b8d2b5e3b8d2b5e3b8d2b"
)

// connect adds a repository to the project.
func (o *shop) connect(url string) repo.Repository {
	o.t.Helper()
	r, err := o.App.Store().Repos.Create(o.t.Context(), o.Clock.Now(), o.Setup.ProjectID, repo.RepositoryChange{URL: sett.Some(url)})
	if err != nil {
		o.t.Fatal(err)
	}
	return r
}

// hears records what a webhook of a repository says of a change.
func (o *shop) hears(r repo.Repository, c repo.Change) {
	o.t.Helper()
	o.Clock.Push(time.Minute)
	c.UpdatedAt, c.Target = o.Clock.Now(), "main"
	if err := o.App.Store().RecordDelivery(o.t.Context(), o.Clock.Now(), r, repo.Delivery{Event: "pull_request", Trunk: "main", Change: &c}, o.Base); err != nil {
		o.t.Fatal(err)
	}
}

func TestCodeOfAnError(t *testing.T) {
	t.Parallel()
	o := open(t)
	f := o.report(rich)
	o.member.Get(o.path(f)).Want(200).Lacks("Fixes SETT-", `id="code-title"`)
	r := o.connect("https://github.com/acme/shop")
	keyword := fmt.Sprintf("Fixes SETT-%d", f.ID)
	o.member.Get(o.path(f)).Want(200, keyword, "Link a pull request").Lacks("is open", "uspect commit").CheckPage()

	opened := repo.Change{Number: 12, Title: "Round <b>later", Body: keyword, URL: "https://github.com/acme/shop/pull/12", State: repo.Open, Branch: "repair", HeadSHA: firstSHA, Author: "ines", Checks: repo.ChecksPassed}
	o.hears(r, opened)
	evil := repo.Change{Number: 13, Title: "<script>alert(1)</script>", Body: keyword, URL: "javascript:alert(1)", State: repo.Closed, Branch: "evil", HeadSHA: secondSHA, Author: "<i>"}
	o.hears(r, evil)
	page := o.member.Get(o.path(f)).Want(200, "A change for this is open:", `<a href="https://github.com/acme/shop/pull/12" rel="noreferrer">#12</a> Round &lt;b&gt;later`, "checks passed · by ines · branch repair", "Closed without a merge").
		Lacks("<script>alert", `href="javascript:`, "ZgotmplZ", "<i>").CheckPage().Body
	if strings.Index(page, "#12") > strings.LastIndex(page, "#13") || strings.Index(page, "A change for this is open") < strings.Index(page, "<h1>Boom") {
		t.Error("the open change is not first, or above what failed")
	}
	opened.State, opened.MergeSHA, opened.MergedAt = repo.Merged, secondSHA, o.Clock.Now()
	o.hears(r, opened)
	o.member.Get(o.path(f)).Want(200, "Merged, waits for a deploy").Lacks("is open").CheckPage()

	finding := repo.Finding{FaultID: f.ID, ProjectID: f.ProjectID, Outcome: repo.None, Why: "This deploy changed no file of the stack trace.", FoundAt: o.Clock.Now()}
	found := func(change func(*repo.Finding)) {
		t.Helper()
		change(&finding)
		if err := o.App.Store().Repos.SetSuspect(t.Context(), finding); err != nil {
			t.Fatal(err)
		}
	}
	found(func(*repo.Finding) {})
	o.member.Get(o.path(f)).Want(200, "No suspect commit. This deploy changed no file of the stack trace.").CheckPage()
	found(func(f *repo.Finding) { f.Outcome, f.Why = repo.Unknown, "The host has no such commit." })
	o.member.Get(o.path(f)).Want(200, "The suspect commit is not known. The host has no such commit.").Lacks("No suspect commit")
	found(func(f *repo.Finding) {
		f.Outcome, f.RepositoryID, f.Change, f.Why = repo.Found, r.ID, 11, "It changed line 2 of app/cart.rb last."
		f.Commit = repo.Commit{SHA: firstSHA, Message: "Round </code><script>alert(1)</script>", Author: "Ada <b>", At: o.Clock.Now(), URL: "javascript:alert(1)"}
	})
	o.member.Get(o.path(f)).Want(200, "Suspect commit", `title="`+firstSHA+`">4f2a9c1</code>`, "Round &lt;/code&gt;", "Ada &lt;b&gt;", "It changed line 2", `<a href="https://github.com/acme/shop/pull/11" rel="noreferrer">#11</a>`).
		Lacks("<script>alert", `href="javascript:`, "ZgotmplZ").CheckMarkup()
	found(func(f *repo.Finding) { f.Commit.URL = "https://github.com/acme/shop/commit/" + firstSHA })
	o.member.Get(o.path(f)).Want(200, `<a href="https://github.com/acme/shop/commit/`+firstSHA+`" rel="noreferrer">4f2a9c1</a>`)

	if err := o.App.Store().Repos.Delete(t.Context(), o.Setup.ProjectID, r.ID); err != nil {
		t.Fatal(err)
	}
	o.connect("https://gitlab.com/acme/other")
	o.member.Get(o.path(f)).Want(200, keyword).Lacks("uspect commit", "#12").CheckPage() // they were of the other repository
}

func TestChangesAreLinkedByHand(t *testing.T) {
	t.Parallel()
	setttest.Each(t, linkByHand)
}

func linkByHand(t *testing.T, s *setttest.Server) {
	o := openOn(t, s)
	f := o.report(plain("Boom"))
	changes, there := o.path(f)+"/changes", "https://gitlab.com/acme/shop/-/merge_requests/7"
	o.member.Post(changes, "url", there).Want(422, "of a repository of this project").CheckPage()
	r := o.connect("https://gitlab.com/acme/shop")
	o.member.Post(changes, "url", "javascript:alert(1)").Want(422, `id="change-url-problem"`, `value="javascript:alert(1)"`).CheckPage()
	o.member.Post(changes, "url", there).Want(422, "no webhook has named").CheckPage()
	o.hears(r, repo.Change{Number: 7, Title: "Repair it", URL: there, State: repo.Open, Draft: true, Branch: "repair", HeadSHA: firstSHA})
	o.outsider.Post(changes, "url", there).Want(404)
	o.Clock.Push(time.Minute)
	o.member.Post(changes, "url", there+"#note_1").Leads(o.path(f) + "?done=change_linked")
	o.wantEntry("linkChange")
	o.member.Get(o.path(f)).Want(200, `<a href="`+there+`" rel="noreferrer">!7</a>`, "Repair it", "Draft", `aria-label="Unlink !7"`).CheckPage()
	o.member.Get(o.list()).Want(200, "Change open").CheckPage()
	id := fmt.Sprint(r.ID)
	o.outsider.Post(changes+"/unlink", "repository_id", id, "number", "7").Want(404)
	o.member.Post(changes+"/unlink", "repository_id", id, "number", "x").Want(422)
	o.member.Post(changes+"/unlink", "repository_id", "99", "number", "7").Want(404)
	o.Clock.Push(time.Minute)
	o.member.Post(changes+"/unlink", "repository_id", id, "number", "7").Leads(o.path(f) + "?done=change_unlinked")
	o.wantEntry("unlinkChange")
	o.member.Get(o.path(f)).Want(200).Lacks("!7")
	o.member.Get(o.list()).Want(200, "Boom").Lacks("Change open")
}
