package query

import (
	"strings"
	"testing"
	"time"
)

func TestToggle(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct{ q, term, want string }{
		{"", "environment:production", "environment:production"},
		{"-is:resolved  boom", "environment:production", "-is:resolved boom environment:production"},
		{"environment:production", "environment:production", ""},
		{`-is:resolved environment:"Production" boom`, "environment:production", "-is:resolved boom"},
		{"-environment:production", "environment:production", "-environment:production environment:production"},
		{"environment:staging", "environment:production", "environment:staging environment:production"},
		{"context.a:x", "context.b:x", "context.a:x context.b:x"},
		{`class:"left open`, "environment:production", `class:"left open" environment:production`},
		{"occurred.after:2 hours ago boom", `occurred.after:"2 hours ago"`, "boom"},
		{"occurred.before:2026-01-01", "occurred.after:2026-01-01", "occurred.before:2026-01-01 occurred.after:2026-01-01"},
		{"is:wrong hosname:x", "environment:production", "is:wrong hosname:x environment:production"},
		{"is:wrong environment:production", "environment:production", "is:wrong"},
		{"boom", "two terms", "boom"},
	} {
		changed, had := Spell(c.q, now).Toggle(c.term)
		if got := changed.String(); got != c.want || had != (len(got) < len(c.q)) {
			t.Errorf("%q toggled %q = %q, %t, want %q", c.q, c.term, got, had, c.want)
		}
	}
	if got := Spell(`a occurred.after:yesterday -occurred:today occurred.before:"last deploy" b`, now).Without(Occurred).String(); got != "a -occurred:today b" {
		t.Errorf("without dates it is %q", got)
	}
}

// A term that is added is found again, and removed without a trace, whatever it is added to.
func FuzzToggle(f *testing.F) {
	for _, value := range awkward {
		f.Add(value, `class:"x y"`)
		f.Add("boom", Write(Class, value))
		f.Add(`"`+value, Write(Class, value))
	}
	now := time.Unix(1e9, 0)
	f.Fuzz(func(t *testing.T, q, value string) {
		if len(q) > MaxBytes || len(value) > MaxBytes/4 || value == "" {
			return
		}
		term := Write(Class, value)
		with := Spell(q, now).With(term).String()
		found := Spell(with, now).Terms
		if last := found[len(found)-1]; last.Key != Class || last.Values[0].Text != storableText(value) {
			t.Errorf("%q with %q is %q, which ends with %+v", q, term, with, last)
		}
		if without, had := Spell(with, now).Toggle(term); !had {
			t.Errorf("%q does not have %q: %q", with, term, without)
		}
	})
}

func TestWrongSearches(t *testing.T) {
	t.Parallel()
	for q, want := range map[string][3]string{
		"a clas:TypeError -is:resolved":    {"Unknown filter “clas:”.", "class:TypeError", "a class:TypeError -is:resolved"},
		`-hosname:"web 1"`:                 {"Unknown filter “hosname:”.", `-hostname:"web 1"`, `-hostname:"web 1"`},
		"comments:yes":                     {"Unknown filter “comments:”.", "has:comment", "has:comment"},
		"created.on:today x":               {"Unknown filter “created.on:”.", "created.after:today", "created.after:today x"},
		"cart.total:x":                     {"Unknown filter “cart.total:”. Fields of events begin with request., params., context. or session.", "context.cart.total:x", "context.cart.total:x"},
		"request:x":                        {"“request:” needs the name of a field, such as request.url:value.", "", "request:x"},
		"is:weird":                         {"Unknown value “is:weird”. Use is:resolved, is:unresolved, is:ignored, is:assigned, is:paused, is:pending_resolution, is:new.", "", "is:weird"},
		"class:" + strings.Repeat("*", 21): {"This search has “class:" + strings.Repeat("*", 21) + "” with more than 20 stars; leave some out.", "", "class:" + strings.Repeat("*", 21)},
		"class:TypeError":                  {"", "", "class:TypeError"},
	} {
		text, term, meant := Spell(q, searchNow).Wrong()
		if got := [3]string{text, term, meant.String()}; got != want {
			t.Errorf("%s: %q, want %q", q, got, want)
		}
		if _, problem := meant.Search(); term != "" && problem != "" {
			t.Errorf("%s: the corrected search is wrong: %s", q, problem)
		}
	}
}
