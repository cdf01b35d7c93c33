// Package notice writes notices. It takes the parts of an error that a reader of another protocol found, and returns the JSON that a client
// of the contract would have sent. The result is never longer than a notice may be: what matters least is left out first. The package never
// reads requests, and knows no protocol.
package notice

import "unsafe"

// JSON is one value in JSON, valid and in UTF-8; "" is none.
type JSON string

// Notice is what a notice can say. Empty fields are left out.
type Notice struct {
	Token       string // the client's id of the error
	Class       string
	Message     string
	Fingerprint string
	Level       string // debug, info, warning, error or fatal
	Handled     *bool  // whether the program went on; nil if the client does not say
	Tags        []string
	Backtrace   []Frame // innermost call first
	Causes      []Cause // nearest first

	URL, Component, Action string
	Context, CGI           []Member
	Params, Session        JSON
	Locals                 JSON // the variables of a frame

	Environment, Hostname, Revision, ProjectRoot string
	Time                                         string // RFC 3339

	Breadcrumbs []Breadcrumb // oldest first
	Details     []Member     // sections by name, each an object
	RequestID   string
	Notifier    Notifier
	Repairs     []string // sentences about what was not as it was sent
}

// Member is one member of an object.
type Member struct {
	Key   string
	Value JSON
}

// Frame is one line of a backtrace.
type Frame struct {
	File, Method, Class string
	Line, Column        int    // 1 is the first; 0 is unknown
	Context             string // "app" for the application's code, "all" for other code, "" where the client does not say
	Source              []SourceLine
}

// SourceLine is a line of the file of a frame.
type SourceLine struct {
	Number int // 1 is the first
	Text   string
}

// Cause is an error that led to another.
type Cause struct {
	Class, Message string
	Backtrace      []Frame
}

// Breadcrumb is something that happened before the error.
type Breadcrumb struct {
	Category, Message string
	Time              string // RFC 3339
	Metadata          []Member
}

// Notifier is the client that reported.
type Notifier struct{ Name, Version, Language string }

// Text returns a text as JSON.
func Text(text string) JSON {
	if isPlain(text) {
		return JSON(`"` + text + `"`)
	}
	return JSON(appendText(nil, text))
}

// TextMember returns a member whose value is a text; nil if the text is empty.
func TextMember(key, text string) []Member {
	if text == "" {
		return nil
	}
	return []Member{{key, Text(text)}}
}

// Object returns members as a JSON object, or "" if there are none.
func Object(members []Member) JSON {
	if len(members) == 0 {
		return ""
	}
	length := len("{}")
	for _, m := range members {
		length += len(`"":,`) + len(m.Key) + len(m.Value)
	}
	w := writer{out: make([]byte, 0, length), detail: details[0]}
	w.object(func() {
		for _, m := range members {
			w.value(m.Key, m.Value)
		}
	})
	return JSON(unsafe.String(unsafe.SliceData(w.out), len(w.out))) // nothing else has it
}
