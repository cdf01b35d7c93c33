package query

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// searchToken is one word or phrase of a search, with the key that it may begin with.
type searchToken struct {
	negated bool
	quoted  bool   // the phrase, or the value behind the key, stood in quotes
	key     string // before the first colon, as typed; "" without one
	value   string // behind it
	text    string // all of it but the minus and the quotes
	raw     string // all of it as typed
	open    bool   // the closing quote is missing
}

// searchTokens cuts a search into its words and phrases. Empty phrases are left out.
func searchTokens(q string) []searchToken {
	var tokens []searchToken
	for {
		q = strings.TrimLeftFunc(q, unicode.IsSpace)
		if q == "" {
			return tokens
		}
		var t searchToken
		before := q
		t, q = cutToken(q)
		t.raw = before[:len(before)-len(q)]
		if t.text != "" {
			tokens = append(tokens, t)
		}
	}
}

// cutToken reads the token that q begins with. Quotes count only at the start of a phrase or a value, so that they
// may be typed within words.
func cutToken(q string) (t searchToken, rest string) {
	if positive, ok := strings.CutPrefix(q, "-"); ok && !endsToken(positive) {
		t.negated, q = true, positive
	}
	if phrase, ok := strings.CutPrefix(q, `"`); ok {
		t.quoted = true
		t.text, rest, t.open = cutQuoted(phrase)
		return t, rest
	}
	word := q
	if end := strings.IndexFunc(q, unicode.IsSpace); end >= 0 {
		word = q[:end]
	}
	t.text, rest = word, q[len(word):]
	key, value, ok := strings.Cut(word, ":")
	if !ok {
		return t, rest
	}
	t.key, t.value = key, value
	if strings.HasPrefix(value, `"`) {
		t.quoted = true
		t.value, rest, t.open = cutQuoted(q[len(key)+len(`:"`):])
		t.text = key + ":" + t.value
	}
	return t, rest
}

func endsToken(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return s == "" || unicode.IsSpace(r)
}

// cutQuoted reads up to the closing quote; without one, all that follows, and the quote is open. A backslash takes the meaning from a quote
// or a backslash; before anything else it means itself.
func cutQuoted(s string) (text, rest string, open bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return b.String(), s[i+1:], false
		case c == '\\' && i+1 < len(s) && (s[i+1] == '"' || s[i+1] == '\\'):
			i++
			b.WriteByte(s[i])
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), "", true
}

// isComponentAction reports whether a word is shorthand for a component and its action, such as
// "Admin::OrdersController#show": a name, a number sign, a name. An address is none.
func isComponentAction(word string) bool {
	component, action, ok := strings.Cut(word, "#")
	return ok && !strings.Contains(component, "//") && isSearchName(component, ":./-*") && isSearchName(action, "-*?!=")
}

// isSearchName reports whether s is letters, digits, underscores and the other characters, not beginning with a digit.
func isSearchName(s, others string) bool {
	for i, r := range s {
		digit := unicode.IsDigit(r)
		if (digit && i == 0) || (!digit && !unicode.IsLetter(r) && r != '_' && !strings.ContainsRune(others, r)) {
			return false
		}
	}
	return s != ""
}
