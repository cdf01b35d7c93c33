package sett

import (
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// searchNow is a Wednesday.
var searchNow = time.Date(2026, 10, 7, 21, 12, 40, 500, time.UTC)

func utcDate(year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// parse is Parse with what is wrong as an error.
func parse(q string, now time.Time) (Search, error) {
	s, problem := Parse(q, now)
	if problem != "" {
		return s, errors.New(problem)
	}
	return s, nil
}

func searchTerm(key SearchKey, texts ...string) SearchTerm {
	t := SearchTerm{Key: key}
	for _, text := range texts {
		t.Values = append(t.Values, SearchValue{Text: text})
	}
	return t
}

func negated(t SearchTerm) SearchTerm {
	t.Negated = true
	return t
}

func searchAt(path string, t SearchTerm) SearchTerm {
	t.Path = path
	return t
}

func TestParse(t *testing.T) {
	t.Parallel()
	today := SearchTerm{Key: SearchCreated, Values: []SearchValue{
		{Text: "today", Op: SearchOn, From: utcDate(2026, 10, 7), To: utcDate(2026, 10, 8)},
	}}
	since := SearchTerm{Key: SearchOccurred, Values: []SearchValue{
		{Text: "24 hours ago", Op: SearchAfter, From: searchNow.Add(-24 * time.Hour)},
	}}
	until := SearchTerm{Key: SearchOccurred, Values: []SearchValue{
		{Text: "today", Op: SearchBefore, To: utcDate(2026, 10, 7)},
	}}
	deployed := SearchTerm{Key: SearchLastOccurred, Values: []SearchValue{
		{Text: "last deploy", Op: SearchAfter, LastDeploy: true},
	}}
	for _, c := range []struct {
		q    string
		want []SearchTerm
	}{
		{"", nil},
		{" \t\n ", nil},
		{`"" -"" -`, []SearchTerm{searchTerm(SearchText, "-")}},

		// every key of the document
		{"class:NoMethodError", []SearchTerm{searchTerm(SearchClass, "NoMethodError")}},
		{"component:orders action:show", []SearchTerm{searchTerm(SearchComponent, "orders"), searchTerm(SearchAction, "show")}},
		{"environment:production tag:a/b", []SearchTerm{searchTerm(SearchEnvironment, "production"), searchTerm(SearchTag, "a/b")}},
		{`message:"undefined method"`, []SearchTerm{searchTerm(SearchMessage, "undefined method")}},
		{"file:app/x.rb hostname:web1", []SearchTerm{searchTerm(SearchFile, "app/x.rb"), searchTerm(SearchHostname, "web1")}},
		{"revision:3f2a9c", []SearchTerm{searchTerm(SearchRevision, "3f2a9c")}},
		{"assignee:me assignee:Ann@example.com", []SearchTerm{searchTerm(SearchAssignee, "me", "Ann@example.com")}},
		{"is:resolved", []SearchTerm{searchTerm(SearchIs, "resolved")}},
		{"is:Unresolved has:comment", []SearchTerm{searchTerm(SearchIs, "unresolved"), searchTerm(SearchHas, "comment")}},
		{"is:assigned -is:paused -is:pending_resolution", []SearchTerm{
			searchTerm(SearchIs, "assigned"), negated(searchTerm(SearchIs, "paused")), negated(searchTerm(SearchIs, "pending_resolution")),
		}},
		{"request.url:*checkout* params.id:7", []SearchTerm{
			searchAt("url", searchTerm(SearchRequest, "*checkout*")), searchAt("id", searchTerm(SearchParams, "7")),
		}},
		{"context.User.Email:*@example.com session.cart:", []SearchTerm{
			searchAt("user.email", searchTerm(SearchContext, "*@example.com")), searchAt("cart", searchTerm(SearchSession, "")),
		}},
		{"-request.user_agent:*Googlebot*", []SearchTerm{negated(searchAt("user_agent", searchTerm(SearchRequest, "*Googlebot*")))}},
		{"created:today", []SearchTerm{today}},
		{`occurred.after:"24 hours ago" occurred.before:today`, []SearchTerm{since, until}},
		{`last_occurred.after:"last deploy"`, []SearchTerm{deployed}},

		// the forms that other tools send
		{`environment:"production" -is:resolved -is:ignored`, []SearchTerm{
			searchTerm(SearchEnvironment, "production"), negated(searchTerm(SearchIs, "resolved")), negated(searchTerm(SearchIs, "ignored")),
		}},
		{"-is:resolved -is:ignored", []SearchTerm{negated(searchTerm(SearchIs, "resolved")), negated(searchTerm(SearchIs, "ignored"))}},
		{`class:"Foo::Bar" is:unresolved`, []SearchTerm{searchTerm(SearchClass, "Foo::Bar"), searchTerm(SearchIs, "unresolved")}},

		// and, or, not
		{"class:A tag:x class:B CLASS:C", []SearchTerm{searchTerm(SearchClass, "A", "B", "C"), searchTerm(SearchTag, "x")}},
		{"class:A -class:B -class:C", []SearchTerm{
			searchTerm(SearchClass, "A"), negated(searchTerm(SearchClass, "B")), negated(searchTerm(SearchClass, "C")),
		}},
		{"-class:B class:A class:C", []SearchTerm{negated(searchTerm(SearchClass, "B")), searchTerm(SearchClass, "A", "C")}},
		{"params.a:1 params.b:2 params.A:3", []SearchTerm{
			searchAt("a", searchTerm(SearchParams, "1", "3")), searchAt("b", searchTerm(SearchParams, "2")),
		}},
		{"is:resolved is:ignored", []SearchTerm{searchTerm(SearchIs, "resolved", "ignored")}},
		{"red green red", []SearchTerm{searchTerm(SearchText, "red"), searchTerm(SearchText, "green"), searchTerm(SearchText, "red")}},
		{`-red -"dark green"`, []SearchTerm{negated(searchTerm(SearchText, "red")), negated(searchTerm(SearchText, "dark green"))}},

		// unknown keys are words
		{"foo:bar", []SearchTerm{searchTerm(SearchText, "foo:bar")}},
		{`-foo:"a b"`, []SearchTerm{negated(searchTerm(SearchText, "foo:a b"))}},
		{"Foo::Bar :x x:", []SearchTerm{searchTerm(SearchText, "Foo::Bar"), searchTerm(SearchText, ":x"), searchTerm(SearchText, "x:")}},
		{"request:x request.:y created.on:z class.x:y", []SearchTerm{
			searchTerm(SearchText, "request:x"), searchTerm(SearchText, "request.:y"),
			searchTerm(SearchText, "created.on:z"), searchTerm(SearchText, "class.x:y"),
		}},
		{"text:a component_action:b", []SearchTerm{searchTerm(SearchText, "text:a"), searchTerm(SearchText, "component_action:b")}},
		{"http://example.com/a#b", []SearchTerm{searchTerm(SearchText, "http://example.com/a#b")}},

		// component and action
		{"OrdersController#show", []SearchTerm{searchTerm(SearchComponentAction, "OrdersController#show")}},
		{"-Admin::Orders#show_all", []SearchTerm{negated(searchTerm(SearchComponentAction, "Admin::Orders#show_all"))}},
		{"a/b.C#x D#y", []SearchTerm{searchTerm(SearchComponentAction, "a/b.C#x", "D#y")}},
		{`"A#b" #a a# a#1 1#a a#b#c`, []SearchTerm{
			searchTerm(SearchText, "A#b"), searchTerm(SearchText, "#a"), searchTerm(SearchText, "a#"),
			searchTerm(SearchText, "a#1"), searchTerm(SearchText, "1#a"), searchTerm(SearchText, "a#b#c"),
		}},

		// quotes
		{`"a b"c`, []SearchTerm{searchTerm(SearchText, "a b"), searchTerm(SearchText, "c")}},
		{`say"no" it's`, []SearchTerm{searchTerm(SearchText, `say"no"`), searchTerm(SearchText, "it's")}},
		{`message:"a \"b\" c:\dir \\ d"`, []SearchTerm{searchTerm(SearchMessage, `a "b" c:\dir \ d`)}},
		{`class:A message:"open ended class:B`, []SearchTerm{searchTerm(SearchClass, "A"), searchTerm(SearchMessage, "open ended class:B")}},
		{`"open ended\`, []SearchTerm{searchTerm(SearchText, `open ended\`)}},
		{`class:"" component:`, []SearchTerm{searchTerm(SearchClass, ""), searchTerm(SearchComponent, "")}},

		// what stands in no alphabet, or in another one
		{"日本語 class:Größe\u3000-tag:ключ", []SearchTerm{
			searchTerm(SearchText, "日本語"), searchTerm(SearchClass, "Größe"), negated(searchTerm(SearchTag, "ключ")),
		}},
		{"a\x00b \xff", []SearchTerm{searchTerm(SearchText, "a"), searchTerm(SearchText, "b"), searchTerm(SearchText, "\uFFFD")}},
	} {
		got, err := parse(c.q, searchNow)
		if err != nil {
			t.Errorf("parse(%q): %v", c.q, err)
		}
		if diff := cmp.Diff(c.want, got.Terms); diff != "" {
			t.Errorf("parse(%q) (-want +got):\n%s", c.q, diff)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	states := "allowed: is:resolved, is:unresolved, is:ignored, is:assigned, is:paused, is:pending_resolution, is:new"
	dates := `, which names no date; write one such as today, yesterday, "24 hours ago", "this week", "July 1", 2026-07-01, ` +
		`"2026-07-01 09:30", 2026-07-01T09:30:00Z, seconds since 1970, or "last deploy"`
	for _, c := range []struct{ q, want string }{
		{"is:open", "q has “is:open”, which is not known; " + states},
		{"a -IS:", "q has “IS:”, which is not known; " + states},
		{"has:comments", "q has “has:comments”, which is not known; allowed: has:comment"},
		{"created:", "q has “created:”" + dates},
		{"created.after:soon enough", "q has “created.after:soon”" + dates},
		{`occurred.before:"24  hours"`, "q has “occurred.before:24  hours”" + dates},
		{"has:" + strings.Repeat("é", 80), "q has “has:" + strings.Repeat("é", 56) + "…”, which is not known; allowed: has:comment"},
		{strings.Repeat("a", 2001), "q may be at most 2000 bytes long; leave some terms out"},
		{strings.Repeat("a ", 51), "q may have at most 50 terms; put words that belong together in quotes"},
	} {
		_, err := parse(c.q, searchNow)
		if err == nil {
			t.Errorf("parse(%q) took it", c.q)
			continue
		}
		if diff := cmp.Diff(c.want, "q "+err.Error()); diff != "" {
			t.Errorf("parse(%q) (-want +got):\n%s", c.q, diff)
		}
	}
	for _, q := range []string{strings.Repeat("a", 2000), strings.Repeat("a ", 50)} {
		if _, err := parse(q, searchNow); err != nil {
			t.Errorf("at the limit: %v", err)
		}
	}
}

func TestSearchNarrowsNotices(t *testing.T) {
	t.Parallel()
	for q, want := range map[string]bool{
		"":                    false,
		"class:A message:b c": false,
		"created:today is:paused last_occurred.after:today environment:x assignee:me": false,
		"occurred:today":        true,
		"occurred.after:today":  true,
		"a -request.url:x":      true,
		"params.a:1":            true,
		"context.a:1":           true,
		"session.a:1":           true,
		"class:A hostname:web1": true,
		"revision:abc":          true,
		"file:x.rb":             true,
	} {
		s, err := parse(q, searchNow)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.NarrowsNotices(); got != want {
			t.Errorf("%q narrows notices: %v", q, got)
		}
	}
}

func TestSearchValue(t *testing.T) {
	t.Parallel()
	if !(SearchValue{Text: "a*b"}).Wildcard() || (SearchValue{Text: "ab"}).Wildcard() {
		t.Error("a value is a pattern where it holds a star")
	}
	component, action := SearchValue{Text: "Admin::Orders#show"}.ComponentAction()
	if component != "Admin::Orders" || action != "show" {
		t.Errorf("component %q, action %q", component, action)
	}
}

// checkSearch holds for whatever is typed.
func checkSearch(t interface{ Fatalf(string, ...any) }, q string) {
	got, err := parse(q, searchNow)
	if err != nil {
		if refused, ok := errors.AsType[*Error](err); !ok || refused.Code != Invalid || refused.Message == "" {
			t.Fatalf("parse(%q): %v", q, err)
		}
		return
	}
	if again, err := parse(q, searchNow); err != nil || !cmp.Equal(got, again) {
		t.Fatalf("parse(%q) again: %+v, %v, not %+v", q, again, err, got)
	}
	for _, term := range got.Terms {
		if len(term.Values) == 0 || (term.Negated && len(term.Values) > 1) {
			t.Fatalf("parse(%q): %d values in %+v", q, len(term.Values), term)
		}
		for _, v := range term.Values {
			dated := v.Op != SearchMatch
			if dated != v.LastDeploy && v.From.IsZero() && v.To.IsZero() {
				t.Fatalf("parse(%q): a date without a range in %+v", q, term)
			}
			if v.Op == SearchOn && !v.LastDeploy && !v.From.Before(v.To) {
				t.Fatalf("parse(%q): an empty range in %+v", q, term)
			}
			if !utf8.ValidString(v.Text) || strings.Contains(v.Text, "\x00") {
				t.Fatalf("parse(%q): %q cannot be stored", q, v.Text)
			}
		}
	}
}

var searchPieces = []string{
	" ", " ", " ", "-", ":", `"`, `\`, `\"`, "#", ".", "*", "a", "é", "\xff", "\x00", "class:", "is:", "is:resolved", "has:comment",
	"created:", "created.after:", "occurred.before:", "last_occurred:", "24 hours ago", "today", "July 1", "2026-10-07", "21:12", "UTC",
	"1699999999", "last deploy", "context.user.id:", "request.", "A::B#c", "month", "99999", "ago",
}

func TestParseNeverFailsOtherwise(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		checkSearch(t, strings.Join(rapid.SliceOfN(rapid.SampledFrom(searchPieces), 0, 40).Draw(t, "pieces"), ""))
	})
}

// A value that was quoted as the document says comes back as it was.
func TestParseUnquotes(t *testing.T) {
	t.Parallel()
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[a-z "\\:#*é-]{1,20}`).Draw(t, "text")
		want := []SearchTerm{searchTerm(SearchMessage, text), negated(searchTerm(SearchText, text))}
		got, err := parse(`message:"`+escape.Replace(text)+`" -"`+escape.Replace(text)+`"`, searchNow)
		if err != nil || !cmp.Equal(want, got.Terms) {
			t.Fatalf("%v, %s", err, cmp.Diff(want, got.Terms))
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, piece := range searchPieces {
		f.Add(piece + ` class:"` + piece + `" -` + piece)
	}
	f.Fuzz(func(t *testing.T, q string) { checkSearch(t, q) })
}

func BenchmarkParse(b *testing.B) {
	q := `environment:"production" -is:resolved -is:ignored occurred.after:24 hours ago context.user.email:*@example.com timeout`
	b.ReportAllocs()
	for b.Loop() {
		if _, err := parse(q, searchNow); err != nil {
			b.Fatal(err)
		}
	}
}
