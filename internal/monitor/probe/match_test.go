package probe_test

import (
	"net/http"
	"strings"
	"testing"

	"sett/internal/sett/checks"
	"sett/internal/setttest/target"
)

func TestCheckMatches(t *testing.T) {
	t.Parallel()
	mebibyte := strings.Repeat("x", 1<<20)
	const tooLarge = "Page is larger than 1 MiB, and what follows was not read -- it may include the text"
	for name, tt := range map[string]struct {
		match  checks.MatchType
		text   string
		answer target.Behaviour
		reason string
	}{
		"exact":                {checks.MatchExact, "204", target.Answer(204, ""), ""},
		"exact, other":         {checks.MatchExact, "204", target.Answer(500, ""), "Expected status code 204 -- got 500"},
		"exact, a redirect":    {checks.MatchExact, "301", target.Redirect("/"), ""},
		"exact, an error":      {checks.MatchExact, "503", target.Answer(503, "closed"), ""},
		"exact, beyond 599":    {checks.MatchExact, "999", target.Answer(999, "closed"), ""},
		"include":              {checks.MatchInclude, "open", target.Answer(200, "we are open today"), ""},
		"include, absent":      {checks.MatchInclude, "open", target.Answer(200, "we are closed"), `Expected page to include "open"`},
		"include, with status": {checks.MatchInclude, "open", target.Answer(503, "we are open"), ""},
		"include, empty page":  {checks.MatchInclude, "open", target.Answer(204, ""), `Expected page to include "open"`},
		"include, compressed":  {checks.MatchInclude, "open", target.Gzip("we are open"), ""},
		"include, UTF-8":       {checks.MatchInclude, "geöffnet ✓", target.Answer(200, "<p>geöffnet ✓</p>"), ""},
		"include, at the end":  {checks.MatchInclude, "xyz", target.Answer(200, mebibyte[:1<<20-2]+"yz"), ""},
		"include, past 1 MiB":  {checks.MatchInclude, "xyz", target.Answer(200, mebibyte[:1<<20-1]+"yz"), `Expected page to include "xyz" -- only the first MiB was read`},
		"include, before that": {checks.MatchInclude, "xyz", target.Answer(200, mebibyte[1:]), `Expected page to include "xyz"`},
		"include, no end":      {checks.MatchInclude, "xyz", target.Endless, `Expected page to include "xyz" -- only the first MiB was read`},
		"exclude, past 1 MiB":  {checks.MatchExclude, "xyz", target.Answer(200, mebibyte+"xyz"), tooLarge},
		"exclude, all of it":   {checks.MatchExclude, "xyz", target.Answer(200, mebibyte), ""},
		"exclude, no end":      {checks.MatchExclude, "xyz", target.Endless, tooLarge},
		"exclude, endless":     {checks.MatchExclude, "less", target.Endless, `Expected page not to include "less"`},
		"include, endless":     {checks.MatchInclude, "endless endless", target.Endless, ""},
		"include, a letter":    {checks.MatchInclude, "x", target.Answer(200, "yyyx"), ""},
		"include, then cut":    {checks.MatchInclude, "the", target.CloseBody, ""},
		"include, cut off":     {checks.MatchInclude, "end", target.CloseBody, "Connection closed before the response body was complete"},
		"exclude, then cut":    {checks.MatchExclude, "the", target.CloseBody, `Expected page not to include "the"`},
		"exclude":              {checks.MatchExclude, "error", target.Answer(200, "all is well"), ""},
		"exclude, present":     {checks.MatchExclude, "error", target.Answer(200, "an error"), `Expected page not to include "error"`},
		"exclude, with status": {checks.MatchExclude, "error", target.Answer(500, "oh"), ""},
		"exclude, cut off":     {checks.MatchExclude, "error", target.CloseBody, "Connection closed before the response body was complete"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site := target.Start(t, target.Options{})
			site.Every(tt.answer)
			r := check(t, open(), checks.ProbeRequest{URL: site.URL, MatchType: tt.match, Match: tt.text})
			if r.Reason != tt.reason {
				t.Errorf("reason %q, want %q", r.Reason, tt.reason)
			}
			if r.Up && r.Body != nil {
				t.Errorf("up, but %d bytes are kept", len(r.Body))
			}
		})
	}
}

func TestCheckKeepsTheBeginning(t *testing.T) {
	t.Parallel()
	site := target.Start(t, target.Options{})
	page := strings.Repeat("0123456789", 1000)
	site.Every(target.Answer(http.StatusInternalServerError, page))
	for match, text := range map[checks.MatchType]string{checks.MatchSuccess: "", checks.MatchInclude: "absent"} {
		r := check(t, open(), checks.ProbeRequest{URL: site.URL, MatchType: match, Match: text})
		if string(r.Body) != page[:4096] {
			t.Errorf("%s: %d bytes are kept", match, len(r.Body))
		}
	}
}

// A page that never ends does not hide that its status is wrong.
func TestCheckStatusBeforePage(t *testing.T) {
	t.Parallel()
	site := target.Start(t, target.Options{})
	for name, page := range map[string]target.Behaviour{
		"hangs": target.Silent, "ends early": target.Close, "resets": target.Reset,
	} {
		site.Every(target.Then("HTTP/1.1 500 Oh\r\nContent-Length: 100\r\n\r\nbroken", page))
		r := check(t, open(), checks.ProbeRequest{URL: site.URL, Timeout: short})
		if r.Reason != "Expected 2xx status code -- got 500" || string(r.Body) != "broken" || r.Phase != "" {
			t.Errorf("%s: reason %q, body %q, phase %q", name, r.Reason, r.Body, r.Phase)
		}
	}
}

func TestCheckKeepsHeaders(t *testing.T) {
	t.Parallel()
	site := target.Start(t, target.Options{})
	site.Every(target.Answer(200, "fine", "X-Two", "one", "x-two", "two", "X-Latin", "caf\xe9\t!", "Set-Cookie", "a=b"))
	got := check(t, open(), checks.ProbeRequest{URL: site.URL}).Headers
	for name, value := range map[string]string{
		"x-two": "one, two", "x-latin": "caf\uFFFD !", "set-cookie": "", "content-type": "text/plain", "content-length": "4",
	} {
		if got[name] != value {
			t.Errorf("%s: %q, want %q", name, got[name], value)
		}
	}
}

func TestCheckKeepsFewHeaders(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]int{"v": 64, strings.Repeat("v", 1000): 8} {
		site := target.Start(t, target.Options{})
		var headers []string
		for c := range 100 {
			headers = append(headers, "A"+strings.Repeat("a", 10+c/10)+string(rune('a'+c%10)), value)
		}
		site.Every(target.Answer(200, "fine", headers...))
		got := check(t, open(), checks.ProbeRequest{URL: site.URL}).Headers
		if len(got) != want {
			t.Errorf("%d headers of %d bytes are kept, want %d", len(got), len(value), want)
		}
	}
}
