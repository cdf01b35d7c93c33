package statuspage

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"sett/internal/sett/status"
	"sett/internal/sett/status/locale"
	"sett/internal/setttest/colour"
)

// everyPage is a struct of each template, full and empty.
func everyPage() map[string][]any {
	full := Shell{
		Lang: locale.German, Logo: logoBlock{"/s/logo.png", 120, 40, "dark"}, Title: "Title", Name: "Name", Home: "https://example.org", Root: "/status/x", Canonical: "https://example.org/", Style: "s.css",
		Script: "r.js", Custom: "c.css", Hidden: true, Feeds: true, Branding: true,
	}
	c := fullView().Components[1]
	row := componentRow{c.Name, c.Description, bad, "Down", barsOf(c.Days), "text", "99.9%", "We are replacing a disk.", noon, &responseChart{"M5 5h0", "50 ms", "50 ms on average"}}
	group := componentGroup{row, "Group", true, []componentRow{row, {}}}
	block := incidentBlock{fullView().Incidents[1], locale.German, worse, []string{"A", "B"}, "Impact: major", "/x", true}
	blocks := []incidentBlock{block, {}}
	return map[string][]any{
		"front":      {frontPage{}, frontPage{full, good, "Caption", noon, true, []componentGroup{group, {Components: []componentRow{row}}, {}}, blocks, blocks, []pastDay{{"Day", noon, blocks}, {}}, true, true, 0}},
		"history":    {historyPage{}, historyPage{full, []month{{"Month", blocks}, {}}, 1, 3}},
		"incident":   {incidentPage{}, incidentPage{full, block, "<p>It was a disk.</p>"}},
		"unlock":     {unlockPage{}, unlockPage{full, "Problem."}},
		"subscribe":  {subscribePage{}, subscribePage{full, true, "you@", "Problem.", "hook", "Problem."}},
		"subscriber": {subscriberPage{}, subscriberPage{full, "Heading", "Message.", "whsec_x", "Button", "/action", "Other", "/else", []componentChoice{{1, "Shop", true}, {2, "Blog", false}}}},
		"problem":    {problemPage{}, problemPage{full, "Heading", "Message.", "id"}},
	}
}

func TestEveryTemplateIsDrawn(t *testing.T) {
	t.Parallel()
	p := newPages(t)
	pages := everyPage()
	for name := range p.templates {
		if len(pages[name]) < 2 {
			t.Errorf("page %s is not rendered full and empty", name)
		}
		for _, page := range pages[name] {
			d, err := p.renderPage(nil, name, page)
			if err != nil {
				t.Errorf("page %s with %+v: %v", name, page, err)
				continue
			}
			wantSound(t, name, string(d.body))
		}
	}
}

// wantSound fails the test unless a page has what every page needs, and nothing that the content policy would stop.
func wantSound(t *testing.T, name, body string) {
	t.Helper()
	if strings.Contains(body, "ZgotmplZ") {
		t.Errorf("%s: a value was refused by the template:\n%s", name, body)
	}
	for _, element := range []string{"div", "section", "article", "p", "ol", "li", "form", "svg", "h1", "h2", "h3", "main", "span", "details", "summary"} {
		opened := len(regexp.MustCompile(`<`+element+`[ >]`).FindAllString(body, -1))
		if closed := strings.Count(body, "</"+element+">"); opened != closed {
			t.Errorf("%s opens %s %d times and closes it %d times:\n%s", name, element, opened, closed, body)
		}
	}
	if n := strings.Count(body, "<h1>"); n != 1 {
		t.Errorf("%s has %d headings of the first level", name, n)
	}
	if m := regexp.MustCompile(`(?i)<[^>]*\s(style|on[a-z]+)=|http-equiv|<style|<script>`).FindString(quoted.ReplaceAllString(body, `""`)); m != "" {
		t.Errorf("%s has %q, which the content policy stops", name, m)
	}
}

// quoted is the value of an attribute, in which nothing runs; addresses are checked by wantDead.
var quoted = regexp.MustCompile(`"[^"]*"`)

func TestFrontShowsEverything(t *testing.T) {
	t.Parallel()
	d := renderingOf(t, fullView())
	body := string(d.main.front.body)
	for _, text := range []string{
		`<h1><a href="https://acme.example.test" rel="noopener">Acme status</a></h1>`, "Some things are slow", "Active incidents", "Maintenance", "Past incidents",
		"17 November 2026", "Updated <time", `rel="canonical" href="https://status.acme.example.test"`, `action="/status/acme/subscribe"`, "Powered by sett",
		`<a href="https://example.org/x" rel="nofollow noopener">https://example.org/x</a>.`, "It is known.<br>See", "Component paused", ">Paused<", ">Missing<",
		`aria-label="90 days, 1 without data, 1 outage of 10 minutes on 17 Nov"`, "Affects: Component down", `href="/status/acme/incidents/4"`,
	} {
		if !strings.Contains(body, text) {
			t.Errorf("the page lacks %q", text)
		}
	}
	wantSound(t, "front", body)
	if own := string(d.own.front.body); strings.Contains(own, "/status/") || !strings.Contains(own, `href="/incidents/4"`) {
		t.Errorf("at its own domain the page leads elsewhere:\n%s", own)
	}
	v := fullView()
	v.Page.HideBranding, v.Page.Unlisted, v.Page.Features.HomeLink, v.Components, v.Incidents = true, true, "", nil, nil
	v.Page.Domain = status.StatusDomain{Name: "not.verified.example.test"}
	d = renderingOf(t, v)
	body = string(d.main.front.body)
	if strings.Contains(body, "Powered by") || !strings.Contains(body, `name="robots" content="noindex`) || !strings.Contains(body, "<h1>Acme status</h1>") {
		t.Errorf("a page without branding, home and search engines:\n%s", body)
	}
	if d.own != nil || strings.Contains(body, "not.verified") {
		t.Error("a domain that is not verified is believed")
	}
}

// A link to a page is shown with its state, and its icon has the color of that.
func TestIconAndLinkPreview(t *testing.T) {
	t.Parallel()
	d := renderingOf(t, fullView())
	body := string(d.main.front.body)
	for _, text := range []string{
		"fill='%23b2760f'", `<meta name="description" content="Some things are slow">`, `<meta property="og:title" content="Acme status">`,
		`<meta property="og:description" content="Some things are slow">`, `<meta property="og:url" content="https://status.acme.example.test`,
	} {
		if !strings.Contains(body, text) {
			t.Errorf("the page lacks %q:\n%s", text, body)
		}
	}
	v := fullView()
	v.Incidents, v.Components = nil, v.Components[:1]
	if body := string(renderingOf(t, v).main.front.body); !strings.Contains(body, "fill='%232e8b57'") {
		t.Errorf("all is well, and the icon is not green:\n%s", body)
	}
}

func TestCaptions(t *testing.T) {
	t.Parallel()
	for state, own := range map[status.ComponentState]string{
		status.ComponentUp: "All fine", status.ComponentDown: "Oh no", status.ComponentDegraded: "Some things are slow",
		status.ComponentMaintenance: "Scheduled maintenance in progress", status.ComponentPaused: "Checks are paused", status.ComponentUnknown: "No checks have run yet",
	} {
		v := fullView()
		v.Components, v.Incidents = v.Components[:1], nil
		v.Components[0].State = state
		if body := string(renderingOf(t, v).main.front.body); !strings.Contains(body, "</svg> "+own+"</p>") {
			t.Errorf("%s: the page does not say %q", state, own)
		}
		v.Page.Features = status.StatusFeatures{}
		d := renderingOf(t, v)
		if word := caption(locale.English, v, v.Overall()); !strings.Contains(string(d.main.front.body), "</svg> "+word+"</p>") || word == own && state != status.ComponentMaintenance && state != status.ComponentPaused && state != status.ComponentUnknown {
			t.Errorf("%s: the plain caption is %q", state, word)
		}
	}
}

// hostile are texts that want to be more than text.
var hostile = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `'><svg/onload=alert(1)>`, `</style><script>alert(1)</script>`, `javascript:alert(1)`,
	`https://x.test/"onmouseover="alert(1)`, `https://x.test/'><script>alert(1)</script>`, `]]><x/>`, `{{.}}`, "\x00\x08\x1b", "\u202etxet", `</title><script>`,
	`<!--`, `&lt;script&gt;`, `data:text/html,<script>alert(1)</script>`, `//evil.test`, `vbscript:x`, `java` + "\n" + `script:alert(1)`, strings.Repeat("W", 300),
}

// Whatever people write is text everywhere.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	for _, text := range hostile {
		v := fullView()
		v.Page.Name, v.Page.Features = text, status.StatusFeatures{HomeLink: text, UpCaption: text, MixedCaption: text, DownCaption: text, CustomCSS: text}
		for n := range v.Components {
			v.Components[n].Name, v.Components[n].Description = text, text
		}
		for n := range v.Incidents {
			v.Incidents[n].Name = text
			v.Incidents[n].Updates[0].Message = text + "\n" + text
		}
		p := newPages(t)
		show(t, p, v)
		d := p.index.Load().pages[0].rendered.Load()
		h := mux(p)
		bodies := []string{string(d.main.front.body), string(d.own.front.body)}
		for _, path := range []string{"/history", "/incidents/4"} {
			bodies = append(bodies, want(t, ask(t, h, "GET", "/status/acme"+path, ""), 200).Body.String())
		}
		for _, body := range bodies {
			wantDead(t, text, body)
		}
		wantXML(t, text, d.main.atom.body)
		wantXML(t, text, d.main.badge.body)
		if !json.Valid(d.main.summary.body) || !json.Valid(d.main.jsonFeed.body) || bytes.Contains(d.main.summary.body, []byte("<")) {
			t.Errorf("%q breaks the JSON", text)
		}
		css := ask(t, h, "GET", "/status/acme/s/"+d.customName, "")
		if css.Header().Get("Content-Type") != "text/css; charset=utf-8" || css.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%q: custom style is served as %v", text, css.Header())
		}
	}
}

var tags = regexp.MustCompile(`<[^>]*>`)

var iconLink = regexp.MustCompile(`<link rel="icon" href="data:image/svg[^"]*">`)

// wantDead fails the test when a text has become an element, an attribute or an address that runs something.
func wantDead(t *testing.T, text, body string) {
	t.Helper()
	body = iconLink.ReplaceAllString(body, "") // ours
	for _, tag := range tags.FindAllString(body, -1) {
		lower := strings.ToLower(tag)
		attributes := regexp.MustCompile(`"[^"]*"`).ReplaceAllString(lower, `""`)
		if regexp.MustCompile(`\son[a-z]+\s*=`).MatchString(attributes) || strings.HasPrefix(lower, "<script>") || strings.HasPrefix(lower, "<img") || strings.Contains(attributes, "style=") {
			t.Errorf("%q has become %s", text, tag)
		}
		for _, m := range regexp.MustCompile(`(?:href|src|action)="([^"]*)"`).FindAllStringSubmatch(lower, -1) {
			if !strings.HasPrefix(m[1], "/") && !strings.HasPrefix(m[1], "#") && !strings.HasPrefix(m[1], "http://") && !strings.HasPrefix(m[1], "https://") || strings.HasPrefix(m[1], "//") {
				t.Errorf("%q leads to %s", text, m[1])
			}
		}
	}
	wantSound(t, text, body)
}

func wantXML(t *testing.T, text string, body []byte) {
	t.Helper()
	for d := xml.NewDecoder(bytes.NewReader(body)); ; {
		token, err := d.Token()
		if token == nil && err != nil {
			if err.Error() != "EOF" {
				t.Errorf("%q: %v:\n%s", text, err, body)
			}
			return
		}
		if start, ok := token.(xml.StartElement); ok && (start.Name.Local == "script" || start.Name.Local == "img") {
			t.Errorf("%q has become an element", text)
		}
	}
}

// manyComponents has fifty of them.
func manyComponents() status.StatusView {
	v := fullView()
	random := uint64(7)
	for n := len(v.Components); n < 50; n++ {
		down := map[int]time.Duration{}
		for range 5 {
			random = random*6364136223846793005 + 1
			down[int(random>>33)%90] = time.Duration(random>>40%100) * time.Minute
		}
		c := status.ComponentView{Name: fmt.Sprintf("Component number %d", n), State: status.ComponentUp, SeenAt: noon, Days: days(down, n)}
		c.Description = "This is one of very many components that a page has"
		v.Components = append(v.Components, c)
	}
	return v
}

// The budget of the public page, with everything that a browser loads, even when nothing is compressed.
func TestPageIsSmall(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("Every node of the cluster was looked at & found wanting. ", 87)
	busy := manyComponents()
	for n := range 1000 {
		i := incident(int64(100+n), status.Disruption, status.Resolved, time.Duration(n)*20*time.Minute)
		for u := range 20 {
			i.Updates = append(i.Updates, status.IncidentUpdate{ID: int64(u), Status: status.Investigating, Message: long, At: i.StartsAt})
		}
		i.Updates[0].Message = long
		busy.Incidents = append(busy.Incidents, i)
	}
	for name, v := range map[string]status.StatusView{"quiet": manyComponents(), "busy": busy} {
		p := newPages(t)
		show(t, p, v)
		front := p.index.Load().pages[0].rendered.Load().main.front
		plain, packed := len(front.body), len(front.packed)
		for _, a := range p.assets {
			plain, packed = plain+len(a.body), packed+len(a.packed)
		}
		t.Logf("50 components, %s: %d bytes, %d compressed", name, plain, packed)
		if packed > 20<<10 || plain > 60<<10 {
			t.Errorf("the %s page takes %d bytes, %d compressed; want at most 60 and 20 KiB", name, plain, packed)
		}
		if css := p.assets[p.style]; len(css.packed) > 5<<10 {
			t.Errorf("the style takes %d bytes", len(css.packed))
		}
	}
}

// The front page shows the newest past incidents with their newest updates; the rest is on other pages.
func TestFrontShowsTheNewest(t *testing.T) {
	t.Parallel()
	v := fullView()
	v.Incidents = nil
	for n := range 25 {
		i := incident(int64(100-n), status.Disruption, status.Resolved, time.Duration(n+1)*time.Hour)
		for u := range 4 {
			i.Updates = append(i.Updates, status.IncidentUpdate{Message: fmt.Sprintf("older %d", u), At: i.StartsAt})
		}
		v.Incidents = append(v.Incidents, i)
	}
	v.Incidents[0].Updates = v.Incidents[0].Updates[:2]
	off := incident(200, status.Maintenance, status.Completed, -48*time.Hour)
	off.Name, off.ResolvedAt = "Called off", noon.Add(-20*time.Hour-30*time.Minute)
	v.Incidents = append([]status.StatusIncident{off}, v.Incidents...)
	d := renderingOf(t, v)
	body := string(d.main.front.body)
	_, past, _ := strings.Cut(body, `id="past"`)
	if n := strings.Count(past, "<article"); n != mostPast || !strings.Contains(past, "See all incidents") || strings.Count(past, ">All updates<") != mostPast-1 {
		t.Errorf("%d incidents that are over:\n%s", n, past)
	}
	if strings.Count(past, "older 0") != mostPast-1 || strings.Contains(past, "older 1") || strings.Contains(past, "/incidents/200") || !strings.Contains(past, "18 November 2026") {
		t.Errorf("the page contains:\n%s", past)
	}
	v.Incidents = v.Incidents[:15]
	_, past, _ = strings.Cut(string(renderingOf(t, v).main.front.body), `id="past"`)
	if day := strings.Index(past, "17 November 2026"); day < 0 || strings.Index(past, "Called off") < day || strings.Contains(past, "20 November") || strings.Contains(past, "in the history") {
		t.Errorf("what was called off is found when it was:\n%s", past)
	}
	for n := range 12 {
		v.Incidents = append(v.Incidents, incident(int64(300+n), status.Disruption, status.Identified, time.Hour), incident(int64(400+n), status.Maintenance, status.Scheduled, -time.Hour))
	}
	body = string(renderingOf(t, v).main.front.body)
	if now, _, _ := strings.Cut(body, `id="components"`); strings.Count(now, "<article") != 2*mostOpen || !strings.Contains(body, "See all incidents") {
		t.Errorf("what lasts or is to come:\n%s", now)
	}
}

// The summary says of an incident how bad it is.
func TestImpact(t *testing.T) {
	t.Parallel()
	v := fullView() // the second component is down, the third degraded
	alone := fullView()
	alone.Components = alone.Components[1:2]
	about := func(ids ...int64) status.StatusIncident {
		i := incident(1, status.Disruption, status.Identified, time.Hour)
		i.ComponentIDs = ids
		return i
	}
	opened := about(3)
	opened.Updates[1].Automatic = true
	for name, c := range map[string]struct {
		view status.StatusView
		i    status.StatusIncident
		want string
	}{
		"degraded": {v, about(3), "minor"}, "down": {v, about(3, 2), "major"}, "was down": {v, opened, "major"}, "of all, some down": {v, about(), "major"},
		"all down": {alone, about(2), "critical"}, "of all, all down": {alone, about(), "critical"}, "of another": {alone, about(3), "minor"},
	} {
		if got := impactOf(c.view, c.i); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	for _, i := range renderingOf(t, v).main.summaryOf().Incidents {
		if i.Impact != "major" {
			t.Errorf("%s has the impact %s", i.ID, i.Impact)
		}
	}
	for _, i := range renderingOf(t, v).main.summaryOf().Maintenances {
		if i.Impact != "maintenance" {
			t.Errorf("maintenance has the impact %s", i.Impact)
		}
	}
}

var cssToken = regexp.MustCompile(`--([a-z0-9-]+): (#[0-9a-f]{3,6})\b`)

// Every text is readable on every surface that it stands on, and every bar is distinguishable from it (WCAG 2.2, 1.4.3 and 1.4.11).
func TestContrast(t *testing.T) {
	t.Parallel()
	p := newPages(t)
	light, dark, found := strings.Cut(string(p.assets[p.style].body), "@media (prefers-color-scheme: dark)")
	if !found {
		t.Fatal("there are no dark colours")
	}
	dark, _, _ = strings.Cut(dark, "* {")
	pairs := map[string][]string{
		"bg": {"text", "text-2", "text-3", "accent"}, "surface": {"text", "text-2", "text-3", "accent", "line-strong", "bar-ok", "bar-warn", "bar-crit", "bar-none"},
		"raised": {"text"}, "accent": {"accent-ink"}, "ok-wash": {"ok"}, "warn-wash": {"warn"}, "crit-wash": {"crit"}, "plan-wash": {"plan"}, "none-wash": {"none"},
	}
	for scheme, text := range map[string]string{"light": light, "dark": dark} {
		colours := map[string]string{}
		for _, m := range cssToken.FindAllStringSubmatch(text, -1) {
			colours[m[1]] = m[2]
		}
		for on, inks := range pairs {
			for _, ink := range inks {
				least := 4.5
				if strings.HasPrefix(ink, "bar-") || ink == "line-strong" {
					least = 3
				}
				if got := colour.Contrast(t, colours[ink], colours[on]); got < least {
					t.Errorf("%s: %s on %s has a contrast of %.2f, want %.1f", scheme, ink, on, got, least)
				}
			}
		}
	}
	for o := range map[status.OverallState]bool{status.OverallUp: true, status.OverallMixed: true, status.OverallDown: true, status.OverallMaintenance: true, status.OverallUnknown: true} {
		if word, ink := badgeWord(o); colour.Contrast(t, ink, "#ffffff") < 4.5 {
			t.Errorf("a badge that says %s cannot be read", word)
		}
	}
}
