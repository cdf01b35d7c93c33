package statuspage_test

import (
	"net/http"
	"path"
	"strings"
	"sync"
	"testing"

	"sett/internal/app"
	"sett/internal/setttest"
	"sett/internal/setttest/nameserver"
)

// A domain is checked as soon as it is set or a check is requested, and the page is served there once DNS confirms it.
func TestStoryOfADomain(t *testing.T) {
	t.Parallel()
	const host = "pages.sett.example.test"
	var entered sync.Map // what TXT records say, by name
	answer := func(name string) (a nameserver.Answer) {
		if text, ok := entered.Load(name); ok {
			a.TXT = []string{text.(string)}
		}
		return a
	}
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		domain := path.Base(t.Name()) + ".example.test"
		pages := "/v2/accounts/" + s.Setup.AccountID + "/status_pages"
		s.Post(pages, map[string]any{"status_page": map[string]any{"name": "Own", "domain": host}}).Want(http.StatusUnprocessableEntity)
		page := s.Post(pages, map[string]any{"status_page": map[string]any{"name": "Acme", "slug": "acme", "domain": domain}}).Want(http.StatusCreated).JSON()
		at := pages + "/" + page["id"].(string)
		show := func() map[string]any { return s.Get(at).Want(http.StatusOK).JSON() }
		for t.Context().Err() == nil && page["domain_problem"] == nil {
			page = show()
		}
		if page["domain_state"] != "pending" || !strings.Contains(page["domain_problem"].(string), "no CNAME to "+host) {
			t.Errorf("before anything is entered: %v", page)
		}
		records := page["domain_records"].([]any)
		entered.Store("_sett."+domain, records[len(records)-1].(map[string]any)["value"])
		s.Post(at+"/verify_domain", nil).Want(http.StatusOK)
		visitor{t: t, base: s.App.BaseURL(), host: domain}.await("/", http.StatusOK, "<h1>Acme</h1>")
		proxy := visitor{t: t, base: s.App.BaseURL()}
		for name, want := range map[string]int{domain: http.StatusOK, strings.ToUpper(domain) + ".": http.StatusOK, host: http.StatusNotFound, "127.0.0.1": http.StatusNotFound, "x." + domain: http.StatusNotFound, "": http.StatusNotFound} {
			if status, body := proxy.get("/status-domains/check?domain=" + name); status != want {
				t.Errorf("a proxy that asks for %q hears %d: %s", name, status, body)
			}
		}
		if page = show(); page["domain_state"] != "verified" || page["domain_verified_at"] == nil || page["domain_problem"] != nil || page["url"] != "https://"+domain {
			t.Errorf("afterwards: %v", page)
		}
	}, func(c *app.Config) { c.StatusHost, c.Resolver = host, nameserver.Listen(t, answer) })
}
