package people_test

import (
	"net/http"
	"net/netip"
	"regexp"
	"strings"
	"testing"

	"sett/internal/app"
	"sett/internal/setttest"
	"sett/internal/setttest/oldsentry"
	"sett/internal/setttest/visitor"
	"sett/internal/store/accountdb"
)

func loopback(c *app.Config) { c.EgressAllow = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} }

// look fills in the form, and returns the path of the import.
func look(h *house, b *visitor.Browser, address, token string) string {
	h.t.Helper()
	answer := b.Post(h.root+"/imports", "from", "sentry", "url", address, "token", token, "org", "acme", "projects", "", "events", "1").Want(http.StatusSeeOther)
	path, _, _ := strings.Cut(answer.Header.Get("Location"), "?")
	if !regexp.MustCompile(`/imports/\d+$`).MatchString(path) {
		h.t.Fatalf("a look leads to %q", path)
	}
	return path
}

// ended waits until an import has ended: its stream ends then. It returns the page.
func ended(b *visitor.Browser, path string) *visitor.Answer {
	b.T.Helper()
	b.Get(path+"/events").Want(http.StatusOK, "event: part", `<div id="moving" class="grid"`, "event: end")
	return b.Get(path).Want(http.StatusOK).CheckPage()
}

// An owner looks, imports, reads the report, and finds what came.
func TestMoveInByPage(t *testing.T) {
	t.Parallel()
	h := open(t, loopback)
	old := oldsentry.StartSmall(t, h.Clock.Now())
	h.owner.Get(h.root+"/imports").Want(http.StatusOK, "Where do you move from?", "Nothing was imported yet").CheckPage()
	looked := look(h, h.owner, old.URL, oldsentry.Token)
	ended(h.owner, looked).Want(http.StatusOK, "Nothing was written.", "This would come", `<th scope="row">errors</th>`, "This does not come", ">Import</button>").Lacks(oldsentry.Token)
	h.owner.Get("/projects").Want(http.StatusOK).Lacks(">web<")
	_, id, _ := strings.Cut(looked, "/imports/")
	h.owner.Get(h.root+"/imports?like="+id).Want(http.StatusOK, `value="`+old.URL+`"`, `value="acme"`).Lacks(oldsentry.Token)
	h.owner.Get(h.root + "/imports?like=999999").Want(http.StatusNotFound)

	h.owner.Post(looked+"/start", "token", "").Want(http.StatusUnprocessableEntity, "can&#39;t be blank")
	moved, _, _ := strings.Cut(h.owner.Post(looked+"/start", "token", oldsentry.Token).Want(http.StatusSeeOther).Header.Get("Location"), "?")
	ended(h.owner, moved).Want(http.StatusOK, "This came", `<th scope="row">errors</th><td class="right" data-label="Found">2</td><td class="right" data-label="New">2</td>`).Lacks(oldsentry.Token)
	h.owner.Get("/projects").Want(http.StatusOK, "web")
	h.owner.Get(h.root+"/imports").Want(http.StatusOK, "Sentry or GlitchTip", "Look", "Finished", "The boss").Lacks(oldsentry.Token)
	h.owner.Get(h.root+"/audit").Want(http.StatusOK, "looked what there is to import", "started an import", "created the project").Lacks(oldsentry.Token)
	h.owner.Post(moved+"/start", "token", "t").Want(http.StatusConflict, "Look first")
	h.owner.Post(moved+"/go-on", "token", "t").Want(http.StatusConflict, "has ended")
}

// What is running is the only one of its account; it is stopped and goes on.
func TestAnImportOfAPageIsStoppedAndGoesOn(t *testing.T) {
	t.Parallel()
	h := open(t, loopback)
	old, open := oldsentry.StartSmall(t, h.Clock.Now()), make(chan struct{})
	old.Hold(oldsentry.Token, open)
	path := look(h, h.admin, old.URL, oldsentry.Token)
	h.admin.Get(path).Want(http.StatusOK, ">Stop</button>", `data-live="`+path+`/events"`, `<meta http-equiv="refresh"`).CheckPage()
	h.owner.Post(h.root+"/imports", "from", "sentry", "url", old.URL, "token", "t", "org", "acme", "events", "1").Want(http.StatusConflict, "Another import of this account is running")
	h.owner.Post(path + "/stop").Want(http.StatusSeeOther)
	h.owner.Get(path).Want(http.StatusOK, "Stopped", "Give it again", ">Go on</button>").CheckPage()
	close(open)
	h.owner.Post(path+"/go-on", "token", oldsentry.Token).Want(http.StatusSeeOther)
	ended(h.owner, path).Want(http.StatusOK, "Finished", "This would come")
}

func TestWhoMayNotImport(t *testing.T) {
	t.Parallel()
	h := open(t)
	path := look(h, h.owner, "https://127.0.0.1:1", "secret")
	ended(h.owner, path).Want(http.StatusOK, "Failed", "127.0.0.1, a loopback address, are not allowed", ">Go on</button>", "Nothing was written.").Lacks("--url").Lacks("This would come")
	h.member.Get(h.root + "/people").Want(http.StatusOK).Lacks(h.root + "/imports")
	for _, page := range []string{h.root + "/imports", path, path + "/events"} {
		h.member.Get(page).Want(http.StatusForbidden)
	}
	for _, form := range []string{h.root + "/imports", path + "/start", path + "/stop", path + "/go-on"} {
		h.member.Post(form, "token", "t").Want(http.StatusForbidden)
	}
	account, _, err := h.App.Store().Accounts.CreateAccount(t.Context(), h.Clock.Now(), "Evil", accountdb.NewUser{Email: "eve@evil.test", Name: "Eve", Password: setttest.PasswordCost.Hash(password)})
	if err != nil {
		t.Fatal(err)
	}
	eve := visitor.New(t, h.Server).SignIn("eve@evil.test", password)
	own := "/accounts/" + account + strings.TrimPrefix(path, h.root)
	for _, page := range []string{path, path + "/events", own, own + "/events"} {
		eve.Get(page).Want(http.StatusNotFound)
	}
	for _, form := range []string{own + "/start", own + "/stop", own + "/go-on"} {
		eve.Post(form, "token", "t").Want(http.StatusNotFound)
	}
}

func TestImportsAreRefusedWithReasons(t *testing.T) {
	t.Parallel()
	h := open(t)
	for _, c := range []struct {
		fields []string
		want   string
	}{
		{[]string{"from", "sentry", "token", "t", "org", "acme", "events", "3"}, "Address can&#39;t be blank."},
		{[]string{"from", "sentry", "url", "file:///etc/passwd", "token", "t", "org", "acme", "events", "3"}, "Address must be the address of the server"},
		{[]string{"from", "sentry", "url", "https://u:p@old.test", "token", "t", "org", "acme", "events", "3"}, "Address must be the address of the server"},
		{[]string{"from", "sentry", "url", "https://old.test", "token", "t", "events", "3"}, "Organization can&#39;t be blank."},
		{[]string{"from", "sentry", "url", "https://old.test", "token", "t\nX: y", "org", "acme", "events", "3"}, "Token contains characters"},
		{[]string{"from", "honeybadger", "url", "https://old.test", "token", "t", "events", "1000"}, "Events per error must be from 0 to 100."},
		{[]string{"from", "honeybadger", "url", "https://old.test", "token", "t", "events", "x"}, "Events per error must be a number"},
		{[]string{"from", "healthchecks", "url", "https://old.test", "token", "t"}, "Project can&#39;t be blank."},
	} {
		h.owner.Post(h.root+"/imports", c.fields...).Want(http.StatusUnprocessableEntity, c.want)
	}
	for _, source := range []string{"honeybadger", "bugsink", "healthchecks", "kuma", "gatus", "openstatus", "sett", "nothing"} {
		h.owner.Get(h.root + "/imports?source=" + source).Want(http.StatusOK).CheckPage()
	}
	h.owner.Get(h.root+"/imports?source=kuma").Want(http.StatusOK, "sett import kuma", "/docs/import-monitors")
}
