package statuspage

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"encoding/xml"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"sett/internal/sett/status"
)

// everyPath is what is served of fullView below a root.
func everyPath(d *rendering, assets ...string) []string {
	paths := []string{"", "/status.json", "/history", "/history?page=1", "/incidents/1", "/feed.atom", "/feed.json", "/badge.svg", "/s/" + d.customName}
	for _, a := range assets {
		paths = append(paths, "/s/"+a)
	}
	return paths
}

func TestEveryDocumentIsCacheable(t *testing.T) {
	t.Parallel()
	p := newPages(t)
	show(t, p, fullView())
	h := mux(p)
	d := p.index.Load().pages[0].rendered.Load()
	for _, path := range append(everyPath(d, p.style, p.script), ".json") {
		path = "/status/acme" + path
		plain := want(t, ask(t, h, "GET", path, ""), 200)
		etag := plain.Header().Get("ETag")
		vary := "Accept-Encoding"
		if strings.HasPrefix(plain.Header().Get("Content-Type"), "text/html") {
			vary += ", Accept-Language"
		}
		if etag == "" || plain.Header().Get("Vary") != vary || plain.Header().Get("Content-Length") == "" {
			t.Errorf("%s: headers %v", path, plain.Header())
		}
		if cc, hashed := plain.Header().Get("Cache-Control"), strings.Contains(path, "/s/"); hashed && cc != "public, max-age=31536000, immutable" || !hashed && cc != "public, max-age=1, stale-if-error=86400" {
			t.Errorf("%s: Cache-Control %q", path, cc)
		}
		for _, tag := range []string{etag, strings.TrimPrefix(etag, "W/"), `"x", ` + etag, "*"} {
			if w := want(t, ask(t, h, "GET", path, "", "If-None-Match", tag), 304); w.Body.Len() > 0 || w.Header().Get("ETag") != etag {
				t.Errorf("%s: 304 with %d bytes and %v", path, w.Body.Len(), w.Header())
			}
		}
		want(t, ask(t, h, "GET", path, "", "If-None-Match", `"x"`), 200)
		if w := want(t, ask(t, h, "HEAD", path, ""), 200); w.Body.Len() > 0 || w.Header().Get("Content-Length") != plain.Header().Get("Content-Length") {
			t.Errorf("%s: HEAD with %d bytes and %v", path, w.Body.Len(), w.Header())
		}
		packed := want(t, ask(t, h, "GET", path, "", "Accept-Encoding", "br, GZip;q=0.5"), 200)
		z, err := gzip.NewReader(packed.Body)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if body, err := io.ReadAll(z); err != nil || !bytes.Equal(body, plain.Body.Bytes()) || packed.Header().Get("Content-Encoding") != "gzip" {
			t.Errorf("%s: compressed it is something else: %v", path, err)
		}
		if w := ask(t, h, "GET", path, "", "Accept-Encoding", "gzip;q=0.0, identity"); w.Header().Get("Content-Encoding") != "" {
			t.Errorf("%s is compressed for a client that does not accept it", path)
		}
	}
}

// An unchanged document is reused and never written to, because other requests may be sending it.
func TestUnchangedDocumentsAreKept(t *testing.T) {
	t.Parallel()
	p := newPages(t)
	show(t, p, fullView())
	before := p.index.Load().pages[0].rendered.Load()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 5 {
				want(t, ask(t, mux(p), "GET", "/status/acme", ""), 200)
			}
		})
	}
	again := &rendering{view: before.view, history: before.history}
	if err := p.render(again, before); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	a, b := again.main, before.main
	if a.front != b.front || a.summary != b.summary || a.atom != b.atom || a.jsonFeed != b.jsonFeed || a.badge != b.badge || again.custom != before.custom {
		t.Error("documents were made anew that had not changed")
	}
}

func TestContentPolicy(t *testing.T) {
	t.Parallel()
	p := newPages(t)
	show(t, p, fullView())
	const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
	for path, want := range map[string]string{
		"": policy, "/history": policy, "/incidents/1": policy, "/nothing": "default-src 'none'; frame-ancestors 'none'",
		"/badge.svg": "default-src 'none'; frame-ancestors 'none'", "/feed.atom": "default-src 'none'; frame-ancestors 'none'",
	} {
		w := ask(t, mux(p), "GET", "/status/acme"+path, "")
		if got := w.Header().Get("Content-Security-Policy"); got != want || w.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: policy %q", path, got)
		}
		if cors := w.Header().Get("Access-Control-Allow-Origin"); (cors == "*") != (path == "/badge.svg" || path == "/feed.atom") {
			t.Errorf("%s: other sites' scripts: %q", path, cors)
		}
	}
}

func TestSummary(t *testing.T) {
	t.Parallel()
	p := newPages(t)
	show(t, p, fullView())
	w := want(t, ask(t, mux(p), "GET", "/status/acme.json", ""), 200)
	if other := ask(t, mux(p), "GET", "/status/acme/status.json", ""); other.Body.String() != w.Body.String() || w.Header().Get("Content-Type") != "application/json" {
		t.Error("the two addresses of the summary tell different things")
	}
	var s summary
	if err := json.Unmarshal(w.Body.Bytes(), &s); err != nil {
		t.Fatal(err)
	}
	if s.Page.URL != "https://status.acme.example.test" || s.Status.Indicator != "major" || s.Status.Description != "Some things are slow" || s.Status.State != status.OverallMixed {
		t.Errorf("page %+v, status %+v", s.Page, s.Status)
	}
	var statuses []string
	for _, c := range s.Components {
		statuses = append(statuses, c.Status)
	}
	if got := strings.Join(statuses, " "); got != "operational major_outage degraded_performance under_maintenance paused unknown" {
		t.Errorf("components %s", got)
	}
	if len(s.Incidents) != 1 || len(s.Maintenances) != 2 || s.Incidents[0].Status != "identified" || *s.Maintenances[0].ScheduledFor != "2026-11-19T12:00:00Z" || len(s.Incidents[0].Updates) != 2 {
		t.Errorf("incidents %+v, maintenances %+v", s.Incidents, s.Maintenances)
	}
	if u := s.Components[1].Uptime; u == nil || *u < 99.9 || *u >= 100 {
		t.Errorf("uptime %v", u)
	}
}

func TestFeeds(t *testing.T) {
	t.Parallel()
	p := newPages(t)
	show(t, p, fullView())
	var feed atomFeed
	if err := xml.Unmarshal(want(t, ask(t, mux(p), "GET", "/status/acme/feed.atom", ""), 200).Body.Bytes(), &feed); err != nil {
		t.Fatal(err)
	}
	if feed.ID != "tag:sett.example.test,2026-10-18:status/vWbSWr8T" || feed.Title != "Acme status" || feed.Author.Name == "" || len(feed.Entries) != 4 {
		t.Errorf("feed %+v", feed)
	}
	newest := feed.Entries[0]
	if newest.ID != feed.ID+"/incidents/4" || newest.Link.Href != "https://status.acme.example.test/incidents/4" || newest.Updated != "2026-11-18T11:01:00Z" || newest.Content.Type != "text" ||
		newest.Content.Text != "Impact: minor\n\nAffects: Component down\n\nIdentified, 18 Nov 2026, 11:01 UTC\nIt is known.\nSee https://example.org/x.\n\nInvestigating, 18 Nov 2026, 11:00 UTC" {
		t.Errorf("entry %+v", newest)
	}
	var j jsonFeed
	if err := json.Unmarshal(want(t, ask(t, mux(p), "GET", "/status/acme/feed.json", ""), 200).Body.Bytes(), &j); err != nil {
		t.Fatal(err)
	}
	if j.Version != "https://jsonfeed.org/version/1.1" || j.Feed != "https://status.acme.example.test/feed.json" || len(j.Items) != 4 || j.Items[0].ID != newest.ID || j.Items[0].Text != newest.Content.Text {
		t.Errorf("feed %+v", j)
	}
	moved := fullView()
	moved.Page.Slug, moved.Page.Name, moved.Page.Domain = "other", "Other", status.StatusDomain{}
	if again := renderingOf(t, moved).main.atomOf(); again.ID != feed.ID || again.Entries[0].ID != newest.ID {
		t.Errorf("ids change with the address: %s", again.ID)
	}
}

func TestBadge(t *testing.T) {
	t.Parallel()
	v := fullView()
	v.Page.Name = `A "B" & <C>`
	p := newPages(t)
	show(t, p, v)
	w := want(t, ask(t, mux(p), "GET", "/status/acme/badge.svg", ""), 200, `role="img"`, "partly down", "#8a5300", `A &#34;B&#34; &amp; &lt;C&gt;: partly down</title>`)
	if w.Header().Get("Content-Type") != "image/svg+xml" {
		t.Error(w.Header())
	}
}

func TestHistory(t *testing.T) {
	t.Parallel()
	v := fullView()
	v.Incidents = nil
	for n := range 60 {
		v.Incidents = append(v.Incidents, incident(int64(100-n), status.Disruption, status.Resolved, time.Duration(n)*24*time.Hour))
	}
	p := newPages(t)
	show(t, p, v)
	h := mux(p)
	first := want(t, ask(t, h, "GET", "/status/acme/history", ""), 200, "November 2026", "October 2026", `href="/status/acme/history?page=2"`).Body.String()
	last := want(t, ask(t, h, "GET", "/status/acme/history?page=3", ""), 200, "September 2026", `rel="prev"`).Body.String()
	if strings.Count(first, "<article") != 25 || strings.Count(last, "<article") != 10 || strings.Contains(first, `rel="prev"`) || strings.Contains(last, `rel="next"`) {
		t.Errorf("pages of %d and %d", strings.Count(first, "<article"), strings.Count(last, "<article"))
	}
	for _, page := range []string{"0", "4", "x", "-1", "99999999999999999999", "4611686018427387904"} {
		want(t, ask(t, h, "GET", "/status/acme/history?page="+page, "", "Accept", "text/html"), 404, "no such page")
	}
	for _, id := range []string{"7", "0", "x", "-1"} {
		want(t, ask(t, h, "GET", "/status/acme/incidents/"+id, "", "Accept", "text/html"), 404, "There is no such incident")
	}
	want(t, ask(t, h, "GET", "/status/acme/incidents/100", ""), 200, "Slow checkout")
	variant := p.index.Load().pages[0].rendered.Load().main
	for n := range mostLater * 3 {
		if _, err := variant.lazily("x"+strings.Repeat("y", n), func() (*document, error) { return newDocument(nil, pageForm, nil), nil }); err != nil || len(variant.later) > mostLater {
			t.Fatalf("%d kept: %v", len(variant.later), err)
		}
	}
}

func TestUnlisted(t *testing.T) {
	t.Parallel()
	v := fullView()
	v.Page.Unlisted = true
	p := newPages(t)
	show(t, p, v, func() status.StatusView {
		v := fullView()
		v.Page.ID, v.Page.Slug, v.Page.Domain = "other", "other", status.StatusDomain{}
		return v
	}())
	for _, path := range everyPath(p.index.Load().pages[0].rendered.Load()) {
		if strings.HasPrefix(path, "/s/") {
			continue // a style is nothing to find
		}
		if got := ask(t, mux(p), "GET", "/status/acme"+path, "").Header().Get("X-Robots-Tag"); got != "noindex, nofollow" {
			t.Errorf("%s: X-Robots-Tag %q", path, got)
		}
		if got := ask(t, mux(p), "GET", "/status/other"+path, "").Header().Get("X-Robots-Tag"); got != "" {
			t.Errorf("%s of a page that is listed: X-Robots-Tag %q", path, got)
		}
	}
}

func TestDomain(t *testing.T) {
	t.Parallel()
	other := fullView()
	other.Page.ID, other.Page.Slug, other.Page.Name, other.Page.Domain.Name = "other", "other", "Other", "sett.example.test"
	p := newPages(t)
	show(t, p, fullView(), other)
	h := mux(p)
	const domain = "status.acme.example.test"
	d := p.index.Load().pages[0].rendered.Load()
	for _, path := range everyPath(d, p.style, p.script) {
		for _, host := range []string{domain, "Status.ACME.example.test:443", domain + "."} {
			if path == "" {
				path = "/"
			}
			w := want(t, ask(t, h, "GET", path, "", "Host", host), 200)
			if strings.Contains(w.Body.String(), "/status/acme") {
				t.Errorf("%s at %s leads to another address", path, host)
			}
		}
	}
	for _, path := range []string{"/elsewhere", "/login", "/v2/projects", "/readyz", "/status/acme", "/status/other", "/.well-known/acme-challengex"} {
		w := want(t, ask(t, h, "GET", path, "", "Host", domain, "Accept", "text/html"), 404, `href="/s/`+p.style, "Not found")
		if strings.Contains(w.Body.String(), "elsewhere</") {
			t.Errorf("%s is reached", path)
		}
	}
	want(t, ask(t, h, "DELETE", "/", "", "Host", domain), 405)
	challenge := serveOf("challenge")
	if w := ask(t, p.ByHost(challenge), "GET", "/.well-known/acme-challenge/x", "", "Host", domain); w.Body.String() != "challenge" {
		t.Errorf("who issues certificates gets %q", w.Body)
	}
	for _, header := range [][]string{{"Host", "sett.example.test"}, {"Host", "unknown.example.test"}, {"X-Forwarded-Host", domain}, {"Host", ""}} {
		want(t, ask(t, h, "GET", "/elsewhere", "", header...), 200, "elsewhere")
	}
	want(t, ask(t, h, "GET", "/", "", "X-Forwarded-Host", domain, "From", "10.1.2.3"), 200, "Acme status")
	want(t, ask(t, h, "GET", "/elsewhere", "", "Host", domain, "X-Forwarded-Host", "sett.example.test", "From", "10.1.2.3"), 200, "elsewhere")
}

// serveOf answers everything with a text.
func serveOf(text string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) })
}

// locked is a view of a page with a password.
func locked(password, key string) status.StatusView {
	v := fullView()
	v.Page.PasswordHash, v.Page.PasswordKey = "hash of "+password, []byte(key)
	return v
}

func unlockWith(password string) string { return url.Values{"password": {password}}.Encode() }

func TestPassword(t *testing.T) {
	t.Parallel()
	now := noon
	p := newPages(t, func(o *Options) { o.Now = func() time.Time { return now } })
	show(t, p, locked("open sesame", "key one"))
	h := mux(p)
	d := p.index.Load().pages[0].rendered.Load()
	paths := append(everyPath(d), ".json")
	for _, path := range paths {
		w := want(t, ask(t, h, "GET", "/status/acme"+path, "", "Accept", "text/html", "If-None-Match", "*"), 401, `action="/status/acme/unlock"`, "noindex")
		if strings.Contains(w.Body.String(), "Component") || w.Header().Get("Cache-Control") != "private, no-store" || w.Header().Get("WWW-Authenticate") != "" {
			t.Errorf("%s answers %v\n%s", path, w.Header(), w.Body)
		}
		if w := want(t, ask(t, h, "GET", "/status/acme"+path, ""), 401); !strings.HasPrefix(w.Header().Get("WWW-Authenticate"), "Basic ") {
			t.Errorf("%s does not ask a program for the password", path)
		}
	}
	want(t, ask(t, h, "GET", "/status/acme/s/"+p.style, ""), 200)
	want(t, ask(t, h, "POST", "/status/acme/unlock", unlockWith("wrong")), 401, "Wrong password")
	w := want(t, ask(t, h, "POST", "/status/acme/unlock", unlockWith("open sesame")), 303)
	if w.Header().Get("Location") != "/status/acme" {
		t.Errorf("leads to %q", w.Header().Get("Location"))
	}
	cookies := w.Result().Cookies()
	if len(cookies) != 2 || cookies[0].Path != "/status/acme" || cookies[1].Path != "/status/acme.json" || !cookies[0].HttpOnly || cookies[0].Secure ||
		cookies[0].SameSite != http.SameSiteLaxMode || cookies[0].MaxAge != 30*24*3600 {
		t.Fatalf("cookies %v", cookies)
	}
	cookie := cookies[0].Name + "=" + cookies[0].Value
	for _, path := range paths {
		w := want(t, ask(t, h, "GET", "/status/acme"+path, "", "Cookie", cookie), 200)
		if w.Header().Get("Cache-Control") != "private, no-store" || w.Header().Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s may be kept by others: %v", path, w.Header())
		}
	}
	for _, forged := range []string{cookie + "x", strings.Replace(cookie, "=", "=9", 1), cookies[0].Name + "=99999999999.", cookies[0].Name + "="} {
		want(t, ask(t, h, "GET", "/status/acme", "", "Cookie", forged), 401)
	}
	now = noon.Add(unlockedFor + time.Second)
	show(t, p, locked("open sesame", "key one"))
	want(t, ask(t, h, "GET", "/status/acme", "", "Cookie", cookie), 401)
	now = noon
	show(t, p, locked("another one", "key two"))
	want(t, ask(t, h, "GET", "/status/acme", "", "Cookie", cookie), 401)
}

func TestPasswordAtDomain(t *testing.T) {
	t.Parallel()
	p := newPages(t)
	show(t, p, locked("open sesame", "key"))
	for from, secure := range map[string]bool{"10.0.0.1": true, "192.0.2.1": false} {
		w := want(t, ask(t, mux(p), "POST", "/unlock", unlockWith("open sesame"), "Host", "status.acme.example.test", "From", from, "X-Forwarded-Proto", "https"), 303)
		if c := w.Result().Cookies(); len(c) != 1 || c[0].Path != "/" || c[0].Secure != secure || w.Header().Get("Location") != "/" {
			t.Errorf("from %s: cookies %v to %s", from, c, w.Header().Get("Location"))
		}
	}
}

// Readers of feeds show the password with every request: it is hashed once. Tries are counted for each address, and for
// the page.
func TestPasswordByBasic(t *testing.T) {
	t.Parallel()
	hashed := 0
	now := noon
	p := newPages(t, func(o *Options) {
		check := o.CheckPassword
		o.Now = func() time.Time { return now }
		o.CheckPassword = func(ctx context.Context, hash, password string) (bool, error) {
			hashed++
			return check(ctx, hash, password)
		}
	})
	show(t, p, locked("open sesame", "key"))
	h := mux(p)
	basic := func(password, from string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), "GET", "/status/acme/feed.atom", nil)
		r.RemoteAddr = netip.AddrPortFrom(netip.MustParseAddr(from), 1).String()
		r.SetBasicAuth("anybody", password)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	for range 20 {
		want(t, basic("open sesame", "192.0.2.1"), 200)
	}
	if hashed != 1 {
		t.Errorf("the right password was hashed %d times", hashed)
	}
	for range tryBurst - 1 {
		want(t, basic("wrong", "192.0.2.1"), 401)
	}
	if w := want(t, basic("wrong", "192.0.2.1"), 429); w.Header().Get("Retry-After") != "10" {
		t.Error(w.Header())
	}
	want(t, basic("open sesame", "192.0.2.1"), 200)
	want(t, basic("wrong", "192.0.2.2"), 401)
	hashed = 0
	for n := range 200 {
		basic("wrong", netip.AddrFrom4([4]byte{198, 51, 100, byte(n)}).String())
	}
	if hashed >= allBurst {
		t.Errorf("%d passwords were hashed at once", hashed)
	}
	now = now.Add(time.Minute)
	show(t, p, locked("open sesame", "key"))
	want(t, basic("wrong", "192.0.2.1"), 401)
	show(t, p, locked("another one", "other key"))
	want(t, basic("open sesame", "192.0.2.1"), 401)
}

func TestUnlockRefusesStrangeForms(t *testing.T) {
	t.Parallel()
	p := newPages(t)
	v := fullView()
	v.Page.Domain, v.Page.ID, v.Page.Slug = status.StatusDomain{}, "open", "open"
	show(t, p, locked("open sesame", "key"), v)
	h := mux(p)
	want(t, ask(t, h, "POST", "/status/open/unlock", unlockWith("x")), 303)
	want(t, ask(t, h, "POST", "/status/unknown/unlock", unlockWith("x")), 404)
	want(t, ask(t, h, "POST", "/status/acme/unlock", "password=%zz"), 400)
	want(t, ask(t, h, "POST", "/status/acme/unlock", strings.Repeat("x", 5000)), 400)
	want(t, ask(t, h, "POST", "/status/acme/unlock", unlockWith(strings.Repeat("x", 2000))), 401)
	want(t, ask(t, h, "POST", "/status/acme/unlock", ""), 401)
}

func TestRateLimit(t *testing.T) {
	t.Parallel()
	now := noon
	p := newPages(t, func(o *Options) { o.RateLimit, o.Now = 5, func() time.Time { return now } })
	show(t, p, fullView())
	h := mux(p)
	for range 20 {
		want(t, ask(t, h, "GET", "/status/acme", "", "From", "192.0.2.1"), 200)
	}
	w := want(t, ask(t, h, "GET", "/status/acme", "", "From", "192.0.2.1", "Accept", "text/html"), 429, "Too many requests")
	if w.Header().Get("Retry-After") != "1" || w.Header().Get("Cache-Control") != "private, no-store" {
		t.Error(w.Header())
	}
	want(t, ask(t, h, "GET", "/status/acme", "", "From", "192.0.2.2"), 200)
	want(t, ask(t, h, "GET", "/status/unknown", "", "From", "192.0.2.1"), 429)
	now = now.Add(200 * time.Millisecond)
	want(t, ask(t, h, "GET", "/status/acme", "", "From", "192.0.2.1"), 200)
	want(t, ask(t, h, "GET", "/status/acme", "", "From", "192.0.2.1"), 429)
	for range postBurst {
		ask(t, h, "POST", "/status/acme/unlock", "", "From", "192.0.2.3")
	}
	want(t, ask(t, h, "POST", "/status/acme/unlock", "", "From", "192.0.2.3"), 429)
	none := newPages(t)
	show(t, none, fullView())
	for range 1000 {
		want(t, ask(t, mux(none), "GET", "/status/acme/badge.svg", "", "From", "192.0.2.1"), 200)
	}
}

// However many addresses come, the memory that they take is bounded, and a network of IPv6 counts as one.
func TestLimiterForgets(t *testing.T) {
	t.Parallel()
	l := newLimiter(1, 2)
	for n := range uint32(200_000) {
		l.allow(limitKey{address: netip.AddrFrom4([4]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)})}, noon)
	}
	kept := 0
	for n := range l.shards {
		kept += len(l.shards[n].keys)
	}
	if kept > shardCount*shardKeys {
		t.Errorf("%d keys are kept", kept)
	}
	p := newPages(t)
	key := func(from string) limitKey {
		r := httptest.NewRequestWithContext(t.Context(), "GET", "/", nil)
		r.RemoteAddr = from
		return p.client(r)
	}
	if key("[2001:db8::1]:1") != key("[2001:db8::ffff:1]:1") || key("[2001:db8::1]:1") == key("[2001:db8:0:1::1]:1") || key("192.0.2.1:1") == key("192.0.2.2:1") {
		t.Error("networks are not distinguished as they should be")
	}
}

func TestUnknownPages(t *testing.T) {
	t.Parallel()
	p := newPages(t)
	show(t, p, fullView())
	h := mux(p)
	for _, path := range []string{"/status/unknown", "/status/unknown.json", "/status/unknown/history", "/status/unknown/badge.svg", "/status/.json", "/status/acme.json.json", "/status/ACME", "/status/unknown/s/custom.css"} {
		want(t, ask(t, h, "GET", path, "", "Accept", "text/html"), 404, "<h1>Not found</h1>", `rel="stylesheet"`)
		if !json.Valid(want(t, ask(t, h, "GET", path, ""), 404).Body.Bytes()) {
			t.Errorf("%s: a program is answered with a page", path)
		}
	}
	want(t, ask(t, h, "GET", "/status/acme/s/status.000000.css", ""), 404)
	want(t, ask(t, h, "GET", "/status/acme/s/other.000000.css", ""), 404)
}
