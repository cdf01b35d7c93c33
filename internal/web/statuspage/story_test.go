package statuspage_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"sett/internal/app"
	"sett/internal/setttest"
)

// visitor views status pages as a browser does.
type visitor struct {
	t    *testing.T
	base string
	host string // "" for that of base
}

func (v visitor) get(path string) (status int, body string) {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), http.MethodGet, v.base+path, nil)
	if err != nil {
		v.t.Fatal(err)
	}
	r.Host = v.host
	r.Header.Set("Accept", "text/html")
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		v.t.Fatal(err)
	}
	defer got.Body.Close()
	read, err := io.ReadAll(got.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return got.StatusCode, string(read)
}

// await asks until a page is answered with the status and holds a text. The clock of the server stands still: nothing but
// word of the change itself makes it draw the page again.
func (v visitor) await(path string, status int, text string) {
	v.t.Helper()
	for {
		got, body := v.get(path)
		if got == status && strings.Contains(body, text) {
			return
		}
		if v.t.Context().Err() != nil {
			v.t.Fatalf("%s: status %d, want %d with %q; body: %s", path, got, status, text, body)
		}
	}
}

// What people change is shown by itself, on the server's address at once.
func TestStoryOfAPage(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		v := visitor{t: t, base: s.App.BaseURL()}
		if status, _ := v.get("/status/acme"); status != http.StatusNotFound {
			t.Fatalf("before there is a page: %d", status)
		}
		pages := "/v2/accounts/" + s.Setup.AccountID + "/status_pages"
		site := s.Post("/v2/projects/1/sites", map[string]any{"site": map[string]any{"url": "https://shop.example.test", "name": "Shop front"}}).Want(http.StatusCreated).JSON()
		page := s.Post(pages, map[string]any{"status_page": map[string]any{
			"name": "Acme", "slug": "acme", "sites": []any{map[string]any{"site_id": site["id"]}}, "domain": "status.acme.example.test",
		}}).Want(http.StatusCreated).JSON()
		v.await("/status/acme", http.StatusOK, "Shop front")
		s.Put("/v2/projects/1/sites/"+site["id"].(string), map[string]any{"site": map[string]any{"name": "Checkout"}}).Want(http.StatusNoContent)
		v.await("/status/acme", http.StatusOK, "Checkout")
		s.Put(pages+"/"+page["id"].(string), map[string]any{"status_page": map[string]any{"name": "Acme & Sons"}}).Want(http.StatusNoContent)
		v.await("/status/acme", http.StatusOK, "<h1>Acme &amp; Sons</h1>")
		v.await("/status/acme/feed.atom", http.StatusOK, "Acme &amp; Sons")
		if status, _ := (visitor{t: t, base: v.base, host: "status.acme.example.test"}).get("/healthz"); status != http.StatusOK {
			t.Errorf("a domain that is not verified is taken for the page's: %d", status)
		}
		s.Put(pages+"/"+page["id"].(string), map[string]any{"status_page": map[string]any{"password": "open sesame"}}).Want(http.StatusNoContent)
		v.await("/status/acme", http.StatusUnauthorized, "This page is protected by a password")
		s.Delete(pages + "/" + page["id"].(string)).Want(http.StatusNoContent)
		v.await("/status/acme", http.StatusNotFound, "There is no status page at this URL")
	}, func(c *app.Config) { c.StatusRateLimit = 0 })
}
