package function

import (
	"strings"
	"unicode/utf8"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/js"

	"sett/internal/event/sourcemap"
)

// name is the token that names a function in the generated file. A function without one has no token.
type name struct {
	token      token
	isProperty bool // of an object or a class: bundlers do not change such names unless they are set to
	isAssigned bool // the function is assigned to it, unless it is called at once
}

func (n name) isNone() bool { return n.token.kind == js.ErrorToken }

// assigned returns the name of what a function is assigned to, from what is before the function.
func (s *scan) assigned(before trail) name {
	to := before[1]
	switch before[0].kind {
	case js.EqToken, js.NullishEqToken, js.OrEqToken, js.AndEqToken:
		if to.isName() {
			isProperty := dotted(before[2]) || to.kind == js.PrivateIdentifierToken || s.top().kind == class
			return name{to, isProperty, true}
		}
	case js.ColonToken:
		if to.isName() && s.top().kind == object {
			return name{to, true, true}
		}
	case js.AsyncToken:
		return s.assigned(before.from(1))
	}
	return name{}
}

// classNamed returns the name of a class.
func (s *scan) classNamed(h header) name {
	if h.own.kind != js.ErrorToken {
		return name{token: h.own}
	}
	return s.assigned(h.before)
}

// originals finds the names of the original program.
type originals struct {
	m     *sourcemap.Map
	lines map[int][]int32 // where the lines of an original file begin, by its index
	left  int             // lines for which there is room
}

// name returns the original name of a function: what the map has, else the word at its place in the original file.
func (o *originals) name(n name) Name {
	p, ok := o.m.Lookup(int(n.token.at.line)+1, int(n.token.at.column))
	if !ok {
		return Name{}
	}
	written := Name{"", p.Index, p.Line}
	if p.Behind == 0 {
		word := firstName(o.at(p))
		if written.Text = p.Name; p.Name == "" || p.Name != firstName(p.Name) || p.Name == "_"+word { // as esbuild calls a class that names itself
			written.Text = word
		}
	}
	if written.Text == "" && n.isProperty {
		written.Text = string(n.token.text)
	}
	return written
}

// firstName returns the name that a text begins with; "" if it begins with anything else, such as "function".
func firstName(text string) string {
	kind, word := js.NewLexer(parse.NewInputString(text)).Next()
	if !js.IsIdentifier(kind) && kind != js.PrivateIdentifierToken {
		return ""
	}
	return string(word)
}

// at returns what is at a position in its original file: enough of it for a name.
func (o *originals) at(p sourcemap.Position) string {
	content, _ := o.m.Content(p)
	starts, known := o.lines[p.Index]
	if !known {
		starts = o.startsOfLines(content)
		o.lines[p.Index] = starts
	}
	if p.Line > len(starts) || p.Column > longestLine {
		return ""
	}
	rest := content[starts[p.Line-1]:]
	rest = fromColumn(rest[:min(len(rest), longestLine+longestName)], p.Column)
	return rest[:min(len(rest), longestName+1)]
}

// longestLine is how many bytes of an original line are looked at.
const longestLine = 2_000

// startsOfLines returns where the lines of a text begin; none if there is no room for them.
func (o *originals) startsOfLines(text string) []int32 {
	n := 1 + strings.Count(text, "\n")
	if n > o.left {
		return nil
	}
	o.left -= n
	starts := make([]int32, 1, n)
	for i := range len(text) {
		if text[i] == '\n' {
			starts = append(starts, int32(i+1))
		}
	}
	return starts
}

// fromColumn returns the rest of a text from a column of its first line, in UTF-16 units.
func fromColumn(text string, column int) string {
	for at, r := range text {
		if column <= 0 {
			return text[at:]
		}
		column -= 1 + utf8.RuneLen(r)/utf8.UTFMax
	}
	return ""
}
