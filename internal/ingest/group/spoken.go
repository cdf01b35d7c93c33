package group

import (
	_ "embed"
	"strings"
)

// spokenText is the table of what engines say of one mistake; see the file.
//
//go:embed data/spoken.txt
var spokenText string

var spoken = readSpoken(spokenText)

// mistake is what engines say in different words.
type mistake struct {
	class, text string
	named       bool // text has the name of a property or variable behind it
	placeless   bool // frames do not tell where it was made
}

// wording is what one engine says of a mistake: the texts between what varies. The first one is where it begins, the last one where it ends.
type wording struct {
	of    *mistake
	texts []string
	name  int // behind which of the texts a name stands; -1 for none
}

// wordings are those that begin with a text by its first byte; those that begin with what varies are under 0.
type wordings [256][]wording

func readSpoken(text string) *wordings {
	all, of := new(wordings), &mistake{}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '=' || line[0] == '!':
			class, text, _ := strings.Cut(line[2:], " ")
			of = &mistake{class: class, placeless: line[0] == '!'}
			of.text, of.named = strings.CutSuffix(text, " {name}")
		default:
			all.add(of, line)
		}
	}
	return all
}

func (all *wordings) add(of *mistake, line string) {
	w := wording{of: of, name: strings.Count(strings.SplitN(line, "{name}", 2)[0], "{}")}
	if !strings.Contains(line, "{name}") {
		w.name = -1
	}
	w.texts = strings.Split(strings.ReplaceAll(line, "{name}", "{}"), "{}")
	first := byte(0)
	if w.texts[0] != "" {
		first = w.texts[0][0]
	}
	all[first] = append(all[first], w)
}

// sayingOf returns the class and the message of an error, in the same words whichever engine said them, and reports whether frames do not tell where it was made.
func sayingOf(e Error) (class, message string, placeless bool) {
	class = plainName(className(e.Class))
	m, name := spoken.find(class, withoutDetails(e.Message))
	switch {
	case m == nil:
		return class, plainMessage(e.Message), false
	case m.named && name != "":
		return m.class, m.text + " '" + name + "'", m.placeless
	default:
		return m.class, m.text, m.placeless
	}
}

// find returns the mistake that an engine of JavaScript words like this, and the name that it gives; nil for none.
func (all *wordings) find(class, message string) (*mistake, string) {
	if message == "" || !isOfEngine(class) {
		return nil, ""
	}
	for _, w := range all[message[0]] {
		if name, ok := w.match(message); ok {
			return w.of, name
		}
	}
	if class != "TypeError" && class != "ReferenceError" && class != "SyntaxError" {
		return nil, "" // a text of the application's may end like one of theirs
	}
	for _, w := range all[0] {
		if name, ok := w.match(message); ok {
			return w.of, name
		}
	}
	return nil, ""
}

// isOfEngine reports whether engines of JavaScript and the clients that know them throw errors of a class, or those of PHP do.
func isOfEngine(class string) bool {
	switch class {
	case "TypeError", "ReferenceError", "RangeError", "InternalError", "SyntaxError", "URIError", "Error", "DOMException", "AbortError", "NetworkError", "ChunkLoadError", "UnhandledRejection", "ErrorException", "":
		return true
	}
	return false
}

// match reports whether an engine words a mistake like this, and returns the name that it gives.
func (w *wording) match(message string) (name string, ok bool) {
	rest, ok := strings.CutPrefix(message, w.texts[0])
	if !ok {
		return "", false
	}
	for i, text := range w.texts[1:] {
		end := strings.Index(rest, text)
		if i == len(w.texts)-2 {
			end = len(rest) - len(text)
			if !strings.HasSuffix(rest, text) {
				end = -1
			}
		}
		if end < 0 {
			return "", false
		}
		if i == w.name {
			name = lastName(rest[:end])
		}
		rest = rest[end+len(text):]
	}
	return name, rest == ""
}

// lastName is the name at the end of a path through objects, which may be called: "price" of "'item.price'" and of "cart.items[0].price()".
func lastName(path string) string {
	path = strings.TrimPrefix(strings.Trim(path, "'\"`"), "$")
	if i := strings.IndexAny(path, "( ="); i > 0 {
		path = path[:i]
	}
	path = path[strings.LastIndexByte(path, '.')+1:]
	if !isIdentifier(path) {
		return ""
	}
	return path
}
