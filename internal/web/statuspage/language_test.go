package statuspage

import (
	"strings"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/status"
	"sett/internal/sett/status/locale"
)

// The frame of a page is in the language of the visitor, dates and numbers too; what its owner wrote is not translated.
func TestPagesAreInTheVisitorsLanguage(t *testing.T) {
	t.Parallel()
	p := newPages(t)
	v := fullView()
	v.Page.Features = status.StatusFeatures{}
	show(t, p, v)
	h := mux(p)
	etags := map[string]bool{}
	for _, l := range locale.All() {
		got := want(t, ask(t, h, "GET", "/status/acme", "", "Accept-Language", string(l)+"-XX,en;q=0.5"), 200,
			`<html lang="`+string(l)+`">`, l.Text("past"), l.Text("some_down"), "Slow checkout", "It is known.<br>See", l.Date(noon.Add(-30*3600e9)), l.Text("get_updates"))
		if vary := got.Header().Get("Vary"); vary != "Accept-Encoding, Accept-Language" {
			t.Errorf("%s: Vary is %q", l, vary)
		}
		etags[got.Header().Get("Etag")] = true
		for path, key := range map[string]string{"/history": "history", "/incidents/4": "current_status", "/subscribe": "by_webhook"} {
			want(t, ask(t, h, "GET", "/status/acme"+path, "", "Accept-Language", string(l)), 200, `lang="`+string(l)+`"`, l.Text(key))
		}
		want(t, ask(t, h, "GET", "/status/none", "", "Accept-Language", string(l), "Accept", "text/html"), 404, l.Text("not_found"))
		wantSound(t, string(l), got.Body.String())
	}
	if len(etags) != len(locale.All()) {
		t.Errorf("%d languages have %d entity tags", len(locale.All()), len(etags))
	}
	german := ask(t, h, "GET", "/status/acme", "", "Accept-Language", "de")
	want(t, ask(t, h, "GET", "/status/acme", "", "Accept-Language", "de", "If-None-Match", german.Header().Get("Etag")), 304)
	want(t, ask(t, h, "GET", "/status/acme", "", "Accept-Language", "fr", "If-None-Match", german.Header().Get("Etag")), 200)
	if english := want(t, ask(t, h, "GET", "/status/acme/feed.atom", "", "Accept-Language", "de"), 200, `xml:lang="en"`, "Affects: "); english.Header().Get("Vary") != "Accept-Encoding" {
		t.Error("the feed depends on the visitor")
	}
}

// A page with a language is in that language for all, with its feeds, its badge and its summary.
func TestPagesCanHaveALanguage(t *testing.T) {
	t.Parallel()
	v := fullView()
	v.Page.Features, v.Page.Language = status.StatusFeatures{}, locale.German
	p := newPages(t)
	show(t, p, v)
	h := mux(p)
	for path, texts := range map[string][]string{
		"":              {`<html lang="de">`, "Vergangene Störungen", "17. November 2026", "Aktualisiert:"},
		"/feed.atom":    {`xml:lang="de"`, "Betroffen: Component down", "Geplant:"},
		"/feed.json":    {`"language": "de"`, "Wird untersucht"},
		"/badge.svg":    {"teilweise gestört", `xml:lang="de"`},
		"/status.json":  {"Einige Systeme haben Probleme"},
		"/incidents/4":  {"Ursache gefunden"},
		"/history":      {"November 2026", "Verlauf"},
		"/subscribe":    {"Per Webhook abonnieren"},
		"/history?page": {"Verlauf"},
	} {
		body := want(t, ask(t, h, "GET", "/status/acme"+path, "", "Accept-Language", "fr"), 200, texts...).Body.String()
		if strings.Contains(body, "Affects") || strings.Contains(body, "UTC UTC") {
			t.Errorf("%s: %s", path, body)
		}
	}
	v.Page.PasswordHash = "hash of x"
	show(t, p, v)
	want(t, ask(t, h, "GET", "/status/acme", "", "Accept-Language", "fr", "Accept", "text/html"), 401, "Diese Seite ist durch ein Passwort geschützt")
}

// What sett writes about incidents is in the language of the visitor, in feeds, badge and summary in that of the page.
func TestAutomaticIncidentsAreInTheLanguage(t *testing.T) {
	t.Parallel()
	v := fullView()
	v.Page.AutoIncidents = true
	v.Components[1].Name, v.Components[1].SiteID = "Kasse", sett.UUID{1}
	opened, first, _ := v.Page.Watch([]status.ComponentWatch{{ComponentView: v.Components[1], DownAt: noon.Add(-time.Hour)}}, nil, noon)
	opened.ID, opened.Updates = 7, []status.IncidentUpdate{first}
	v.Incidents = append([]status.StatusIncident{opened}, v.Incidents...)
	p := newPages(t)
	show(t, p, v)
	h := mux(p)
	for _, path := range []string{"", "/incidents/7", "/history"} {
		want(t, ask(t, h, "GET", "/status/acme"+path, "", "Accept-Language", "de"), 200, "Kasse ist ausgefallen", "Unsere Prüfungen schlagen seit 11:00 UTC fehl.")
		want(t, ask(t, h, "GET", "/status/acme"+path, "", "Accept-Language", "en"), 200, "Kasse is down", "Our checks have failed since 11:00 UTC.")
	}
	for _, l := range []locale.Language{"", locale.Japanese} {
		v.Page.Language = l
		show(t, p, v)
		name, message := "Kasse is down", "Our checks have failed since 11:00 UTC."
		if l != "" {
			name, message = "Kasseが停止しています", "チェックが失敗しています（開始: 11:00 UTC）。"
		}
		for _, path := range []string{"/feed.atom", "/feed.json", "/status.json"} {
			want(t, ask(t, h, "GET", "/status/acme"+path, "", "Accept-Language", "de"), 200, name, message)
		}
	}
}

// Groups have a bar of their own and are open when something in them is not up.
func TestGroupsAreShown(t *testing.T) {
	t.Parallel()
	v := fullView()
	v.Components[0].Group, v.Components[1].Group, v.Components[4].Group = "Europe & co", "Europe & co", "Asia"
	d := renderingOf(t, v)
	body := string(d.main.front.body)
	for _, text := range []string{
		`data-group="Europe &amp; co" data-state="warn" open>`, `<strong>Europe &amp; co</strong>`, `aria-label="Europe &amp; co: its components"`, ">Some problems<",
		`data-group="Asia" data-state="none">`,
	} {
		if !strings.Contains(body, text) {
			t.Errorf("the page lacks %q:\n%s", text, body)
		}
	}
	if bars := strings.Count(body, `class="bars"`); bars != len(v.Components)+2 {
		t.Errorf("%d components in 2 groups have %d bars", len(v.Components), bars)
	}
	wantSound(t, "groups", body)
	summary := string(d.main.summary.body)
	if strings.Count(summary, `"group": true`) != 2 || !strings.Contains(summary, `"name": "Asia"`) {
		t.Errorf("the summary has no groups:\n%s", summary)
	}
}

// The logo is a file with a hash in its name that loads nothing and that browsers take for a picture only.
func TestLogoIsServed(t *testing.T) {
	t.Parallel()
	p := newPages(t)
	v := fullView()
	v.Page.Logo = status.StatusLogo{Name: "logo.0123456789ab.png", Width: 400, Height: 100, Ink: "dark"}
	show(t, p, v)
	d := p.index.Load().pages[0].rendered.Load()
	d.logo = newDocument(nil, form{kind: "image/png", policy: deadPolicy}, []byte("\x89PNG"))
	h := mux(p)
	want(t, ask(t, h, "GET", "/status/acme", ""), 200, `<img class="logo dark" src="/status/acme/s/logo.0123456789ab.png" width="192" height="48" alt="">`)
	got := want(t, ask(t, h, "GET", "/status/acme/s/logo.0123456789ab.png", ""), 200, "\x89PNG")
	for name, value := range map[string]string{"Content-Type": "image/png", "X-Content-Type-Options": "nosniff", "Cache-Control": "public, max-age=31536000, immutable"} {
		if is := got.Header().Get(name); is != value {
			t.Errorf("%s is %q, want %q", name, is, value)
		}
	}
	want(t, ask(t, h, "GET", "/status/acme/s/logo.ffffffffffff.png", ""), 404)
	v.Page.PasswordHash = "hash of x"
	show(t, p, v)
	p.index.Load().pages[0].rendered.Load().logo = d.logo
	want(t, ask(t, h, "GET", "/status/acme/s/logo.0123456789ab.png", ""), 401)
}
