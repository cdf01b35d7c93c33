// Package event reads what clients report. It takes the body of a request, compressed or not, in any of the protocols. It returns an Event
// and the report that the store takes for a project, or an error that says what to send instead. Each protocol is a file. The package never
// stores anything and never answers a request.
package event

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"sett/internal/event/payload"
	"sett/internal/ingest/group"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/sett/regroup"
)

// The lengths that the extracted texts are cut to; the body keeps the whole.
const (
	maxName    = 255    // runes of a class, component, action, environment, hostname, revision and user
	maxTag     = 100    // runes
	maxMessage = 10_000 // bytes
	maxKeyPart = 1_000  // bytes of what goes into a grouping key: a fingerprint; a frame's file, method and line
)

// Event is an error as a protocol reports it. A protocol reads what its clients send, makes an Event of it and knows no more: whose it
// is, which fault it belongs to and what is stored of it follows here. Texts have memory of their own, except those of Body, App, Top,
// Token and Fingerprint.
type Event struct {
	Body                         payload.Body // kept as it is
	BacktraceStart, BacktraceEnd int          // where Body contains the backtrace; 0 if it does not

	Token       string // the client's id of the event; "" if it has none
	Fingerprint string // groups events, whatever else they contain; "" if the client leaves that to sett
	Class       string
	Message     string // without a leading "Class: "
	Component   string
	Action      string
	Environment string
	Hostname    string
	Revision    string
	URL         string   // of the request; shares the memory of Body
	User        string   // see accounts.KeyedProject.UserSearchField
	Tags        []string // see joinTags
	Facets      string   // see faults.Report

	App, Top *group.Frame  // the first frame of the application and the first of all, by rule 1; nil if there is none
	Chain    []group.Error // the error and what led to it
	Rules    *regroup.Rules
	Hints    Hints
}

// Hints is what some protocols say about grouping, and a notice cannot.
type Hints struct {
	Class     string // of the error, where the notice has the class of its cause; "" for that of the notice
	Message   string // groups in place of the message, such as a template without its values; "" for the message itself
	ByMessage bool   // the message groups and no frame: they say where it was logged, not what happened
	Default   string // in Fingerprint, stands for the key of the group that the event would have without one; "" if nothing does
}

// hint has the event grouped and called by what its protocol says.
func (e *Event) hint(h Hints) {
	e.Hints = h
	e.Chain[0].Class = cmp.Or(h.Class, e.Chain[0].Class)
}

// grouping is place by rule 1.
func (e *Event) grouping(projectID int64) faults.Grouping {
	in := group.Input{
		ProjectID:   projectID,
		Environment: e.Environment,
		Class:       e.Class,
		Component:   e.Component,
		Message:     cmp.Or(e.Hints.Message, e.Message),
		App:         e.App,
		Top:         e.Top,
	}
	if e.Hints.ByMessage {
		in.App = nil
	}
	in.Fingerprint = keyPart(e.Fingerprint)
	if e.Hints.Default != "" && strings.Contains(in.Fingerprint, e.Hints.Default) {
		rest := in
		rest.Fingerprint = ""
		in.Fingerprint = strings.ReplaceAll(in.Fingerprint, e.Hints.Default, fmt.Sprintf("%x", group.Of(rest).Key))
	}
	return cloned(group.Of(in))
}

// place decides which events of a project e belongs to.
func (e *Event) place(projectID int64) faults.Grouping {
	return cloned(group.Locate(e.forGroup(projectID)))
}

// forGroup is what the rule looks at.
func (e *Event) forGroup(projectID int64) group.Event {
	in := group.Event{
		ProjectID: projectID, Environment: e.Environment, Fingerprint: keyPart(e.Fingerprint), Component: e.Component, Revision: e.Revision, Chain: e.Chain, Rules: e.Rules,
	}
	if e.Hints.Message != "" {
		in.Chain[0].Message = e.Hints.Message
	}
	if e.Hints.ByMessage {
		in.Chain = []group.Error{{Class: e.Class, Message: in.Chain[0].Message, Top: e.Top}}
	}
	if e.Hints.Default != "" && strings.Contains(in.Fingerprint, e.Hints.Default) {
		rest := in
		rest.Fingerprint = ""
		in.Fingerprint = strings.ReplaceAll(in.Fingerprint, e.Hints.Default, fmt.Sprintf("%x", group.Locate(rest).Near))
	}
	return in
}

// title is what the error is called, which need not be what the client calls it: see group.Title.
func (e *Event) title() (class, message string) {
	class, message = group.Title(group.Named{Chain: e.Chain, URL: e.URL, Component: e.Component, Action: e.Action})
	if class == e.Class && message == e.Message {
		return e.Class, e.Message
	}
	return Name(class), strings.Clone(cutBytes(message, maxMessage))
}

// causes returns what led to the error or wraps it, with memory of its own: the rest of the chain of what the error is called. It comes before the chain is
// grouped, where a template may replace a message.
func (e *Event) causes(class, message string) (all []faults.Said) {
	own := faults.Said{Class: class, Message: message}.Kept()
	isItself := len(e.Chain) == 1 || class == e.Class && message == e.Message
	for i, c := range e.Chain {
		if i == 0 && isItself || c.Class == class && c.Message == message {
			continue
		}
		said := faults.Said{Class: Name(c.Class), Message: c.Message}.Kept()
		if said == (faults.Said{}) || said == own || slices.Contains(all, said) {
			continue
		}
		said.Message = strings.Clone(said.Message)
		all = append(all, said)
	}
	return all
}

// report makes the report of an event for a project.
func (e *Event) report(p accounts.KeyedProject, now time.Time) *faults.Report {
	class, message := e.title()
	return &faults.Report{
		AccountID:      p.AccountID,
		ProjectID:      p.ProjectID,
		ReceivedAt:     now,
		Token:          tokenID(p.ProjectID, e.Token),
		Class:          class,
		Message:        message,
		Causes:         e.causes(class, message),
		Component:      e.Component,
		Action:         e.Action,
		Environment:    e.Environment,
		Hostname:       e.Hostname,
		Revision:       e.Revision,
		Tags:           e.Tags,
		User:           e.User,
		Facets:         e.Facets,
		Body:           e.Body.JSON,
		Format:         e.Body.Format,
		BacktraceStart: e.BacktraceStart,
		BacktraceEnd:   e.BacktraceEnd,
		Grouping:       e.place(p.ProjectID),
		Former:         e.grouping(p.ProjectID),
	}
}

// cloned returns g with texts of its own, in one piece of memory. Those that are made of other texts of the report are not the payload's.
func cloned(g faults.Grouping) faults.Grouping {
	texts := [...]*string{&g.Fingerprint, &g.Class, &g.Component, &g.File, &g.Method, &g.Line, &g.Message, &g.Source, &g.Via, &g.Signs, &g.Causes, &g.Inside, &g.Revision, &g.Callers}
	size := 0
	for _, text := range texts {
		size += len(*text)
	}
	var b strings.Builder
	b.Grow(size)
	for _, text := range texts {
		b.WriteString(*text)
	}
	all := b.String()
	for _, text := range texts {
		*text, all = all[:len(*text)], all[len(*text):]
	}
	return g
}

// tokenID returns the id of a notice whose client sent a token: the token itself when it is a UUID, and otherwise a
// UUID of version 8 (RFC 9562 §5.8) made from project and token, so that the same token is the same notice.
// TokenID returns the id of a notice of a project by which a token finds it.
func TokenID(projectID int64, token string) sett.UUID { return tokenID(projectID, token) }

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
			if tag = Line(tag, maxTag); tag == "" || slices.Contains(tags, tag) {
				continue
			}
			if tags = append(tags, tag); len(tags) == payload.MaxTags {
				return tags
			}
		}
	}
	return tags
}

// Name returns the first of the texts that is not blank, as one line of at most maxName runes.
func Name(texts ...string) string {
	for _, text := range texts {
		if text = Line(text, maxName); text != "" {
			return text
		}
	}
	return ""
}

// Line returns a copy of text on one line, without blanks around it, cut to a number of runes. The copy is what lets
// go of the payload: a name may be kept for long.
func Line(text string, most int) string {
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
