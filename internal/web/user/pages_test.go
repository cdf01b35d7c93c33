package user_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"sett/internal/setttest"
	"sett/internal/store/accountdb"
)

func TestEveryPage(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	ann := addAnn(t, s)
	seeProject(t, s, ann)
	out, in := newBrowser(t, s), newBrowser(t, s).signIn()
	for _, path := range []string{"/login", "/forgot", asked(t, s, annsEmail), invite(t, s, "new@example.test"), unsubscribeLink(t, s, ann)} {
		out.get(path).want(http.StatusOK).CheckPage()
	}
	in.post("/me/security/totp").leads("/me/security/totp")
	for _, path := range []string{"/", "/me/security", "/me/security/totp", "/me/sessions", "/me/tokens", "/me/profile", "/me/alerts", fmt.Sprint("/me/alerts/", s.Setup.ProjectID)} {
		in.get(path).want(http.StatusOK).CheckPage()
	}
	in.post("/me/tokens", "name", "x", "scope", "read", "days", "30").want(http.StatusOK).CheckPage()
	in.post("/me/tokens").want(422).CheckPage()
	out.get("/no/such/page").want(404, "Check the URL", "Request ID").CheckPage()
	out.do("DELETE", "/login", nil).want(405).CheckPage()
}

func TestMachinesGetJSON(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	b := newBrowser(t, s)
	for _, path := range []string{"/v2/projects", "/v2/no", "/v1/no"} {
		if got := b.get(path); got.Header.Get("Content-Type") != "application/json; charset=utf-8" {
			t.Errorf("%s: a browser gets %s", path, got.Header.Get("Content-Type"))
		}
	}
	if got := b.do("GET", "/no/such/page", nil, "Accept", "*/*").want(404); !strings.HasPrefix(got.Body, `{"errors"`) {
		t.Errorf("a program gets %s", got.Body)
	}
}

func TestHostileNamesAreText(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	const hostile, shown = `"><img src=x onerror=alert(1)>{{.}}`, `&#34;&gt;&lt;img src=x onerror=alert(1)&gt;{{.}}`
	_, _, err := s.App.Store().Accounts.CreateAccount(t.Context(), s.Clock.Now(), hostile, accountdb.NewUser{
		Email: "hostile@example.test", Name: hostile, Password: setttest.PasswordCost.Hash(annsPassword),
	})
	if err != nil {
		t.Fatal(err)
	}
	b := newBrowser(t, s)
	b.post("/login", "email", hostile, "password", "x", "next", "/"+hostile).want(422, `value="`+shown+`"`)
	b.post("/login", "email", "hostile@example.test", "password", annsPassword).leads("/")
	b.get("/").want(200, "Welcome to "+shown+", "+shown, "<strong>"+shown+"</strong>")
	if page := b.post("/me/tokens", "name", hostile, "scope", "read", "days", "30").want(200, shown); strings.Contains(page.Body, "<img") {
		t.Error("the name of a token becomes an element")
	}
	if page := b.get("/login?done=" + url.QueryEscape("<b>x")); strings.Contains(page.Body, "<b>x") {
		t.Error("an address puts words into the page")
	}
}

func TestStyle(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	b := newBrowser(t, s)
	m := regexp.MustCompile(`href="(/s/app\.[0-9a-f]{12}\.css)"`).FindStringSubmatch(b.get("/login").Body)
	if m == nil {
		t.Fatal("the page has no style")
	}
	got := b.get(m[1]).want(200, "--bg:light-dark(#f7f6f3")
	if cache := got.Header.Get("Cache-Control"); cache != "public, max-age=31536000, immutable" {
		t.Errorf("Cache-Control: %s", cache)
	}
	if kind := got.Header.Get("Content-Type"); kind != "text/css; charset=utf-8" {
		t.Errorf("Content-Type: %s", kind)
	}
	b.get("/s/app.000000000000.css").want(404)
}

func TestLinksOfPagesLeadSomewhere(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	ann := addAnn(t, s)
	seeProject(t, s, ann)
	if err := s.App.Store().Accounts.SetOperator(t.Context(), ann, true); err != nil { // the manual mentions server pages that other users may not open
		t.Fatal(err)
	}
	b := newBrowser(t, s).signIn()
	seen := map[string]bool{}
	var visit func(path string)
	visit = func(path string) {
		if path, _, _ = strings.Cut(path, "#"); seen[path] || path == "" || path == "/docs/api" {
			return
		}
		seen[path] = true
		page := b.get(path)
		if page.Status != http.StatusOK && page.Status != http.StatusSeeOther {
			t.Errorf("a link leads to %s, which answers %d", path, page.Status)
		}
		for _, m := range regexp.MustCompile(`href="(/[^"]*)"`).FindAllStringSubmatch(page.Body, -1) {
			visit(m[1])
		}
	}
	visit("/")
	b.get("/docs/api").want(200)
	if len(seen) < 8 {
		t.Errorf("only %d pages are linked: %v", len(seen), fmt.Sprint(seen))
	}
}
