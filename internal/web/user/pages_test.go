package user_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"sett/internal/auth"
	"sett/internal/setttest"
	"sett/internal/store"
)

const wantPolicy = "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// checkPage fails the test where a page has not the headers of every page, or holds what its policy forbids.
func (a *answer) checkPage() {
	a.t.Helper()
	for name, want := range map[string]string{
		"Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": wantPolicy, "X-Content-Type-Options": "nosniff",
		"Referrer-Policy": "same-origin", "Cache-Control": "no-store",
	} {
		if got := a.header.Get(name); got != want {
			a.t.Errorf("%s: %s is %q, want %q", a.asked, name, got, want)
		}
	}
	if found := forbidden.FindString(a.body); found != "" {
		a.t.Errorf("%s: the page holds %q", a.asked, found)
	}
	if n := strings.Count(a.body, "<h1>"); n != 1 {
		a.t.Errorf("%s: the page has %d headings of the first order", a.asked, n)
	}
	for _, form := range forms.FindAllString(a.body, -1) {
		if !strings.Contains(form, ` action="/`) || !strings.Contains(form, "<button") {
			a.t.Errorf("%s: a form has no action or no button: %s", a.asked, form)
		}
	}
}

var (
	forbidden = regexp.MustCompile(`(?i)<script|<style|\sstyle=|\son[a-z]+=|javascript:|ZgotmplZ`)
	forms     = regexp.MustCompile(`(?s)<form.*?</form>`)
)

func TestEveryPage(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	ann := addAnn(t, s)
	seeProject(t, s, ann)
	out, in := newBrowser(t, s), newBrowser(t, s).signIn()
	for _, path := range []string{"/login", "/forgot", asked(t, s, annsEmail), invite(t, s, "new@example.test"), unsubscribeLink(t, s, ann)} {
		out.get(path).want(http.StatusOK).checkPage()
	}
	in.post("/me/security/totp").leads("/me/security/totp")
	for _, path := range []string{"/", "/me/security", "/me/security/totp", "/me/sessions", "/me/tokens", "/me/alerts", fmt.Sprint("/me/alerts/", s.Setup.ProjectID)} {
		in.get(path).want(http.StatusOK).checkPage()
	}
	in.post("/me/tokens", "name", "x", "scope", "read", "days", "0").want(http.StatusOK).checkPage()
	in.post("/me/tokens").want(422).checkPage()
	out.get("/no/such/page").want(404, "nothing is served at this address", "Request id").checkPage()
	out.do("DELETE", "/login", nil).want(405).checkPage()
}

func TestMachinesGetJSON(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	b := newBrowser(t, s)
	for _, path := range []string{"/v2/projects", "/v2/no", "/v1/no"} {
		if got := b.get(path); got.header.Get("Content-Type") != "application/json; charset=utf-8" {
			t.Errorf("%s: a browser gets %s", path, got.header.Get("Content-Type"))
		}
	}
	if got := b.do("GET", "/no/such/page", nil, "Accept", "*/*").want(404); !strings.HasPrefix(got.body, `{"errors"`) {
		t.Errorf("a program gets %s", got.body)
	}
}

func TestHostileNamesAreText(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	const hostile, shown = `"><img src=x onerror=alert(1)>{{.}}`, `&#34;&gt;&lt;img src=x onerror=alert(1)&gt;{{.}}`
	_, _, err := s.App.Store().CreateAccount(t.Context(), s.Clock.Now(), hostile, store.NewUser{
		Email: "hostile@example.test", Name: hostile, Password: auth.HashPassword(annsPassword),
	})
	if err != nil {
		t.Fatal(err)
	}
	b := newBrowser(t, s)
	b.post("/login", "email", hostile, "password", "x", "next", "/"+hostile).want(422, `value="`+shown+`"`)
	b.post("/login", "email", "hostile@example.test", "password", annsPassword).leads("/")
	b.get("/").want(200, "Welcome, "+shown, "<strong>"+shown+"</strong>")
	if page := b.post("/me/tokens", "name", hostile, "scope", "read", "days", "0").want(200, shown); strings.Contains(page.body, "<img") {
		t.Error("the name of a token becomes an element")
	}
	if page := b.get("/login?done=" + url.QueryEscape("<b>x")); strings.Contains(page.body, "<b>x") {
		t.Error("an address puts words into the page")
	}
}

func TestStyle(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	b := newBrowser(t, s)
	m := regexp.MustCompile(`href="(/s/app\.[0-9a-f]{12}\.css)"`).FindStringSubmatch(b.get("/login").body)
	if m == nil {
		t.Fatal("the page has no style")
	}
	got := b.get(m[1]).want(200, "--bg: #f7f6f3")
	if cache := got.header.Get("Cache-Control"); cache != "public, max-age=31536000, immutable" {
		t.Errorf("Cache-Control: %s", cache)
	}
	if kind := got.header.Get("Content-Type"); kind != "text/css; charset=utf-8" {
		t.Errorf("Content-Type: %s", kind)
	}
	b.get("/s/app.000000000000.css").want(404)
}

func TestLinksOfPagesLeadSomewhere(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	seeProject(t, s, addAnn(t, s))
	b := newBrowser(t, s).signIn()
	seen := map[string]bool{}
	var visit func(path string)
	visit = func(path string) {
		if path, _, _ = strings.Cut(path, "#"); seen[path] || path == "" || path == "/docs/api" {
			return
		}
		seen[path] = true
		page := b.get(path)
		if page.status != http.StatusOK && page.status != http.StatusSeeOther {
			t.Errorf("a link leads to %s, which answers %d", path, page.status)
		}
		for _, m := range regexp.MustCompile(`href="(/[^"]*)"`).FindAllStringSubmatch(page.body, -1) {
			visit(m[1])
		}
	}
	visit("/")
	b.get("/docs/api").want(200)
	if len(seen) < 8 {
		t.Errorf("only %d pages are linked: %v", len(seen), fmt.Sprint(seen))
	}
}
