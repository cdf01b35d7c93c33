package group

import (
	"cmp"
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sett/internal/event/origin"
	"sett/internal/event/payload"
	"sett/internal/sett/scan"
)

// Named is what the title of an error is made of. Texts are as sent by the client.
type Named struct {
	Chain                  []Error // the error that was reported first, then what led to it, nearest first; at least one
	URL, Component, Action string
}

// Title returns what an error is called in lists, pages and messages: the class and the message of the error that carries the news, which decides about its group
// too (see newsOf). A group of errors that differ is called by its own message, or by those of its members. Where a message says nothing, the place stands for it:
// the first application frame, or else the component, action or address. The class is never empty, and the message only if the client says nothing but a class.
func Title(n Named) (class, message string) {
	chain, wrapped := unwrapped(n.Chain)
	news := newsAt(chain, wrapped)
	if at, members := groupIn(n.Chain, wrapped); members != nil {
		return strings.TrimSpace(n.Chain[at].Class), cmp.Or(ownMessage(n.Chain[at], members), namesOf(members))
	}
	class = strings.TrimSpace(news.Class)
	if kind := kindOf(news.Message); kind != "" && kind != "Object" && IsGeneric(class) {
		class = kind
	}
	message = cmp.Or(whole(n.Chain[:wrapped], news), readable(news.Message), locationOf(news, n))
	if class == "" {
		return "Error", cmp.Or(message, "No message was sent.")
	}
	return class, message
}

// whole is the message of the outermost wrapper that has that of the error in it, behind what it adds, as errors of Go do: "read the cart: no such file". It is "" if
// none has, or adds only the class.
func whole(wrappers []Error, news Error) string {
	message := strings.TrimSpace(news.Message)
	class := news.Class[strings.LastIndexAny(news.Class, `.:\`)+1:]
	for _, e := range wrappers {
		added, ok := strings.CutSuffix(strings.TrimSpace(e.Message), ": "+message)
		if ok && message != "" && !isGroup(e.Class) && (class == "" || !strings.HasSuffix(added, class)) {
			return e.Message
		}
	}
	return ""
}

// Wrappers returns the classes of the errors around the one that Title is of, the outermost first.
func Wrappers(n Named) (classes []string) {
	_, wrapped := unwrapped(n.Chain)
	if at, members := groupIn(n.Chain, wrapped); members != nil {
		wrapped = at
	}
	for _, e := range n.Chain[:wrapped] {
		classes = append(classes, strings.TrimSpace(e.Class))
	}
	return classes
}

// NamedOf returns what the title of a notice is made of.
func NamedOf(p payload.Payload) Named {
	n := Named{URL: p.Request.URL, Component: p.Request.Component, Action: p.Request.Action}
	n.Chain = []Error{errorOf(p.Class, p.Message, p.Backtrace)}
	for _, c := range p.Causes {
		n.Chain = append(n.Chain, errorOf(c.Class, c.Message, c.Backtrace))
	}
	return n
}

func errorOf(class, message string, frames []payload.Frame) Error {
	e := Error{Class: class, Message: message}
	for i, from := range frames {
		f := &Frame{File: from.File, Method: origin.FullName(from.Class, from.Method)}
		if from.Number != nil {
			f.Line = strconv.Itoa(*from.Number)
		}
		if i == 0 {
			e.Top = f
		}
		if from.Context == "app" {
			e.App = f
			break
		}
	}
	return e
}

// groupIn returns where in a chain the innermost group is that wraps several errors that differ, with these; nil if there is none.
func groupIn(chain []Error, wrapped int) (at int, members []Error) {
	for at = wrapped - 1; at >= 0; at-- {
		if isGroup(chain[at].Class) {
			break
		}
	}
	if at < 0 {
		return 0, nil
	}
	if members = membersOf(chain[at], chain[at+1:]); len(members) < 2 {
		return 0, nil
	}
	return at, members
}

var (
	//go:embed data/unsaid.txt
	unsaidText string

	unsaid = readClasses(unsaidText)

	memberCount = regexp.MustCompile(`\b(\d+) (?:sub-exceptions?|exceptions? occurred|errors? occurred)\b`)
	counted     = regexp.MustCompile(`^(.*?)(?: \(\d+ sub-exceptions?\))?$`)
)

// kindOf returns the kind of a message that engines of JavaScript make of an object: "[object ProgressEvent]". It is "" for any other.
func kindOf(message string) string {
	rest, ok := strings.CutPrefix(strings.TrimSpace(message), "[object ")
	kind, ends := strings.CutSuffix(rest, "]")
	if !ok || !ends || strings.ContainsAny(kind, " ]") {
		return ""
	}
	return kind
}

// messageMembers are the members of a thrown object that are its message, the likeliest first.
var messageMembers = []string{"message", "msg", "error_description", "error_message", "error", "reason", "detail", "description", "title", "text"}

// readable returns a message, or what an object that was sent as one says for itself. It is "" for a text that says nothing.
func readable(message string) string {
	text := strings.TrimSpace(message)
	if text == "" || unsaid[text] || kindOf(text) != "" {
		return ""
	}
	if text[0] == '{' {
		return cmp.Or(spokenOf(text), message)
	}
	return message
}

// spokenOf returns what the members of a JSON object say; "" if it is no object, or none of them is a text.
func spokenOf(object string) string {
	s := scan.New(object)
	found := len(messageMembers)
	text := ""
	for key := range s.Members {
		i := slices.Index(messageMembers, key)
		if i < 0 || i >= found || s.Peek() != '"' {
			s.Value()
			continue
		}
		if value := strings.TrimSpace(s.Text()); value != "" {
			found, text = i, value
		}
	}
	if s.End() != nil {
		return ""
	}
	return text
}

// mostNamed is how many members of a group its title has.
const mostNamed = 3

// heldBy returns how many of the errors behind a group are its members; the rest led to them. A group says how many it holds, or has their messages in its own, where it
// can; else all are.
func heldBy(group Error, behind []Error) int {
	if m := memberCount.FindStringSubmatch(group.Message); m != nil {
		count, _ := strconv.Atoi(m[1])
		return min(len(behind), max(1, count))
	}
	for i, e := range slices.Backward(behind) {
		if e.Message != "" && strings.Contains(group.Message, e.Message) {
			return i + 1
		}
	}
	return len(behind)
}

// membersOf returns the members of a group that differ.
func membersOf(group Error, behind []Error) (members []Error) {
	var lines []string
	for _, e := range behind[:heldBy(group, behind)] {
		if line := plainName(e.Class) + ": " + plainMessage(e.Message); !slices.Contains(lines, line) && says(e) {
			lines, members = append(lines, line), append(members, e)
		}
	}
	return members
}

// ownMessage is what a group says beside its members; "" if that is nothing but how many there are, or what they say themselves.
func ownMessage(group Error, members []Error) string {
	message := readable(group.Message)
	own := counted.FindStringSubmatch(strings.SplitN(message, "\n", 2)[0])[1]
	own = memberCount.ReplaceAllString(own, "")
	for _, e := range members {
		own = strings.ReplaceAll(own, e.Message, "")
	}
	if own = strings.Trim(own, " .:;,()*[]"); own == "" || unsaid[own] {
		return ""
	}
	return message
}

func namesOf(members []Error) string {
	var names []string
	for _, e := range members[:min(len(members), mostNamed)] {
		name := strings.TrimSpace(e.Class)
		if message := readable(e.Message); message != "" {
			name += ": " + firstLine(message)
		}
		names = append(names, name)
	}
	if more := len(members) - mostNamed; more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, "; ")
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// locationOf says where an error happened: "in pay (cart.js:3)", "at /checkout".
func locationOf(news Error, n Named) string {
	if f := cmp.Or(news.App, news.Top); f != nil {
		if text := f.spelled(); text != "" {
			return "in " + text
		}
	}
	if where := cmp.Or(strings.TrimSpace(n.Component), strings.TrimSpace(n.Action)); where != "" {
		return "in " + where
	}
	if path := fileName(n.URL); path != "" { // without its host, query and ids
		return "at " + path
	}
	return ""
}

// spelled is a frame as a title says it, without the directories of its file.
func (f *Frame) spelled() string {
	path := fileName(f.File)
	file, method := path[strings.LastIndexByte(path, '/')+1:], methodName(f.Method)
	if line, err := strconv.Atoi(strings.TrimSpace(f.Line)); err == nil && line > 0 && file != "" {
		file += ":" + strconv.Itoa(line)
	}
	if file == "" || method == "" {
		return file + method
	}
	return method + " (" + file + ")"
}
