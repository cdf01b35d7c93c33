package ingest

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"sett/internal/group"
	"sett/internal/payload"
	"sett/internal/sett"
)

// The lengths that the extracted texts are cut to; the body keeps the whole.
const (
	maxName    = 255    // runes of a class, component, action, environment, hostname, revision and user
	maxTag     = 100    // runes
	maxMessage = 10_000 // bytes
	maxKeyPart = 1_000  // bytes of what goes into a grouping key: a fingerprint; a frame's file, method and line
)

// report makes the report of n, whose JSON is body.
func (n *notice) report(body []byte, p sett.KeyedProject, now time.Time, f *facets) *sett.Report {
	context := readContext(n.request.context)
	class := name(n.failure.class)
	message := payload.TrimClass(n.failure.message, n.failure.class)
	r := &sett.Report{
		AccountID:      p.AccountID,
		ProjectID:      p.ProjectID,
		ReceivedAt:     now,
		Token:          tokenID(p.ProjectID, n.failure.token),
		Class:          class,
		Message:        strings.Clone(cutBytes(message, maxMessage)),
		Component:      name(n.request.component, context.component),
		Action:         name(n.request.action, context.action),
		Environment:    name(n.server.environment, payload.DefaultEnvironment),
		Hostname:       name(n.server.hostname),
		Revision:       name(n.server.revision, n.server.version), // PHP sends version
		Tags:           joinTags(n.failure.tags, context.tags),
		User:           name(n.request.user(payload.UserFields(p.UserSearchField))),
		Body:           body,
		BacktraceStart: n.failure.trace.start,
		BacktraceEnd:   n.failure.trace.end,
	}
	r.Facets = f.of(n, r)
	r.Grouping = cloned(group.Of(group.Input{
		ProjectID:   p.ProjectID,
		Environment: r.Environment,
		Fingerprint: keyPart(n.failure.fingerprint),
		Class:       class,
		Component:   r.Component,
		Message:     r.Message,
		App:         n.failure.trace.app(),
		Top:         n.failure.trace.topFrame(),
	}))
	return r
}

// cloned returns g with texts of its own. Those that are made of other texts of the report are not the payload's.
func cloned(g sett.Grouping) sett.Grouping {
	g.Fingerprint = strings.Clone(g.Fingerprint)
	g.File = strings.Clone(g.File)
	g.Method = strings.Clone(g.Method)
	g.Line = strings.Clone(g.Line)
	return g
}

// contextPart is what the context says beside the request's own fields (Ruby and Elixir do so).
type contextPart struct {
	component, action string
	tags              []string
}

func readContext(json string) (c contextPart) {
	s := scanner{doc: document(json)}
	for key := range s.members {
		switch key {
		case "_component":
			c.component = s.text()
		case "_action":
			c.action = s.text()
		case "tags":
			c.tags = s.tags()
		default:
			s.value()
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
	s := scanner{doc: document(json)}
	for key := range s.members {
		switch {
		case key != step:
			s.value()
		case deeper:
			text = scalarAt(s.value(), rest)
		case s.peek() == '{' || s.peek() == '[':
			s.value()
			text = ""
		default:
			text = s.text()
		}
	}
	return text
}

// tokenID returns the id of a notice whose client sent a token: the token itself when it is a UUID, and otherwise a
// UUID of version 8 (RFC 9562 §5.8) made from project and token, so that the same token is the same notice.
func tokenID(projectID int64, token string) sett.UUID {
	token = strings.TrimSpace(token)
	if token == "" {
		return sett.UUID{}
	}
	if id, err := sett.ParseUUID(token); err == nil {
		return id
	}
	sum := sha256.Sum256(append(binary.BigEndian.AppendUint64(nil, uint64(projectID)), token...))
	id := sett.UUID(sum[:16])
	id[6] = id[6]&0x0f | 0x80
	id[8] = id[8]&0x3f | 0x80
	return id
}

// joinTags returns the tags of all lists without blanks and repetitions, at most sett.MaxTags.
func joinTags(lists ...[]string) (tags []string) {
	for _, list := range lists {
		for _, tag := range list {
			if tag = line(tag, maxTag); tag == "" || slices.Contains(tags, tag) {
				continue
			}
			if tags = append(tags, tag); len(tags) == payload.MaxTags {
				return tags
			}
		}
	}
	return tags
}

// name returns the first of the texts that is not blank, as one line of at most maxName runes.
func name(texts ...string) string {
	for _, text := range texts {
		if text = line(text, maxName); text != "" {
			return text
		}
	}
	return ""
}

// line returns a copy of text on one line, without blanks around it, cut to a number of runes. The copy is what lets
// go of the payload: a name may be kept for long.
func line(text string, most int) string {
	text = cutBytes(strings.TrimSpace(text), most*utf8.UTFMax)
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, text)
	return strings.Clone(strings.TrimSpace(cutRunes(text, most)))
}

// keyPart returns text cut to maxKeyPart.
func keyPart(text string) string { return cutBytes(text, maxKeyPart) }

// cutRunes returns at most n runes of text.
func cutRunes(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for i := range text {
		if n--; n < 0 {
			return text[:i]
		}
	}
	return text
}

// cutBytes returns at most n bytes of text, cut between runes.
func cutBytes(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}
