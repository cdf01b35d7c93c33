package insight

import (
	"slices"
	"strings"
	"unicode/utf8"

	"sett/internal/base/phrase"
)

// tokenKind is what a token of a query is.
type tokenKind int

const (
	endToken tokenKind = iota
	wordToken
	quotedWord // `in backticks`
	textToken
	numberToken
	durationToken // such as 5m
	regexToken
	signToken
)

// token is a part of a query.
type token struct {
	kind tokenKind
	text string // of a text or a quoted word, without its quotes
	at   int    // its first character, from 1
}

// String returns the token as messages quote it.
func (t token) String() string {
	if t.kind == endToken {
		return "the end of the query"
	}
	return phrase.Quote(cutText(t.text, MaxKey))
}

// is reports whether the token is a word of the language, in any case, or a sign.
func (t token) is(text string) bool {
	return (t.kind == wordToken || t.kind == signToken) && strings.EqualFold(t.text, text)
}

// signs are all signs, the longer ones first.
var signs = []string{"==", "!=", "<>", "<=", ">=", "::", "|", ",", "(", ")", "[", "]", "=", "<", ">", "*", "-", "+", "/", "%"}

// lexer cuts a query into tokens.
type lexer struct {
	rest string
	at   int
}

// tokens returns all tokens of a query whose first character has a number. A slash begins a regular expression where no number can be divided.
func tokens(text string, at int) (all []token, err error) {
	l := lexer{text, at}
	for {
		next, err := l.next(beforePattern(all))
		if err != nil {
			return nil, err
		}
		all = append(all, next)
		if next.kind == endToken {
			return all, nil
		}
	}
}

// beforePattern reports whether a regular expression may follow some tokens: after match, as an argument, and after what parse reads.
func beforePattern(all []token) bool {
	if len(all) == 0 {
		return false
	}
	if last := all[len(all)-1]; last.is("match") || last.is("(") || last.is(",") {
		return true
	}
	for i, t := range slices.Backward(all) {
		switch {
		case t.kind == regexToken || t.is("|"):
			return false
		case t.is("parse") && (i == 0 || all[i-1].is("|")):
			return i < len(all)-1
		}
	}
	return false
}

func (l *lexer) next(regex bool) (t token, err error) {
	l.skip(len(l.rest) - len(strings.TrimLeft(l.rest, " \t\r\n")))
	t.at = l.at
	if l.rest == "" {
		return t, nil
	}
	switch c := l.rest[0]; {
	case c == '"' || c == '\'':
		return l.quoted(textToken, c, true)
	case c == '`':
		return l.quoted(quotedWord, c, false)
	case c == '/' && regex:
		return l.quoted(regexToken, c, false)
	case isDigit(c):
		return l.number(), nil
	case isLetter(c) || isInWord(c):
		return token{wordToken, l.take(func(c byte) bool { return isLetter(c) || isDigit(c) || c == '.' || isInWord(c) }), t.at}, nil
	}
	for _, sign := range signs {
		if strings.HasPrefix(l.rest, sign) {
			l.skip(len(sign))
			return token{signToken, sign, t.at}, nil
		}
	}
	r, _ := utf8.DecodeRuneInString(l.rest)
	return t, queryProblem(t.at, "%s is not expected here. Put names with such characters in backticks, and texts in quotes.", phrase.Quote(string(r)))
}

// number reads a number, or a duration if a unit follows.
func (l *lexer) number() token {
	t := token{kind: numberToken, at: l.at}
	t.text = l.take(func(c byte) bool { return isDigit(c) || c == '.' })
	if unit := l.take(isLetter); unit != "" {
		t.kind, t.text = durationToken, t.text+unit
	}
	return t
}

// isInWord reports whether words may have a byte that is no letter and no digit, also as their first one.
func isInWord(c byte) bool { return c == '_' || c == '@' || c >= utf8.RuneSelf }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// skip goes on by so many bytes.
func (l *lexer) skip(n int) {
	l.at += utf8.RuneCountInString(l.rest[:n])
	l.rest = l.rest[n:]
}

func (l *lexer) take(is func(c byte) bool) string {
	n := 0
	for n < len(l.rest) && is(l.rest[n]) {
		n++
	}
	text := l.rest[:n]
	l.skip(n)
	return text
}

// quoted reads what is in quotes. With escapes, a backslash stands before a quote or a backslash; in a regular expression only before a slash.
func (l *lexer) quoted(kind tokenKind, quote byte, escapes bool) (token, error) {
	t := token{kind: kind, at: l.at}
	var text []byte
	for i := 1; i < len(l.rest); i++ {
		c := l.rest[i]
		escaped := c == '\\' && i+1 < len(l.rest) && (l.rest[i+1] == quote || escapes && l.rest[i+1] == '\\')
		switch {
		case escaped:
			i++
			text = append(text, l.rest[i])
		case c == quote:
			l.skip(i + 1)
			t.text = string(text)
			return t, nil
		default:
			text = append(text, c)
		}
	}
	return t, queryProblem(t.at, "the closing %c is missing.", quote)
}
