package event

import (
	"strings"

	"sett/internal/event/payload"
	"sett/internal/ingest/group"
	"sett/internal/sett/accounts"
	"sett/internal/sett/scan"
)

// event makes the event of a notice of the contract's protocol, whose JSON is body, for a project.
func (n *notice) event(body []byte, p accounts.KeyedProject, f *Facets) Event {
	context := readContext(n.request.context)
	e := Event{
		Body:           payload.Body{Format: payload.Honeybadger, JSON: body},
		BacktraceStart: n.failure.trace.start,
		BacktraceEnd:   n.failure.trace.end,
		Token:          n.failure.token,
		Fingerprint:    n.failure.fingerprint,
		Class:          Name(n.failure.class),
		Message:        strings.Clone(cutBytes(payload.TrimClass(n.failure.message, n.failure.class), maxMessage)),
		Component:      Name(n.request.component, context.component),
		Action:         Name(n.request.action, context.action),
		Environment:    Name(n.server.environment, payload.DefaultEnvironment),
		Hostname:       Name(n.server.hostname),
		Revision:       Name(n.server.revision, n.server.version), // PHP sends version
		URL:            n.request.url,
		User:           Name(n.request.user(payload.UserFields(p.UserSearchField))),
		Tags:           joinTags(n.failure.tags, context.tags),
	}
	e.App, e.Top = n.failure.trace.firstFrames()
	e.Chain, e.Rules = n.failure.chain(e.Message), n.how.rules
	user := e.User
	if payload.IsSecret(p.UserSearchField) {
		user = ""
	}
	e.Facets = f.of(n, e.Hostname, e.Revision, user)
	return e
}

// chain returns the error and what led to it. message is the error's without its class.
func (f *failure) chain(message string) []group.Error {
	all := make([]group.Error, 0, 1+len(f.causes))
	all = append(all, f.trace.failure(f.class, message))
	for _, c := range f.causes {
		all = append(all, c.trace.failure(c.class, payload.TrimClass(c.message, c.class)))
	}
	return all
}

// contextPart is what the context says beside the request's own fields (Ruby and Elixir do so).
type contextPart struct {
	component, action string
	tags              []string
}

func readContext(json string) (c contextPart) {
	s := scanner{scan.New(json)}
	for key := range s.Members {
		switch key {
		case "_component":
			c.component = s.Text()
		case "_action":
			c.action = s.Text()
		case "tags":
			c.tags = s.tags()
		default:
			s.Value()
		}
	}
	return c
}

// user returns the text of the first of the fields (see sett.UserFields) that the request has, or "".
func (r *request) user(fields []string) string {
	for _, field := range fields {
		section, path, _ := strings.Cut(field, ".")
		if label := scalarAt(r.section(section), path); strings.TrimSpace(label) != "" {
			return label
		}
	}
	return ""
}

func (r *request) section(name string) string {
	switch name {
	case "params":
		return r.params
	case "session":
		return r.session
	default:
		return r.context
	}
}

// scalarAt follows a dotted path through objects and returns the text of the scalar at its end, or "".
func scalarAt(json, path string) (text string) {
	step, rest, deeper := strings.Cut(path, ".")
	s := scan.New(json)
	for key := range s.Members {
		switch {
		case key != step:
			s.Value()
		case deeper:
			text = scalarAt(s.Value(), rest)
		case s.Peek() == '{' || s.Peek() == '[':
			s.Value()
			text = ""
		default:
			text = s.Text()
		}
	}
	return text
}
