package unminify

import (
	"strings"
	"unicode/utf8"

	"sett/internal/event/sourcemap"
	"sett/internal/event/sourcemap/function"
)

// largestWritten is how many bytes an original file may have in which functions are looked for.
const largestWritten = 1 << 20

// enclosing returns the original name of the function around a frame, whose position in the original code is p; "" if it is not known. The
// minified file says it, unless a minifier put the code of one function into another: then the original file does.
func (l *Lookup) enclosing(d *decoded, f Frame, p sourcemap.Position, o Origin) string {
	if d.within == nil {
		return ""
	}
	name := d.within.At(f.Line, f.Column-1)
	if name.Text != "" && name.Source == p.Index && name.Line <= p.Line {
		return name.Text
	}
	if t := l.written(textKey{o.URL, p.Source}, o.Reason); t != nil {
		return t.At(p.Line, p.Column).Text
	}
	return ""
}

// written returns the functions of the original file that was found last; nil if it is not known, too large, or no plain JavaScript.
func (l *Lookup) written(key textKey, reason Reason) *function.Table {
	t, known := l.wrote[key]
	if !known && reason == Found && len(l.last) <= largestWritten {
		t = function.Written(l.last)
		l.wrote[key] = t
	}
	return t
}

// nameOf returns the original name of a function at the position of its call; "" if the map does not say it. Browsers report the start of
// the minified name or its end, so a name that begins further away is another one's.
func nameOf(p sourcemap.Position, called string) string {
	called = called[strings.LastIndexAny(called, ". ")+1:]
	if called == "" || p.Behind > len(called) {
		return ""
	}
	return p.Name
}

// The bounds on the search for a declaration.
const (
	mostUsesOfName = 500 // in a file
	nearName       = 200 // bytes of a line before and after the name
)

// declares reports whether a file declares a function with a name, at the end of its text or before. A call does not always have the name of
// the function that it calls: one that is passed on as an argument has that of the parameter there.
func declares(text, name string) bool {
	for range mostUsesOfName {
		at := strings.LastIndex(text, name)
		if name == "" || at < 0 {
			return false
		}
		before, after := text[max(0, at-nearName):at], text[at+len(name):min(len(text), at+len(name)+nearName)]
		before = before[strings.LastIndexByte(before, '\n')+1:]
		after, _, _ = strings.Cut(after, "\n")
		if isDeclaration(before, strings.TrimSpace(after)) {
			return true
		}
		text = text[:at]
	}
	return false
}

// isDeclaration reports whether the rest of a line around a name makes it that of a function.
func isDeclaration(before, after string) bool {
	if inWord(before) {
		return false
	}
	before = strings.TrimSpace(before)
	if strings.HasSuffix(before, "function") || strings.HasSuffix(before, "function*") || strings.HasSuffix(before, "class") {
		return true
	}
	switch {
	case strings.HasPrefix(after, "("): // a method
		return strings.HasSuffix(after, "{")
	case strings.HasPrefix(after, "=") || strings.HasPrefix(after, ":"):
		return !strings.HasPrefix(after, "==") && (strings.Contains(after, "=>") || strings.Contains(after, "function"))
	default:
		return false
	}
}

// inWord reports whether what follows a text is the rest of a word.
func inWord(before string) bool {
	c, _ := utf8.DecodeLastRuneInString(before)
	return c == '_' || c == '$' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// firstLines returns the first lines of a text.
func firstLines(text string, lines int) string {
	end := 0
	for range lines {
		next := strings.IndexByte(text[end:], '\n')
		if next < 0 {
			return text
		}
		end += next + 1
	}
	return text[:end]
}
