package checks

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
)

func secretSite(t *testing.T) SiteSettings {
	t.Helper()
	s, err := SiteChange{
		URL:            sett.Some("https://ann:open@shop.test/health?token=abc&page=2"),
		RequestHeaders: sett.Some([]ProbeHeader{{"Authorization", "Bearer t0ken"}, {"Accept", "text/html"}, {"X-Key", "one"}, {"X-Key", "two"}}),
		RequestBody:    sett.Some(`{"password":"s3same"}`),
	}.Apply(NewSiteSettings())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSiteSecretsAreMasked(t *testing.T) {
	t.Parallel()
	s := secretSite(t)
	const address = "https://********@shop.test/health?token=********&page=2"
	if got := s.Shown(true); got.URL != address || got.Headers[0].Value != "Bearer t0ken" || got.Body != s.Body {
		t.Errorf("%+v", got)
	}
	want := []ProbeHeader{{"Authorization", SecretMask}, {"Accept", "text/html"}, {"X-Key", SecretMask}, {"X-Key", SecretMask}}
	if got := s.Shown(false); got.URL != address || !cmp.Equal(got.Headers, want) || got.Body != SecretMask {
		t.Errorf("%+v", got)
	}
	if got := s.Editable(SiteAuthor{Blind: true}); got.URL != s.URL || !cmp.Equal(got.Headers, want) || got.Body != SecretMask {
		t.Errorf("%+v", got)
	}
	if got := NewSiteSettings().Shown(false); got.Body != "" {
		t.Errorf("no body reads %q", got.Body)
	}
	if s.Headers[0].Value != "Bearer t0ken" {
		t.Error("the settings themselves were masked")
	}
}

func TestMaskedSecretsStay(t *testing.T) {
	t.Parallel()
	s := secretSite(t)
	shown := s.Shown(false)
	for _, author := range []SiteAuthor{{}, {Blind: true}} {
		got, err := SiteChange{URL: sett.Some(shown.URL), RequestHeaders: sett.Some(shown.Headers), RequestBody: sett.Some(shown.Body)}.By(author).Apply(s)
		if err != nil || !got.Equal(s) {
			t.Errorf("%+v: %+v, %v", author, got, err)
		}
		if got, err = (SiteChange{Name: sett.Some("Shop")}).By(author).Apply(s); err != nil || got.URL != s.URL || !cmp.Equal(got.Headers, s.Headers) || got.Body != s.Body {
			t.Errorf("%+v: %+v, %v", author, got, err)
		}
	}
}

// A user who cannot see a secret cannot have it sent to a host of their own.
func TestBlindAuthorsKeepSecretsAtTheirHost(t *testing.T) {
	t.Parallel()
	s, blind := secretSite(t), SiteAuthor{Blind: true}
	masked := s.Shown(false).Headers
	const headers, body = "write their values again", "write it again"
	evil := sett.Some("https://evil.test/")
	mine, none := sett.Some([]ProbeHeader{{"Authorization", "mine"}}), sett.Some([]ProbeHeader{})
	for name, c := range map[string]struct {
		change SiteChange
		author SiteAuthor
		says   []string
	}{
		"another host":                     {SiteChange{URL: evil}, blind, []string{headers, body}},
		"another port":                     {SiteChange{URL: sett.Some("https://shop.test:8443/")}, blind, []string{headers, body}},
		"without encryption":               {SiteChange{URL: sett.Some("http://shop.test/")}, blind, []string{headers, body}},
		"masked, at another host":          {SiteChange{URL: evil, RequestHeaders: sett.Some(masked), RequestBody: sett.Some(SecretMask)}, blind, []string{headers, body}},
		"their own headers alone":          {SiteChange{URL: evil, RequestHeaders: mine}, blind, []string{body}},
		"their own body alone":             {SiteChange{URL: evil, RequestBody: sett.Some("mine")}, blind, []string{headers}},
		"another path":                     {SiteChange{URL: sett.Some("https://shop.test/other")}, blind, nil},
		"their own secrets":                {SiteChange{URL: evil, RequestHeaders: mine, RequestBody: sett.Some("mine")}, blind, nil},
		"none any more":                    {SiteChange{URL: evil, RequestHeaders: none, RequestBody: sett.Some("")}, blind, nil},
		"who sees them":                    {SiteChange{URL: sett.Some("https://new.test/")}, SiteAuthor{}, nil},
		"a masked address of another host": {SiteChange{URL: sett.Some("https://********@evil.test/")}, SiteAuthor{}, []string{"write the user, password or parameter itself"}},
		"a mask for no header":             {SiteChange{RequestHeaders: sett.Some([]ProbeHeader{{"X-Token", SecretMask}})}, SiteAuthor{}, []string{"none is kept"}},
	} {
		_, err := c.change.By(c.author).Apply(s)
		if len(c.says) == 0 && err != nil || len(c.says) > 0 && sett.CodeOf(err) != sett.Invalid {
			t.Errorf("%s: %v", name, err)
		}
		for _, words := range []string{headers, body, "write the user", "none is kept"} {
			if want := slices.ContainsFunc(c.says, func(said string) bool { return strings.Contains(said, words) }); err != nil && strings.Contains(err.Error(), words) != want {
				t.Errorf("%s: %v: says %q: %v", name, err, words, !want)
			}
		}
	}
	if _, err := (SiteChange{URL: evil, RequestBody: sett.Some(SecretMask)}).Apply(NewSiteSettings()); sett.CodeOf(err) != sett.Invalid || !strings.Contains(err.Error(), "none is kept") {
		t.Errorf("a mask for no body: %v", err)
	}
}

func TestChecksNameNoUser(t *testing.T) {
	t.Parallel()
	author := SiteAuthor{Identity: "Who-Is-It"}
	for _, name := range []string{
		"Who-Is-It", "who-is-it", "WHO_IS_IT", "Remote-User", "Remote_Email", "X-Forwarded-For", "X-Forwarded-User", "x_forwarded_email", "X-Forwarded-Host", "Forwarded", "Via",
		"X-Real-IP", "X-Auth-Request-Email", "Cf-Access-Authenticated-User-Email", "Tailscale-User-Login", "Sett-Outbound", "Connection", "Proxy-Authorization",
	} {
		_, err := SiteChange{URL: sett.Some("https://x.test/"), RequestHeaders: sett.Some([]ProbeHeader{{name, "owner@example.test"}})}.By(author).Apply(NewSiteSettings())
		if sett.CodeOf(err) != sett.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"X-Forwarded-Proto", "Authorization", "Host", "X-Who-Is-It"} {
		if _, err := (SiteChange{URL: sett.Some("https://x.test/"), RequestHeaders: sett.Some([]ProbeHeader{{name, "https"}})}).By(author).Apply(NewSiteSettings()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	old := NewSiteSettings()
	old.URL, old.Headers = "https://x.test/", []ProbeHeader{{"X-Forwarded-For", "1.2.3.4"}}
	if _, err := (SiteChange{Active: sett.Some(false)}).By(author).Apply(old); err != nil {
		t.Errorf("a site that has such a header cannot be paused: %v", err)
	}
}
