package statuspage

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/sett/status"
	"sett/internal/store/statusdb"
)

var noon = time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)

// newPages returns Pages without a store, to render sample views.
func newPages(t testing.TB, options ...func(*Options)) *Pages {
	t.Helper()
	o := Options{
		BaseURL: "http://sett.example.test", ReportURL: "http://report.example.test", Now: func() time.Time { return noon }, Mail: true,
		Proxies: serve.Proxies{Trusted: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}, Log: slog.New(slog.DiscardHandler),
		CheckPassword: func(_ context.Context, hash, password string) (bool, error) { return hash == "hash of "+password, nil },
	}
	for _, option := range options {
		option(&o)
	}
	p, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// show makes p serve some views.
func show(t testing.TB, p *Pages, views ...status.StatusView) {
	t.Helper()
	var entries []statusdb.StatusEntry
	for _, v := range views {
		domain := ""
		if !v.Page.Domain.VerifiedAt.IsZero() {
			domain = v.Page.Domain.Name
		}
		entries = append(entries, statusdb.StatusEntry{ID: v.Page.ID, Slug: v.Page.Slug, Domain: domain, Revision: v.Page.Revision})
	}
	p.learn(statusdb.StatusDirectory{Revision: 1, Whole: true, Entries: entries})
	for n, v := range views {
		v.ReadAt = p.Now()
		d := &rendering{view: v, history: v.Incidents}
		if err := p.render(d, nil); err != nil {
			t.Fatal(err)
		}
		p.index.Load().pages[n].rendered.Store(d)
	}
}

// renderingOf renders a view as newPages serves it.
func renderingOf(t testing.TB, v status.StatusView) *rendering {
	t.Helper()
	p := newPages(t)
	show(t, p, v)
	return p.index.Load().pages[0].rendered.Load()
}

// plainPage is a page that has all that a page must have.
func plainPage() status.StatusPage {
	return status.StatusPage{
		Number: 1, ID: "vWbSWr8T", AccountID: "acc", Revision: 1, CreatedAt: noon.AddDate(0, -1, 0), UpdatedAt: noon.AddDate(0, 0, -1),
		StatusPageSettings: status.StatusPageSettings{Name: "Acme status", Slug: "acme"},
	}
}

// days returns StatusDays days that were fully measured, some of them with outages: how long by how many days ago.
func days(down map[int]time.Duration, unseen int) (days []checks.StatusDay) {
	today := noon.Truncate(24 * time.Hour)
	for n := range checks.StatusDays {
		d := checks.StatusDay{Day: today.AddDate(0, 0, n-checks.StatusDays+1), Measured: 24 * time.Hour}
		if n < unseen {
			d.Measured = 0
		}
		if down := down[checks.StatusDays-1-n]; down > 0 {
			d.Down, d.Outages = down, 1
		}
		days = append(days, d)
	}
	return days
}

// fullView is a view in which everything is shown that there is.
func fullView() status.StatusView {
	v := status.StatusView{Page: plainPage(), ReadAt: noon}
	v.Page.Features = status.StatusFeatures{
		HomeLink: "https://acme.example.test", UpCaption: "All fine", MixedCaption: "Some things are slow", DownCaption: "Oh no", CustomCSS: "h1 { color: teal }",
	}
	v.Page.Domain = status.StatusDomain{Name: "status.acme.example.test", State: status.DomainVerified, VerifiedAt: noon}
	states := []status.ComponentState{
		status.ComponentUp, status.ComponentDown, status.ComponentDegraded, status.ComponentMaintenance, status.ComponentPaused, status.ComponentUnknown,
	}
	for n, s := range states {
		c := status.ComponentView{Name: "Component " + string(s), State: s, SeenAt: noon.Add(-time.Minute), Days: days(map[int]time.Duration{n: time.Duration(n) * 10 * time.Minute}, n)}
		c.ID, c.Description = int64(n+1), "What it does"
		if n%2 == 0 {
			c.SiteID = sett.UUID{1}
		}
		v.Components = append(v.Components, c)
	}
	v.Incidents = []status.StatusIncident{
		incident(4, status.Disruption, status.Identified, time.Hour),
		incident(3, status.Maintenance, status.Scheduled, -24*time.Hour),
		incident(2, status.Maintenance, status.InProgress, time.Hour),
		incident(1, status.Disruption, status.Resolved, 30*time.Hour),
	}
	return v
}

func incident(id int64, kind status.IncidentKind, now status.IncidentStatus, ago time.Duration) status.StatusIncident {
	at := noon.Add(-ago)
	i := status.StatusIncident{
		ID: id, Kind: kind, Name: "Slow checkout", Status: now, ComponentIDs: []int64{2}, StartsAt: at, CreatedAt: at, UpdatedAt: at.Add(time.Minute),
		Updates: []status.IncidentUpdate{
			{ID: 2, Status: now, Message: "It is known.\nSee https://example.org/x.", At: at.Add(time.Minute)},
			{ID: 1, Status: status.Investigating, Message: "", At: at},
		},
	}
	if kind == status.Maintenance {
		i.EndsAt = at.Add(2 * time.Hour)
	}
	if now.Over() {
		i.ResolvedAt = at.Add(time.Hour)
	}
	return i
}

// mux serves the pages as the app does; all other requests are not found.
func mux(p *Pages) http.Handler {
	elsewhere := serve.Route{Method: "GET", Path: "/elsewhere", Name: "elsewhere", Handle: func(w http.ResponseWriter, _ *http.Request) error {
		_, err := io.WriteString(w, "elsewhere")
		return err
	}}
	return p.ByHost(serve.NewMux(append(p.Routes(), elsewhere), serve.MuxOptions{}))
}

// ask sends a request; header is names and values, of which Host is the host.
func ask(t testing.TB, h http.Handler, method, path, body string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	r.Host = "sett.example.test"
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i+1 < len(header); i += 2 {
		switch header[i] {
		case "Host":
			r.Host = header[i+1]
		case "From":
			r.RemoteAddr = header[i+1] + ":1234"
		default:
			r.Header.Set(header[i], header[i+1])
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// want fails the test when the status is another one, or the body lacks a text.
func want(t testing.TB, w *httptest.ResponseRecorder, status int, texts ...string) *httptest.ResponseRecorder {
	t.Helper()
	if w.Code != status {
		t.Fatalf("status %d, want %d; body: %s", w.Code, status, w.Body)
	}
	for _, text := range texts {
		if !strings.Contains(w.Body.String(), text) {
			t.Fatalf("the body lacks %q:\n%s", text, w.Body)
		}
	}
	return w
}
