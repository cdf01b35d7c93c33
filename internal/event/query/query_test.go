package query

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

func searchTerm(key Key, texts ...string) Term {
	t := Term{Key: key}
	for _, text := range texts {
		t.Values = append(t.Values, Value{Text: text})
	}
	return t
}

func negated(t Term) Term {
	t.Negated = true
	return t
}

func searchAt(path string, t Term) Term {
	t.Path = path
	return t
}

func TestParse(t *testing.T) {
	t.Parallel()
	today := Term{Key: Created, Values: []Value{
		{Text: "today", Op: On, From: utcDate(2026, 10, 7), To: utcDate(2026, 10, 8)},
	}}
	since := Term{Key: Occurred, Values: []Value{
		{Text: "24 hours ago", Op: After, From: searchNow.Add(-24 * time.Hour)},
	}}
	until := Term{Key: Occurred, Values: []Value{
		{Text: "today", Op: Before, To: utcDate(2026, 10, 7)},
	}}
	deployed := Term{Key: LastOccurred, Values: []Value{
		{Text: "last deploy", Op: After, LastDeploy: true},
	}}
	for _, c := range []struct {
		q    string
		want []Term
	}{
		{"", nil},
		{" \t\n ", nil},
		{`"" -"" -`, []Term{searchTerm(Text, "-")}},

		// every key of the document
		{"class:NoMethodError", []Term{searchTerm(Class, "NoMethodError")}},
		{"component:orders action:show", []Term{searchTerm(Component, "orders"), searchTerm(Action, "show")}},
		{"environment:production tag:a/b", []Term{searchTerm(Environment, "production"), searchTerm(Tag, "a/b")}},
		{`message:"undefined method"`, []Term{searchTerm(Message, "undefined method")}},
		{"file:app/x.rb hostname:web1", []Term{searchTerm(File, "app/x.rb"), searchTerm(Hostname, "web1")}},
		{"revision:3f2a9c", []Term{searchTerm(Revision, "3f2a9c")}},
		{"User:4711 -user:*@example.com", []Term{searchTerm(User, "4711"), negated(searchTerm(User, "*@example.com"))}},
		{"assignee:me assignee:Ann@example.com", []Term{searchTerm(Assignee, "me", "Ann@example.com")}},
		{"is:resolved", []Term{searchTerm(Is, "resolved")}},
		{"is:Unresolved has:comment", []Term{searchTerm(Is, "unresolved"), searchTerm(Has, "comment")}},
		{"is:assigned -is:paused -is:pending_resolution", []Term{
			searchTerm(Is, "assigned"), negated(searchTerm(Is, "paused")), negated(searchTerm(Is, "pending_resolution")),
		}},
		{"request.url:*checkout* params.id:7", []Term{
			searchAt("url", searchTerm(Request, "*checkout*")), searchAt("id", searchTerm(Params, "7")),
		}},
		{"context.User.Email:*@example.com session.cart:", []Term{
			searchAt("user.email", searchTerm(Context, "*@example.com")), searchAt("cart", searchTerm(Session, "")),
		}},
		{"-request.user_agent:*Googlebot*", []Term{negated(searchAt("user_agent", searchTerm(Request, "*Googlebot*")))}},
		{"created:today", []Term{today}},
		{`occurred.after:"24 hours ago" occurred.before:today`, []Term{since, until}},
		{`last_occurred.after:"last deploy"`, []Term{deployed}},

		// the forms that other tools send
		{`environment:"production" -is:resolved -is:ignored`, []Term{
			searchTerm(Environment, "production"), negated(searchTerm(Is, "resolved")), negated(searchTerm(Is, "ignored")),
		}},
		{"-is:resolved -is:ignored", []Term{negated(searchTerm(Is, "resolved")), negated(searchTerm(Is, "ignored"))}},
		{`class:"Foo::Bar" is:unresolved`, []Term{searchTerm(Class, "Foo::Bar"), searchTerm(Is, "unresolved")}},

		// and, or, not
		{"class:A tag:x class:B CLASS:C", []Term{searchTerm(Class, "A", "B", "C"), searchTerm(Tag, "x")}},
		{"class:A -class:B -class:C", []Term{
			searchTerm(Class, "A"), negated(searchTerm(Class, "B")), negated(searchTerm(Class, "C")),
		}},
		{"-class:B class:A class:C", []Term{negated(searchTerm(Class, "B")), searchTerm(Class, "A", "C")}},
		{"params.a:1 params.b:2 params.A:3", []Term{
			searchAt("a", searchTerm(Params, "1", "3")), searchAt("b", searchTerm(Params, "2")),
		}},
		{"is:resolved is:ignored", []Term{searchTerm(Is, "resolved", "ignored")}},
		{"red green red", []Term{searchTerm(Text, "red"), searchTerm(Text, "green"), searchTerm(Text, "red")}},
		{`-red -"dark green"`, []Term{negated(searchTerm(Text, "red")), negated(searchTerm(Text, "dark green"))}},

		// words with a colon; see TestWordsWithColons
		{"foo:bar", []Term{searchTerm(Text, "foo:bar")}},
		{`-foo:"a b"`, []Term{negated(searchTerm(Text, "foo:a b"))}},
		{"Foo::Bar :x x:", []Term{searchTerm(Text, "Foo::Bar"), searchTerm(Text, ":x"), searchTerm(Text, "x:")}},
		{"text:a component_action:b", []Term{searchTerm(Text, "text:a"), searchTerm(Text, "component_action:b")}},
		{"http://example.com/a#b", []Term{searchTerm(Text, "http://example.com/a#b")}},

		// component and action
		{"OrdersController#show", []Term{searchTerm(ComponentAction, "OrdersController#show")}},
		{"-Admin::Orders#show_all", []Term{negated(searchTerm(ComponentAction, "Admin::Orders#show_all"))}},
		{"a/b.C#x D#y", []Term{searchTerm(ComponentAction, "a/b.C#x", "D#y")}},
		{`"A#b" #a a# a#1 1#a a#b#c`, []Term{
			searchTerm(Text, "A#b"), searchTerm(Text, "#a"), searchTerm(Text, "a#"),
			searchTerm(Text, "a#1"), searchTerm(Text, "1#a"), searchTerm(Text, "a#b#c"),
		}},

		// quotes
		{`"a b"c`, []Term{searchTerm(Text, "a b"), searchTerm(Text, "c")}},
		{`say"no" it's`, []Term{searchTerm(Text, `say"no"`), searchTerm(Text, "it's")}},
		{`message:"a \"b\" c:\dir \\ d"`, []Term{searchTerm(Message, `a "b" c:\dir \ d`)}},
		{`class:A message:"open ended class:B`, []Term{searchTerm(Class, "A"), searchTerm(Message, "open ended class:B")}},
		{`"open ended\`, []Term{searchTerm(Text, `open ended\`)}},
		{`class:"" component:`, []Term{searchTerm(Class, ""), searchTerm(Component, "")}},

		// what stands in no alphabet, or in another one
		{"日本語 class:Größe\u3000-tag:ключ", []Term{
			searchTerm(Text, "日本語"), searchTerm(Class, "Größe"), negated(searchTerm(Tag, "ключ")),
		}},
		{"a\x00b \xff", []Term{searchTerm(Text, "a"), searchTerm(Text, "b"), searchTerm(Text, "\uFFFD")}},
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
		"-user:7":               true,
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
	if !(Value{Text: "a*b"}).Wildcard() || (Value{Text: "ab"}).Wildcard() {
		t.Error("a value is a pattern where it holds a star")
	}
	for _, c := range []struct {
		key        Key
		text, want string
	}{
		{File, "order.rb", "*order.rb*"},
		{File, "", ""},
		{Hostname, "web-1-and-more", "web-1-and-more"},
		{Revision, "", ""},
		{Revision, "4f2a9c", "4f2a9c"},
		{Revision, "4f2a9c1", "4f2a9c1*"},
		{Revision, "4f2a9c1e7b", "4f2a9c1e7b*"},
		{Revision, "größe1", "größe1"}, // six characters in eight bytes
		{Revision, "*9c1e7b2", "*9c1e7b2"},
		{Context, "4f2a9c1e7b", "4f2a9c1e7b"},
	} {
		if got := searchTerm(c.key).Pattern(Value{Text: c.text}); got != c.want {
			t.Errorf("%s:%s looks for %q", c.key, c.text, got)
		}
	}
	component, action := Value{Text: "Admin::Orders#show"}.ComponentAction()
	if component != "Admin::Orders" || action != "show" {
		t.Errorf("component %q, action %q", component, action)
	}
}

// checkSearch holds for whatever is typed.
func checkSearch(t interface{ Fatalf(string, ...any) }, q string) {
	got, err := parse(q, searchNow)
	if err != nil {
		if err.Error() == "" || !utf8.ValidString(err.Error()) {
			t.Fatalf("Parse(%q): %q does not say what is wrong", q, err)
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
			dated := v.Op != Match
			if dated != v.LastDeploy && v.From.IsZero() && v.To.IsZero() {
				t.Fatalf("parse(%q): a date without a range in %+v", q, term)
			}
			if v.Op == On && !v.LastDeploy && !v.From.Before(v.To) {
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
	"1699999999", "last deploy", "context.user.id:", "hosname:", "contxt.", "created.", "user", "request.", "A::B#c", "month", "99999", "ago",
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
		want := []Term{searchTerm(Message, text), negated(searchTerm(Text, text))}
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
