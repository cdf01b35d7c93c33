package query

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestReadTyped(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]Typed{
		"":                     {Key: Text},
		"  ":                   {Key: Text},
		"env":                  {Key: Text, Text: "env"},
		" env ":                {Key: Text, Text: "env"},
		"-":                    {Key: Text, Negated: true},
		"-env":                 {Key: Text, Text: "env", Negated: true},
		"context.pl":           {Key: Text, Text: "context.pl"},
		"environment:":         {Key: Environment, spelled: "environment", value: true},
		"Environment:Pr":       {Key: Environment, Text: "Pr", spelled: "environment", value: true},
		"env:pr":               {Key: Environment, Text: "pr", spelled: "environment", value: true},
		"release-stage:pr":     {Key: Environment, Text: "pr", spelled: "environment", value: true},
		"-user.email:a@b":      {Key: User, Text: "a@b", Negated: true, spelled: "user", value: true},
		`class:"Gift card`:     {Key: Class, Text: "Gift card", spelled: "class", value: true},
		`class:"Gift card"`:    {Key: Class, Text: "Gift card", spelled: "class", value: true},
		"browser:fire":         {Key: Browser, Text: "fire", spelled: "browser", value: true},
		"user-agent:fire":      {Key: Request, Path: "user_agent", Text: "fire", spelled: "request.user_agent", value: true},
		"Context.User.ID:7":    {Key: Context, Path: "user.id", Text: "7", spelled: "context.user.id", value: true},
		"created.after:t":      {Key: Created, Text: "t", spelled: "created.after", value: true},
		"comment:x":            {Key: Text, Text: "x", spelled: "comment", value: true},
		"https://example.test": {Key: Text, Text: "//example.test", spelled: "https", value: true},
		`"environment:pr`:      {Key: Text, Text: "environment:pr", value: true},
	} {
		got, problem := ReadTyped(typed)
		if problem != "" || got != want {
			t.Errorf("%q is read as %+v, %q; want %+v", typed, got, problem, want)
		}
	}
	for typed, want := range map[string]string{
		"is:open env":                        "must be a single term, such as environment:prod; put a value with spaces in quotes",
		"class:" + strings.Repeat("x", 2000): "may be at most 2000 bytes long; leave some terms out",
	} {
		if _, problem := ReadTyped(typed); problem != want {
			t.Errorf("%q: %q, want %q", typed, problem, want)
		}
	}
}

func TestTypedKeys(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string][]string{
		"e":           {"environment"},
		"Env":         {"environment"},
		"by":          nil,
		"releas":      nil,
		"release":     {"revision"},
		"occurred":    {"occurred", "occurred.after", "occurred.before", "last_occurred", "last_occurred.after", "last_occurred.before"},
		"occurred.be": {"occurred.before", "last_occurred.before"},
		"comment":     nil,
	} {
		if got, _ := ReadTyped(typed); !slices.Equal(got.Keys(), want) {
			t.Errorf("%q: %q, want %q", typed, got.Keys(), want)
		}
	}
	if got := (Typed{}).Keys(); len(got) != len(typable)-6 {
		t.Errorf("without text: %q", got)
	}
}

// Every key of the language can be suggested, and every value that it suggests itself.
func TestTypedOfLanguage(t *testing.T) {
	t.Parallel()
	for _, key := range typable {
		for _, sign := range []string{"", "-"} {
			typed, _ := ReadTyped(sign + key)
			text, ok := typed.KeyTerm(key)
			if !ok || text != sign+key+":" {
				t.Errorf("%s is not suggested as a key, but as %s", key, text)
			}
			typed, problem := ReadTyped(text)
			if problem != "" {
				t.Errorf("%s: %s", text, problem)
			}
			for _, value := range append(typed.Values(), "today") {
				text, ok := typed.ValueTerm(value)
				if _, problem := Parse(text, time.Now()); problem != "" == ok || !ok && slices.Contains(typed.Values(), value) {
					t.Errorf("%s: %v, %s", text, ok, problem)
				}
			}
		}
	}
}

// Whatever a project has, what is suggested of it is read as that key and that value.
func FuzzTyped(f *testing.F) {
	for _, value := range awkward {
		f.Add("context.", "context.plan", value)
		f.Add("-user:a", "user", value)
		f.Add("created:", value, "today")
		f.Add("revision:", "params."+value, value)
	}
	f.Fuzz(func(t *testing.T, typed, key, value string) {
		of, problem := ReadTyped(typed)
		if problem != "" {
			return
		}
		if text, ok := of.KeyTerm(key); ok {
			s, problem := Parse(text+"today", time.Now())
			if known, _, _ := searchKey(key); isClosed(known) {
				return
			}
			if problem != "" || len(s.Terms) != 1 || s.Terms[0].Negated != of.Negated || s.Terms[0].Key == Text {
				t.Errorf("the key %q is suggested as %q and read as %+v, %s", key, text, s.Terms, problem)
			}
			if again, problem := ReadTyped(text); problem != "" || again.TypesKey() || again.Text != "" || again.Key != s.Terms[0].Key || again.Path != s.Terms[0].Path {
				t.Errorf("the key %q is suggested as %q and read as typed %+v, %s", key, text, again, problem)
			}
		}
		if text, ok := of.ValueTerm(value); ok {
			s, problem := Parse(text, time.Now())
			if problem != "" || len(s.Terms) != 1 || s.Terms[0].Values[0].Text != value || s.Terms[0].Key != of.Key || s.Terms[0].Path != of.Path || s.Terms[0].Negated != of.Negated {
				t.Errorf("the value %q is suggested as %q and read as %+v, %s", value, text, s.Terms, problem)
			}
		}
	})
}

// isClosed reports whether a key takes only some words.
func isClosed(key Key) bool { return key == Is || key == Has }
