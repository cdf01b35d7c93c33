package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// longName is as long as names may be, and offers no place to break it.
func longName(prefix string) string { return prefix + strings.Repeat("Wm", 125)[:250-len(prefix)] }

// Names as long as they may be, of whatever people and programs name, make no page wider than a phone, and none of a desk.
func TestLongNamesFitOnAPhone(t *testing.T) {
	t.Parallel()
	needJavaScript(t)
	v := newVisitor(t)
	v.tab = openTabFor(t, 10*patience)
	v.nameAllLong()
	v.look(t, "light", 1440)
	v.signIn(ownersEmail, ownersPassword)
	v.open(v.s.base+"/me/profile", "#name")
	v.do(t, chromedp.SetValue(chromedp.CSS("#name"), longName("P")), chromedp.Submit(chromedp.CSS("#name")), chromedp.WaitVisible(chromedp.CSS(said)))
	paths := screens(t, v.tab, v.s.base)
	if len(paths) < 30 {
		t.Fatalf("only %d screens: %q", len(paths), paths)
	}
	public := "/status/long"
	for _, path := range append(paths, public) {
		v.do(t, chromedp.Navigate(v.s.base+path), chromedp.WaitVisible(chromedp.CSS("#main")))
		for _, width := range []int64{390, 1440} {
			v.look(t, "light", width)
			if wide := evaluate[int](t, v.tab, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); wide > 0 {
				const widest = `[...document.querySelectorAll("main *")].sort((a, b) => b.getBoundingClientRect().right - a.getBoundingClientRect().right).slice(0, 3).map(e => e.outerHTML.slice(0, 200)).join("\n")`
				t.Errorf("%s is %d pixels wider than a window of %d; the widest are:\n%s", path, wide, width, evaluate[string](t, v.tab, widest))
			}
			v.keep(t, fmt.Sprintf("long%s-%d.png", strings.NewReplacer("/", "_", "?", "_").Replace(path), width))
		}
	}
	v.wantSilent(t, "all over")
}

// nameAllLong fills the server with one of everything, with a long name each.
func (v *visitor) nameAllLong() {
	v.t.Helper()
	m, project := v.s.manage(v.t), v.s.project()
	m.put(project, map[string]any{"project": map[string]any{"name": longName("S")}})
	m.do(http.MethodPost, project+"/sites", map[string]any{"site": map[string]any{"name": longName("U"), "url": "http://127.0.0.1:9/" + longName("u"), "active": false}}, http.StatusCreated)
	m.do(http.MethodPost, project+"/check_ins", map[string]any{"check_in": map[string]any{"name": longName("C"), "slug": strings.ToLower(longName("c")), "schedule_type": "simple", "report_period": "1 hour"}}, http.StatusCreated)
	m.do(http.MethodPost, project+"/integrations", map[string]any{"integration": map[string]any{
		"type": "WebHook", "options": map[string]any{"url": "https://example.test/" + longName("w"), "label": longName("L")},
	}}, http.StatusCreated)
	m.do(http.MethodPost, "/v2/accounts/"+v.s.AccountID+"/status_pages", map[string]any{"status_page": map[string]any{"name": longName("T"), "slug": "long"}}, http.StatusCreated)
	m.do(http.MethodPost, "/v2/teams?account_id="+v.s.AccountID, map[string]any{"team": map[string]any{"name": longName("G")}}, http.StatusCreated)
	v.report(map[string]any{"deploy": map[string]any{"environment": longName("e"), "revision": longName("r"), "repository": "https://git.test/" + longName("g"), "local_username": longName("n")}}, "/v1/deploys")
	for _, class := range []string{longName("E"), longName("Acme::Checkout::"), strings.Repeat("Acme::Cart.", 22)} {
		v.report(map[string]any{
			"error":   map[string]any{"class": class, "message": longName("m"), "tags": []string{longName("t")}, "backtrace": []any{map[string]any{"file": "[PROJECT_ROOT]/" + longName("f"), "method": longName("d"), "number": "1"}}},
			"request": map[string]any{"component": longName("Orders"), "action": longName("a"), "url": "https://shop.test/" + longName("q"), "context": map[string]any{longName("k"): longName("v"), "user_email": longName("u") + "@example.test"}},
			"server":  map[string]any{"environment_name": longName("e"), "hostname": longName("h"), "revision": longName("r")},
		}, "/v1/notices")
	}
}

// report sends what programs send.
func (v *visitor) report(body any, path string) {
	v.t.Helper()
	answer := manager{v.t, v.s.base, v.s.APIKey}.do(http.MethodPost, path+"?api_key="+v.s.APIKey, body, http.StatusCreated)
	if len(answer) == 0 {
		v.t.Errorf("%s answers nothing", path)
	}
}
