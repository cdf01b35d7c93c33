package query

import (
	"regexp"
	"strings"
	"time"
)

// Typed is a term of a search while it is typed: a part of a key or, behind a colon, of a value.
type Typed struct {
	Negated bool
	Text    string // what is typed of the key or the value
	Key     Key    // Text while the key is typed, and of a word with a colon that is no term
	Path    string // with Request, Params, Context and Session

	spelled string // the key as a search has it: context.plan
	value   bool   // not a key
}

var termLike = regexp.MustCompile(`-?(?:[^\s":]+:)?"(?:\\.|[^"\\])*"?|\S+`)

// LastTerm returns the word or phrase that a search ends with, as ReadTyped takes it; "" if a space follows.
func LastTerm(before string) string {
	all := termLike.FindAllString(before, -1)
	if len(all) == 0 || !strings.HasSuffix(before, all[len(all)-1]) {
		return ""
	}
	return all[len(all)-1]
}

// ReadTyped reads what is typed of a term. The key may be that of another product, such as env. problem says what is wrong with the text,
// "" for nothing.
func ReadTyped(text string) (t Typed, problem string) {
	t.Key = Text
	tokens := searchTokens(storableText(text))
	switch {
	case len(text) > MaxBytes:
		return t, tooLong()
	case len(tokens) > 1:
		return t, "must be a single term, such as environment:prod; put a value with spaces in quotes"
	case len(tokens) == 0:
		return t, ""
	case tokens[0].text == "-" && !tokens[0].quoted:
		return Typed{Key: Text, Negated: true}, ""
	}
	typed := tokens[0]
	t.Negated, t.Text = typed.negated, typed.text
	if typed.key == "" {
		t.value = typed.quoted
		return t, ""
	}
	t.value, t.Text, t.spelled = true, typed.value, strings.ToLower(typed.key)
	if meant := aliases[aliasOf(typed.key)]; meant != "" && !strings.Contains(meant, ":") {
		t.spelled = meant
	}
	t.Key, t.Path, _ = searchKey(t.spelled)
	return t, ""
}

// TypesKey reports whether a key is typed.
func (t Typed) TypesKey() bool { return !t.value }

// Keys returns the keys of the language of which a word begins with what is typed, or which are called so in other products. Those with a
// dot are left out as long as nothing is typed.
func (t Typed) Keys() (keys []string) {
	typed := aliasOf(t.Text)
	for _, key := range typable {
		if strings.HasPrefix(key, typed) && (typed != "" || !strings.Contains(key, ".")) || aliases[typed] == key ||
			typed != "" && (strings.Contains(key, "."+typed) || strings.Contains(key, "_"+typed)) {
			keys = append(keys, key)
		}
	}
	return keys
}

// aliasOf returns a key as it is among the aliases.
func aliasOf(key string) string { return strings.ReplaceAll(strings.ToLower(key), "-", "_") }

// Values returns the values of the key that the language names, as examples if it takes others too.
func (t Typed) Values() []string {
	switch t.Key {
	case Is:
		return States()
	case Has:
		return []string{"comment"}
	case Assignee:
		return []string{"me", "nobody", "anybody"}
	case Created, Occurred, LastOccurred:
		return []string{"today", "yesterday", "1 hour ago", "24 hours ago", "7 days ago", "this week", "last deploy"}
	}
	return nil
}

// KeyTerm returns the term with a key and no value yet. ok is false if no search can have the key.
func (t Typed) KeyTerm(key string) (text string, ok bool) {
	known, path, _ := searchKey(key)
	tokens := searchTokens(storableText(key + ":x"))
	ok = known != Text && len(tokens) == 1 && tokens[0].key == key && (path == "" || strings.HasSuffix(key, "."+path))
	return t.sign() + key + ":", ok
}

// ValueTerm returns the term with a value, in quotes if it needs them. ok is false if a search would read another value.
func (t Typed) ValueTerm(value string) (text string, ok bool) {
	text = t.sign() + Write(Key(t.spelled), value)
	s, problem := Parse(text, time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)) // a date is one at any time
	if problem != "" || value == "" || len(s.Terms) != 1 {
		return text, false
	}
	found := s.Terms[0]
	return text, found.Key == t.Key && found.Path == t.Path && found.Negated == t.Negated && found.Values[0].Text == value
}

func (t Typed) sign() string {
	if t.Negated {
		return "-"
	}
	return ""
}
