package function

import (
	"bytes"
	"errors"
	"io"
	"unicode/utf8"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/js"
)

// place is a position in a generated file: a line, and a column in UTF-16 units, both from 0.
type place struct{ line, column int32 }

// after returns where a text ends that begins at a place.
func (p place) after(text []byte) place {
	for len(text) > 0 {
		r, n := rune(text[0]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRune(text)
		}
		switch text = text[n:]; {
		case r == '\r' && len(text) > 0 && text[0] == '\n': // which ends the line
		case r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029':
			p = place{p.line + 1, 0}
		case r > 0xFFFF:
			p.column += 2
		default:
			p.column++
		}
	}
	return p
}

// token is a word, a sign or a literal of a generated file; blanks and comments are none.
type token struct {
	kind    js.TokenType
	text    []byte
	at      place
	newLine bool // it is the first of its line
}

// isName reports whether a token is a word that can be the name of a property.
func (t token) isName() bool {
	return js.IsIdentifierName(t.kind) || t.kind == js.PrivateIdentifierToken
}

// trail are the tokens before a place, the last one first: as many as say what the name of a function is.
type trail [8]token

// from returns the trail some tokens earlier.
func (t trail) from(n int) (before trail) {
	copy(before[:], t[n:])
	return before
}

// found is a function, or a class. A class is around its members.
type found struct {
	start, end  place
	name        name
	isClass     bool
	isMember    bool // of the class around it
	constructor bool
}

// errUnread says that a text is not JavaScript as it is understood here. Nothing is known of its functions then: a wrong guess about one place
// may make all that follows wrong.
var errUnread = errors.New("the file cannot be read as JavaScript")

// scan finds the functions of a generated file. It knows no more grammar than what functions begin and end with, so that it reads
// scripts and modules of any year.
type scan struct {
	lexer   *js.Lexer
	at      place // of the next token
	newLine bool  // a line has ended since the last token
	last    trail
	open    []bracket // the first is the file
	closed  bracket   // the one that was closed last
	arrow   *found    // whose "=>" was the last token
	class   *header   // whose "class" was the last token
	all     []*found
}

// functions returns the functions and classes of a generated file, in no order.
func functions(text []byte) ([]*found, error) {
	text, at := withoutShebang(text) // which the lexer must not write behind
	s := scan{lexer: js.NewLexer(parse.NewInputBytes(text[:len(text):len(text)])), open: []bracket{{kind: block}}, at: at}
	for len(s.all) <= mostFunctions && len(s.open) <= mostOpen {
		kind, text := s.lexer.Next()
		if kind == js.ErrorToken && s.lexer.Err() == io.EOF && len(s.open) == 1 { //nolint:errorlint // the lexer wraps no errors
			s.endArrows(s.at)
			return s.all, nil
		}
		if (kind == js.DivToken || kind == js.DivEqToken) && !s.isOperand(s.last[0]) {
			kind, text = s.lexer.RegExp()
		}
		if kind == js.ErrorToken || !s.take(kind, text) {
			break
		}
	}
	return nil, errUnread
}

// withoutShebang drops a first line such as "#!/usr/bin/env node", and a byte order mark.
func withoutShebang(text []byte) (rest []byte, at place) {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if !bytes.HasPrefix(text, []byte("#!")) {
		return text, place{}
	}
	end := bytes.IndexByte(text, '\n') + 1
	return text[end:], place{}.after(text[:end])
}

// take reads a token, and reports whether it may be there.
func (s *scan) take(kind js.TokenType, text []byte) (ok bool) {
	t := token{kind, text, s.at, s.newLine}
	s.at = s.at.after(text)
	switch kind {
	case js.WhitespaceToken, js.CommentToken:
		return true
	case js.LineTerminatorToken, js.CommentLineTerminatorToken:
		s.newLine = true
		return true
	}
	s.newLine = false
	if dotted(s.last[0]) && js.IsReservedWord(kind) {
		t.kind = js.IdentifierToken
	}
	if s.arrow != nil && kind != js.OpenBraceToken {
		s.top().arrows = append(s.top().arrows, arrow{s.arrow, s.top().asks})
		s.arrow = nil
	}
	s.continueClass(t)
	s.call(t)
	if t.newLine && s.isOperand(s.last[0]) && startsStatement(t.kind) {
		s.endArrows(t.at)
	}
	ok = s.step(&t)
	copy(s.last[1:], s.last[:])
	s.last[0] = t
	return ok
}

// dotted reports whether a property of something follows a token.
func dotted(t token) bool { return t.kind == js.DotToken || t.kind == js.OptChainToken }

// step changes what is open.
func (s *scan) step(t *token) bool {
	switch t.kind {
	case js.OpenParenToken, js.OpenBracketToken, js.TemplateStartToken:
		s.push(t, bracket{})
	case js.OpenBraceToken:
		s.push(t, s.brace())
	case js.CloseParenToken, js.CloseBracketToken, js.CloseBraceToken, js.TemplateEndToken:
		s.endArrows(t.at)
		return s.pop(t)
	case js.TemplateMiddleToken:
		s.endArrows(t.at)
	case js.CommaToken, js.SemicolonToken:
		s.endArrows(t.at)
		s.top().asks = 0
	case js.QuestionToken:
		s.top().asks++
	case js.ColonToken:
		s.colon(t)
	case js.ArrowToken:
		s.arrow = s.arrowFunction()
	case js.ClassToken:
		s.class = &header{at: t.at, before: s.last}
	}
	return true
}

// colon takes a ":", which ends functions without braces that began after its "?".
func (s *scan) colon(t *token) {
	top := s.top()
	if top.asks == 0 {
		return
	}
	for n := len(top.arrows); n > 0 && top.arrows[n-1].asks == top.asks; n-- {
		top.arrows[n-1].f.end = t.at
		top.arrows = top.arrows[:n-1]
	}
	top.asks--
	t.kind = js.QuestionToken // what follows is an expression, as after "?"
}

// begin adds a function or a class, whose end is set later.
func (s *scan) begin(f found) *found {
	f.isMember = s.top().kind == class
	s.all = append(s.all, &f)
	return &f
}

// endArrows ends the functions without braces in the last bracket.
func (s *scan) endArrows(at place) {
	for _, a := range s.top().arrows {
		a.f.end = at
	}
	s.top().arrows = nil
}

// arrowFunction begins a function whose "=>" is next.
func (s *scan) arrowFunction() *found {
	start, before := s.last[0].at, s.last.from(1)
	if s.last[0].kind == js.CloseParenToken {
		start, before = s.closed.at, s.closed.before
	}
	if before[0].kind == js.AsyncToken && !dotted(before[1]) {
		start, before = before[0].at, before.from(1)
	}
	return s.begin(found{start: start, name: s.assigned(before)})
}
