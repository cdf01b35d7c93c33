package status_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/status"
)

var pageNoon = time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)

// pageIDs are sites A to D, and check-ins a to d, of the account.
func pageIDs() (known status.KnownComponents) {
	for i := range 4 {
		known.Sites = append(known.Sites, pageSite(i))
		known.CheckIns = append(known.CheckIns, string(rune('a'+i)))
	}
	return known
}

func pageSite(i int) sett.UUID { return sett.UUID{15: byte(i + 1)} }

// changePage applies a body, in which A to D in double braces stand for ids of sites, to a page.
func changePage(t *testing.T, page status.StatusPage, plan accounts.Plan, body string) (status.StatusPage, error) {
	t.Helper()
	for i := range 4 {
		body = strings.ReplaceAll(body, "{{"+string(rune('A'+i))+"}}", pageSite(i).String())
	}
	var change status.StatusPageChange
	if err := json.Unmarshal([]byte(body), &change); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	if change.NewPassword() != "" {
		change.PasswordHash = "hash of " + change.NewPassword()
	}
	var p sett.Problems
	after := change.Apply(&p, page, status.StatusPageRules{Plan: plan, Hosts: []string{"sett.example.org"}}, pageIDs(), pageNoon)
	return after, p.Refusal()
}

// shown lists components such as "7 A Shop: the front" – id, site or check-in, name and description.
func shown(components []status.StatusComponent) string {
	var lines []string
	for _, c := range components {
		what := c.CheckInID
		if c.IsSite() {
			what = string(rune('A' + int(c.SiteID[15]) - 1))
		}
		lines = append(lines, strings.TrimRight(fmt.Sprintf("%d %s %s:%s", c.ID, what, c.DisplayName, c.Description), " :"))
	}
	return strings.Join(lines, ", ")
}

func TestComponentsOfAChangedPage(t *testing.T) {
	t.Parallel()
	before := []status.StatusComponent{
		{ID: 7, SiteID: pageSite(0), DisplayName: "Shop", Description: "front"}, {ID: 8, SiteID: pageSite(1)}, {ID: 9, CheckInID: "a", DisplayName: "Night"},
	}
	const unchanged = "7 A Shop:front, 8 B, 9 a Night"
	for body, want := range map[string]string{
		`{}`:                              unchanged,
		`{"sites":null}`:                  "9 a Night",
		`{"sites":[],"check_ins":[]}`:     "",
		`{"check_ins":null}`:              "7 A Shop:front, 8 B",
		`{"sites":[{"site_id":"{{B}}"}]}`: "8 B, 9 a Night",
		// What is not said of a component that stays is empty.
		`{"sites":[{"site_id":"{{B}}","display_name":" Back ","description":"end"},{"site_id":"{{A}}"}]}`: "8 B Back:end, 7 A, 9 a Night",
		`{"check_ins":[{"check_in_id":"b"},{"check_in_id":"a","description":null}]}`:                      "7 A Shop:front, 8 B, 0 b, 9 a",
		// An entry without a position has its place in the list as its position; equal ones keep the order of the list.
		`{"check_ins":[],"sites":[{"site_id":"{{A}}","position":2},{"site_id":"{{B}}"},{"site_id":"{{C}}"},{"site_id":"{{D}}","position":0}]}`:              "0 D, 8 B, 7 A, 0 C",
		`{"check_ins":[],"sites":[{"site_id":"{{A}}"},{"site_id":"{{B}}","position":0}]}`:                                                                   "7 A, 8 B",
		`{"check_ins":[],"sites":[{"site_id":"{{A}}","position":9},{"site_id":"{{B}}","position":5},{"site_id":"{{C}}","position":null}]}`:                  "0 C, 8 B, 7 A",
		`{"sites":[],"check_ins":[{"check_in_id":"d","position":1},{"check_in_id":"c","position":1},{"check_in_id":"b","position":0},{"check_in_id":"a"}]}`: "0 b, 0 d, 0 c, 9 a",
	} {
		after, err := changePage(t, status.StatusPage{StatusPageSettings: status.StatusPageSettings{Name: "x", Components: before}}, accounts.SelfHosted, body)
		if got := shown(after.Components); err != nil || got != want {
			t.Errorf("%s: %s (%v), want %s", body, got, err, want)
		}
	}
	if got := shown(before); got != unchanged {
		t.Errorf("the page itself was changed: %s", got)
	}
}

func TestFieldsOfAChangedPage(t *testing.T) {
	t.Parallel()
	full := status.StatusPage{StatusPageSettings: status.StatusPageSettings{
		Name: "Shop", Slug: "shop", HideBranding: true, Unlisted: true, AutoIncidents: true, ResponseTimes: true,
		Features: status.StatusFeatures{HomeLink: "https://example.org", UpCaption: "Up", CustomCSS: "a{}"},
	}, PasswordHash: "hash", PasswordKey: []byte("key")}
	after, err := changePage(t, full, accounts.SelfHosted, `{"slug":null,"hide_branding":"false","features":{"up_caption":null,"down_caption":"Down"},
		"search_engine_indexing_disabled":null,"automatic_incidents":"0","response_times":null,"password":null}`)
	want := status.StatusPage{StatusPageSettings: status.StatusPageSettings{
		Name: "Shop", Features: status.StatusFeatures{HomeLink: "https://example.org", DownCaption: "Down", CustomCSS: "a{}"},
	}, UpdatedAt: pageNoon}
	if diff := cmp.Diff(want, after); diff != "" || err != nil {
		t.Errorf("reset (-want +got):\n%s\n%v", diff, err)
	}
	after, err = changePage(t, full, accounts.SelfHosted, `{"features":null,"name":" Store ","slug":"a-1"}`)
	want = full
	want.Name, want.Slug, want.Features, want.UpdatedAt = "Store", "a-1", status.StatusFeatures{}, pageNoon
	if diff := cmp.Diff(want, after); diff != "" || err != nil {
		t.Errorf("changed (-want +got):\n%s\n%v", diff, err)
	}
	first, err := changePage(t, full, accounts.SelfHosted, `{"password":"12345678"}`)
	second, _ := changePage(t, first, accounts.SelfHosted, `{"password":"12345678"}`)
	if first.PasswordHash != "hash of 12345678" || len(first.PasswordKey) != 32 || string(first.PasswordKey) == string(second.PasswordKey) || err != nil {
		t.Errorf("a password left %q and a key of %d bytes, new with each (%v)", first.PasswordHash, len(first.PasswordKey), err)
	}
}

func TestDomainOfAChangedPage(t *testing.T) {
	t.Parallel()
	verified := status.StatusDomain{Name: "status.example.org", Secret: "s", State: status.DomainVerified, VerifiedAt: pageNoon}
	page := status.StatusPage{StatusPageSettings: status.StatusPageSettings{Name: "x"}, Domain: verified}
	for body, want := range map[string]string{
		`{}`:                                 "status.example.org",
		`{"domain":"Status.Example.ORG."}`:   "status.example.org",
		`{"domain":null}`:                    "",
		`{"domain":""}`:                      "",
		`{"domain":" A.b "}`:                 "a.b",
		`{"domain":"xn--bcher-kva.example"}`: "xn--bcher-kva.example",
	} {
		after, err := changePage(t, page, accounts.SelfHosted, body)
		d := after.Domain
		switch {
		case err != nil || d.Name != want:
			t.Errorf("%s: %q (%v), want %q", body, d.Name, err, want)
		case want == verified.Name && d != verified, want == "" && d != (status.StatusDomain{}):
			t.Errorf("%s left %+v", body, d)
		case want != verified.Name && want != "" && (len(d.Secret) != 32 || d.State != status.DomainPending || !d.VerifiedAt.IsZero() || !d.DueAt.Equal(pageNoon)):
			t.Errorf("%s: %+v is not looked for anew", body, d)
		}
	}
	page.Domain = status.StatusDomain{}
	const example = ", such as status.example.org"
	label := strings.Repeat("a", 63)
	for domain, want := range map[string]string{
		"https://status.example.org":     "must be only a name, without http:// or https://" + example,
		"status.example.org/x":           "must be only a name, without a path" + example,
		"ann@example.org":                "must be only a name, without a path" + example,
		"status.example.org:443":         "must be only a name, without a port" + example,
		"192.0.2.1":                      "must be a name in DNS" + example + ", and not an IP address",
		"2001:db8::1":                    "must be a name in DNS" + example + ", and not an IP address",
		"[::1]":                          "must be a name in DNS" + example + ", and not an IP address",
		"bücher.example":                 "must be written in ASCII, as punycode, in which bücher.example is xn--bcher-kva.example",
		"status":                         "must be a whole name, with its top-level domain" + example,
		"1.2.3":                          "must be a whole name, with its top-level domain" + example,
		"a b.example":                    "must be of letters, digits and hyphens, with dots between its parts" + example,
		"*.example.org":                  "must be of letters, digits and hyphens, with dots between its parts" + example,
		"a_b.example.org":                "must be of letters, digits and hyphens, with dots between its parts" + example,
		"-a.example.org":                 "must be of letters, digits and hyphens, with dots between its parts" + example,
		"a-.example.org":                 "must be of letters, digits and hyphens, with dots between its parts" + example,
		"a..example.org":                 "must be of letters, digits and hyphens, with dots between its parts" + example,
		label + "a.example.org":          "must be of letters, digits and hyphens, with dots between its parts" + example,
		strings.Repeat("a.", 123) + "aa": "is too long (maximum is 247 characters)",
		"Sett.Example.Org":               "must not be that of this server itself: take another, such as status.sett.example.org",
		label + ".example.org":           "",
		strings.Repeat("a.", 123) + "a":  "",
		"status.sett.example.org":        "",
	} {
		if want != "" {
			want = "Please correct: domain " + want + "."
		}
		text := ""
		if _, err := changePage(t, page, accounts.SelfHosted, `{"domain":"`+domain+`"}`); err != nil {
			text = err.Error()
		}
		if text != want {
			t.Errorf("%s: %s\nwant %s", domain, text, want)
		}
	}
}

func TestRecordsOfADomain(t *testing.T) {
	t.Parallel()
	d := status.StatusDomain{Name: "status.example.com", Secret: "abc"}
	txt := status.DNSRecord{Type: "TXT", Name: "_sett.status.example.com", Value: "sett-domain-verification=abc"}
	for host, want := range map[string][]status.DNSRecord{
		"sett.example.org": {{Type: "CNAME", Name: "status.example.com", Value: "sett.example.org"}, txt},
		"localhost":        {txt}, "192.0.2.1": {txt}, "": {txt},
	} {
		if diff := cmp.Diff(want, d.Records(host)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", host, diff)
		}
	}
	if got := (status.StatusDomain{}).Records("sett.example.org"); got != nil {
		t.Errorf("no domain has %v", got)
	}
}

func TestWhatPlansRefuse(t *testing.T) {
	t.Parallel()
	page := status.StatusPage{StatusPageSettings: status.StatusPageSettings{Name: "x", HideBranding: true, Features: status.StatusFeatures{UpCaption: "Up"}}}
	const branding, features = "hide_branding needs the Team plan or one above it", "features need the Team plan or one above it"
	for body, want := range map[string]string{
		`{}`: "", `{"name":"y"}`: "", `{"hide_branding":false}`: "", `{"features":{}}`: "", `{"features":null}`: "", `{"features":{"up_caption":""}}`: "",
		`{"hide_branding":true}`:                                 branding,
		`{"hide_branding":"1","features":{"mixed_caption":"a"}}`: branding + "; " + features,
		`{"features":{"custom_css":"a{}"}}`:                      features,
		`{"features":{"home_link":"https://x.test"}}`:            features,
		`{"features":{"up_caption":"a"}}`:                        features, `{"features":{"down_caption":"a"}}`: features,
	} {
		if want != "" {
			want = "Please correct: " + want + "."
		}
		if _, err := changePage(t, page, accounts.DeveloperPlan, body); fmt.Sprint(err) != want && (err != nil || want != "") {
			t.Errorf("%s: %v, want %s", body, err, want)
		}
		for _, plan := range []accounts.Plan{accounts.SelfHosted, accounts.TeamPlan, accounts.BusinessPlan, accounts.EnterprisePlan} {
			if _, err := changePage(t, page, plan, body); err != nil {
				t.Errorf("%s with the plan %s: %v", body, plan, err)
			}
		}
	}
}

func TestSlugsOfNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Shop": "shop", "Café & Bar  7!": "caf-bar-7", "日本": "status", "A": "status-a", "--A b--": "a-b", strings.Repeat("ab ", 40): strings.Repeat("ab-", 17) + "ab",
	} {
		slugs := status.StatusSlugs(name)
		if slugs[0] != want {
			t.Errorf("%s: %s, want %s", name, slugs[0], want)
		}
		seen := map[string]bool{}
		for _, slug := range slugs {
			if _, err := changePage(t, status.StatusPage{}, accounts.SelfHosted, `{"name":"x","slug":"`+slug+`"}`); err != nil || seen[slug] {
				t.Errorf("%s: %s cannot be used, or is there twice: %v", name, slug, err)
			}
			seen[slug] = true
		}
	}
}

func TestAddressOfAPage(t *testing.T) {
	t.Parallel()
	page := status.StatusPage{StatusPageSettings: status.StatusPageSettings{Slug: "shop"}, Domain: status.StatusDomain{Name: "status.example.com"}}
	if got := page.Address("https://sett.example.org"); got != "https://sett.example.org/status/shop" {
		t.Errorf("before its domain is verified it is at %s", got)
	}
	page.Domain.VerifiedAt = pageNoon
	if got := page.Address("https://sett.example.org"); got != "https://status.example.com" {
		t.Errorf("then it is at %s", got)
	}
}

func TestCustomStyles(t *testing.T) {
	t.Parallel()
	const load, imported = "must not contain url() with anything but data:image/…: nothing may be loaded from elsewhere", "must not contain @import: put the styles themselves here"
	for css, want := range map[string]string{
		"": "", "h1 { color: teal }": "", `a::before { content: "\2192 \201c" }`: "", strings.Repeat("a", 20_000): "",
		"a{background:url(data:image/png;base64,AA==)}": "", `a{background:URL( "DATA:image/svg+xml,%3Csvg/%3E" )}`: "", "b{background-image: none; --src: 1}": "",

		strings.Repeat("a", 20_001): "is too long (maximum is 20000 bytes)", strings.Repeat("ö", 10_001): "is too long (maximum is 20000 bytes)",
		"</style><script>alert(1)</script>": "must not contain the character <",
		`@import "https://x.test/a.css";`:   imported, "@IMPORT 'a'": imported, `@\69mport "a"`: imported, `@\000069 mport "a"`: imported, `@i\mport "a"`: imported,
		"a{background:url(https://x.test/)}": load, "a{background:url('//x.test')}": load, "a{background:URL(\n/x)}": load, "a{background:url()}": load,
		`a{background:\75rl(https://x.test)}`: load, `a{background:u\52 L(https://x.test)}`: load, `a{background:ur\l(https://x.test)}`: load,
		`a{background:url(data:image/png,a),url(https://x.test)}`: load, "a{background:url(data:text/html,x)}": load,
		`a{content:"/*";background:url(https://x.test);content:"*/"}`: load, `a{content:"\";background:url(https://x.test);"}`: load,
		`@font-face{src:url(https://x.test/f)}`:   load,
		`a{background:image-set("https://x" 1x)}`: "must not contain image-set(): use url() with data:image/", `a{background:-webkit-image-set("x" 1x)}`: "must not contain image-set(): use url() with data:image/",
		`a{background:image\-set("https://x" 1x)}`: "must not contain image-set(): use url() with data:image/", `a{background:src("https://x")}`: "must not contain src(): use url() with data:image/",
		`a{width:expression(alert(1))}`: "must not contain expression(): use url() with data:image/",
	} {
		quoted, err := json.Marshal(css)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if _, err := changePage(t, status.StatusPage{}, accounts.SelfHosted, `{"name":"x","features":{"custom_css":`+string(quoted)+`}}`); err != nil {
			got = err.Error()
		}
		if want != "" {
			want = "Please correct: features.custom_css " + want + "."
		}
		if got != want {
			t.Errorf("%.80s: %s\nwant %s", css, got, want)
		}
	}
}

func TestWhatPagesCannotHave(t *testing.T) {
	t.Parallel()
	const password = "password must have from 8 to 200 characters, and not only spaces; null removes it"
	const user, port = "features.home_link must not have a user or a password before its host: everybody can see it", "features.home_link must have no port, or one from 1 to 65535"
	never := func(top string) string {
		return "domain must be a name that can be looked up: those that end with ." + top + " are never in DNS"
	}
	for body, want := range map[string]string{
		`{"password":"        "}`: password, `{"password":"\u00a0\u200b\u3000     "}`: password, `{"password":"   a    "}`: "",
		`{"features":{"home_link":"https://u:p@x.org"}}`: user, `{"features":{"home_link":"https://u@x.org/"}}`: user, `{"features":{"home_link":"https://x.org/@u"}}`: "",
		`{"features":{"home_link":"https://x.org:0"}}`: port, `{"features":{"home_link":"https://x.org:65536"}}`: port, `{"features":{"home_link":"https://x.org:65535/"}}`: "",
		`{"domain":"localhost.localdomain"}`: never("localdomain"), `{"domain":"status.LOCAL"}`: never("local"), `{"domain":"a.localhost"}`: never("localhost"),
		`{"domain":"a.invalid"}`: never("invalid"), `{"domain":"a.onion"}`: never("onion"), `{"domain":"a.alt"}`: never("alt"),
		`{"domain":"intranet"}`:      "domain must be a whole name, with its top-level domain, such as status.example.org",
		`{"domain":"local.example"}`: "", `{"domain":"status.corp.internal"}`: "",
	} {
		if want != "" {
			want = "Please correct: " + want + "."
		}
		page := status.StatusPage{StatusPageSettings: status.StatusPageSettings{Name: "x", Slug: "xyz"}}
		if _, err := changePage(t, page, accounts.SelfHosted, body); fmt.Sprint(err) != want && (err != nil || want != "") {
			t.Errorf("%s: %v\nwant %s", body, err, want)
		}
	}
}
