package function

import "github.com/tdewolff/parse/v2/js"

// bracket is an open bracket, or the whole file, and what is known of the level in it.
type bracket struct {
	kind   kind
	closer js.TokenType // of it
	at     place
	before trail
	asks   int     // "?" whose ":" has not come
	arrows []arrow // functions without braces, which end with this level or before
	class  *header // whose braces have not come
	body   *found  // the function or the class that ends with the bracket
}

type kind byte

const (
	group  kind = iota // anything but braces
	block              // of statements, that of a function among them
	object             // a literal or a pattern
	class              // the body of a class
)

// arrow is a function such as x => x + 1, and how many "?" were open when it began.
type arrow struct {
	f    *found
	asks int
}

// header is the beginning of a class.
type header struct {
	at     place
	before trail
	own    token // its name, if the word after "class" is one
}

func (s *scan) top() *bracket { return &s.open[len(s.open)-1] }

var closers = map[js.TokenType]js.TokenType{
	js.OpenParenToken: js.CloseParenToken, js.OpenBracketToken: js.CloseBracketToken, js.OpenBraceToken: js.CloseBraceToken, js.TemplateStartToken: js.TemplateEndToken,
}

// push opens a bracket.
func (s *scan) push(t *token, b bracket) {
	b.at, b.before, b.closer = t.at, s.last, closers[t.kind]
	s.open = append(s.open, b)
}

// pop closes the last bracket, and reports whether that is the right one.
func (s *scan) pop(t *token) bool {
	if s.top().closer != t.kind {
		return false
	}
	s.closed, s.open = *s.top(), s.open[:len(s.open)-1]
	if s.closed.body != nil {
		s.closed.body.end = s.at
	}
	return true
}

// call takes the token after a function, which is not what is assigned if it is called at once: x = function () { … }().
func (s *scan) call(t token) {
	f := s.closed.body
	if f == nil || s.last[0].kind != js.CloseBraceToken || s.closed.before[0].kind == js.ArrowToken {
		return
	}
	if f.name.isAssigned && !f.isClass && (t.kind == js.OpenParenToken || dotted(t)) {
		f.name = name{}
	}
}

// brace returns the bracket that a brace opens.
func (s *scan) brace() bracket {
	before, top := s.last[0], s.top()
	switch {
	case s.arrow != nil:
		f := s.arrow
		s.arrow = nil
		return bracket{kind: block, body: f}
	case top.class != nil:
		h := *top.class
		top.class = nil
		return bracket{kind: class, body: s.begin(found{start: h.at, isClass: true, name: s.classNamed(h)})}
	case before.kind == js.CloseParenToken:
		return bracket{kind: block, body: s.function()}
	case s.expectsOperand(before):
		return bracket{kind: object}
	}
	return bracket{kind: block}
}

// function begins a function whose parameters were closed last; nil if the parentheses are those of a statement such as "if".
func (s *scan) function() *found {
	b := s.closed.before
	n := 0
	if b[n].isName() && b[n].kind != js.FunctionToken {
		n++
	}
	if b[n].kind == js.MulToken {
		n++
	}
	inside := s.top().kind
	switch {
	case b[n].kind == js.FunctionToken:
		f := found{start: b[n].at, name: name{token: b[0]}}
		if n == 0 || b[0].kind == js.MulToken {
			f.name = s.assigned(b.from(n + 1))
		}
		return s.begin(f)
	case inside == class || inside == object:
		f := found{start: b[0].at}
		if b[0].isName() {
			f.name, f.constructor = name{token: b[0], isProperty: true}, inside == class && string(b[0].text) == "constructor"
		}
		return s.begin(f)
	}
	return nil
}

// continueClass reads the token after "class", which may as well be the name of a property.
func (s *scan) continueClass(t token) {
	h := s.class
	if s.class = nil; h == nil {
		return
	}
	switch {
	case t.kind == js.OpenBraceToken || t.kind == js.ExtendsToken:
	case js.IsIdentifierName(t.kind):
		h.own = t
	default:
		return
	}
	s.top().class = h
}

// expectsOperand reports whether an expression goes on after a token, so that a brace opens an object.
func (s *scan) expectsOperand(before token) bool {
	switch before.kind {
	case js.OpenParenToken, js.OpenBracketToken, js.CommaToken, js.QuestionToken, js.EllipsisToken, js.TemplateStartToken, js.TemplateMiddleToken,
		js.ReturnToken, js.TypeofToken, js.VoidToken, js.DeleteToken, js.NewToken, js.InToken, js.InstanceofToken, js.ThrowToken, js.CaseToken,
		js.YieldToken, js.AwaitToken, js.DefaultToken, js.ImportToken, js.ExportToken, js.ConstToken, js.LetToken, js.VarToken:
		return true
	case js.ColonToken:
		return s.top().kind == object
	}
	return js.IsOperator(before.kind) && before.kind != js.IncrToken && before.kind != js.DecrToken
}

// isOperand reports whether a token ends an operand, so that a "/" after it divides and begins no regular expression.
func (s *scan) isOperand(t token) bool {
	switch t.kind {
	case js.StringToken, js.TemplateToken, js.TemplateEndToken, js.RegExpToken, js.PrivateIdentifierToken, js.CloseBracketToken, js.IncrToken, js.DecrToken,
		js.ThisToken, js.SuperToken, js.NullToken, js.TrueToken, js.FalseToken:
		return true
	case js.CloseParenToken:
		return !s.endsHead()
	case js.CloseBraceToken:
		return s.closed.kind == object
	case js.AwaitToken, js.YieldToken:
		return false
	}
	return js.IsIdentifier(t.kind) || js.IsNumeric(t.kind)
}

// endsHead reports whether the parentheses that were closed last are those of a statement, which follows.
func (s *scan) endsHead() bool {
	switch b := s.closed.before; b[0].kind {
	case js.IfToken, js.WhileToken, js.ForToken, js.WithToken:
		return s.top().kind == block
	case js.AwaitToken:
		return b[1].kind == js.ForToken
	}
	return false
}

// startsStatement reports whether a token on a new line begins a statement, if the line before can end one.
func startsStatement(kind js.TokenType) bool {
	isWord := js.IsIdentifierName(kind) && kind != js.InToken && kind != js.InstanceofToken
	return isWord || js.IsNumeric(kind) || kind == js.OpenBraceToken || kind == js.StringToken
}
