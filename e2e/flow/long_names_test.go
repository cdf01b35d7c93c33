package flow

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"sett/e2e/rig"
	"sett/e2e/rig/browser"
)

// longName is as long as names may be, and offers no place to break it.
func longName(prefix string) string { return prefix + strings.Repeat("Wm", 125)[:250-len(prefix)] }

// Names as long as they may be, of whatever people and programs name, make no page wider than a phone, and none of a desk.
func TestLongNamesFitOnAPhone(t *testing.T) {
	t.Parallel()
	rig.NeedJavaScript(t)
	v := browser.NewVisitor(t)
	v.Tab = browser.OpenFor(t, 10*patience)
	nameAllLong(v)
	v.Look(t, "light", 1440)
	v.SignIn(rig.OwnersEmail, rig.OwnersPassword)
	v.Open(v.S.Base+"/me/profile", "#name")
	v.Do(t, chromedp.SetValue(chromedp.CSS("#name"), longName("P")), chromedp.Submit(chromedp.CSS("#name")), chromedp.WaitVisible(chromedp.CSS(browser.Said)))
	paths := screens(t, v.Tab, v.S.Base)
	if len(paths) < 30 {
		t.Fatalf("only %d screens: %q", len(paths), paths)
	}
	public := "/status/long"
	for _, path := range append(paths, public) {
		v.Do(t, chromedp.Navigate(v.S.Base+path), chromedp.WaitVisible(chromedp.CSS("#main")))
		for _, width := range []int64{390, 1440} {
			v.Look(t, "light", width)
			if wide := browser.Evaluate[int](t, v.Tab, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); wide > 0 {
				const widest = `[...document.querySelectorAll("main *")].sort((a, b) => b.getBoundingClientRect().right - a.getBoundingClientRect().right).slice(0, 3).map(e => e.outerHTML.slice(0, 200)).join("\n")`
				t.Errorf("%s is %d pixels wider than a window of %d; the widest are:\n%s", path, wide, width, browser.Evaluate[string](t, v.Tab, widest))
			}
			v.Keep(t, fmt.Sprintf("long%s-%d.png", strings.NewReplacer("/", "_", "?", "_").Replace(path), width))
		}
	}
	v.WantSilent(t, "all over")
}

// nameAllLong fills the server with one of everything, with a long name each.
func nameAllLong(v *browser.Visitor) {
	v.T.Helper()
	m, project := v.S.Manage(v.T), v.S.Project()
	m.Put(project, map[string]any{"project": map[string]any{"name": longName("S")}})
	m.Do(http.MethodPost, project+"/sites", map[string]any{"site": map[string]any{"name": longName("U"), "url": "http://127.0.0.1:9/" + longName("u"), "active": false}}, http.StatusCreated)
	m.Do(http.MethodPost, project+"/check_ins", map[string]any{"check_in": map[string]any{"name": longName("C"), "slug": strings.ToLower(longName("c")), "schedule_type": "simple", "report_period": "1 hour"}}, http.StatusCreated)
	m.Do(http.MethodPost, project+"/integrations", map[string]any{"integration": map[string]any{
		"type": "WebHook", "options": map[string]any{"url": "https://example.test/" + longName("w"), "label": longName("L")},
	}}, http.StatusCreated)
	m.Do(http.MethodPost, "/v2/accounts/"+v.S.AccountID+"/status_pages", map[string]any{"status_page": map[string]any{"name": longName("T"), "slug": "long"}}, http.StatusCreated)
	m.Do(http.MethodPost, "/v2/teams?account_id="+v.S.AccountID, map[string]any{"team": map[string]any{"name": longName("G")}}, http.StatusCreated)
	report(v, map[string]any{"deploy": map[string]any{"environment": longName("e"), "revision": longName("r"), "repository": "https://git.test/" + longName("g"), "local_username": longName("n")}}, "/v1/deploys")
	for _, class := range []string{longName("E"), longName("Acme::Checkout::"), strings.Repeat("Acme::Cart.", 22)} {
		report(v, map[string]any{
			"error":   map[string]any{"class": class, "message": longName("m"), "tags": []string{longName("t")}, "backtrace": []any{map[string]any{"file": "[PROJECT_ROOT]/" + longName("f"), "method": longName("d"), "number": "1"}}},
			"request": map[string]any{"component": longName("Orders"), "action": longName("a"), "url": "https://shop.test/" + longName("q"), "context": map[string]any{longName("k"): longName("v"), "user_email": longName("u") + "@example.test"}},
			"server":  map[string]any{"environment_name": longName("e"), "hostname": longName("h"), "revision": longName("r")},
		}, "/v1/notices")
	}
}

// report sends what programs send.
func report(v *browser.Visitor, body any, path string) {
	v.T.Helper()
	answer := rig.As(v.T, v.S.Base, v.S.APIKey).Do(http.MethodPost, path+"?api_key="+v.S.APIKey, body, http.StatusCreated)
	if len(answer) == 0 {
		v.T.Errorf("%s answers nothing", path)
	}
}
