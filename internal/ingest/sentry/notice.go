package sentry

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"sett/internal/ingest/notice"
	"sett/internal/sett"
)

// Request is what is known of a request beside its body.
type Request struct {
	Sender     string    // IP address
	SentAt     time.Time // by the clock of the client; zero if it does not say
	ReceivedAt time.Time // by the clock of the server
	EventID    string    // of an event that does not say so itself; "" if it is not known
}

// Event is a notice that was made of an event, with what a notice cannot say.
type Event struct {
	Notice   notice.Notice
	Class    string // of an error of Go whose notice has the class of its cause; "" for any other
	Template string // the message without what differs between two events; "" if it is not known
	Message  bool   // it is a message and no error: where it was logged does not say what happened
}

// says reports whether the event has content at all.
func (e *Event) says() bool {
	return !e.Message || e.Notice.Message != "" || len(e.Notice.Backtrace) > 0
}

// DefaultGrouping stands in a fingerprint for the group that an event would be in without one.
const DefaultGrouping = "{{ default }}"

var errNoEvent = sett.Errorf(sett.Invalid, "The event must be a JSON object. Send one with an exception or a message.")

// readEventItem reads an item of type event. The error is Malformed if it is not JSON, Invalid if it is not an object or has too many levels or keys.
func (m *Reader) readEventItem(i Item, r Request) (Content, error) {
	e, err := m.readEvent(i.Payload)
	if err != nil {
		return Content{}, err
	}
	if e.kind == "feedback" {
		return m.feedback(r), nil
	}
	e.unwrapMessage()
	out := &Event{Notice: m.notice(r), Message: len(e.exceptions) == 0}
	if n := len(e.exceptions); n > 1 && e.platform == "go" && e.wraps(e.exceptions[n-1]) {
		out.Class = e.exceptions[n-1].class
	}
	if e.message.template != out.Notice.Message {
		out.Template = e.message.template
	}
	return Content{Event: out}, nil
}

func (m *Reader) notice(r Request) notice.Notice {
	e := &m.event
	e.correct(r)
	n := notice.Notice{
		Token:       cmp.Or(ID(e.id), r.EventID),
		Fingerprint: e.group(),
		URL:         e.request.address(),
		Params:      m.params(),
		CGI:         m.variables(e.user.addressOr(r.Sender, e.sdk.senderIsUser)),
		Context:     m.context(r.Sender),
		Environment: e.environment,
		Hostname:    e.hostname,
		Revision:    e.release,
		Time:        spell(e.at),
		Breadcrumbs: e.crumbs,
		Details:     e.details(),
		RequestID:   e.contexts.traceID,
		Notifier:    notice.Notifier{Name: e.sdk.name, Version: e.sdk.version, Language: e.platform},
	}
	if n.Hostname == "" {
		n.Hostname = e.contexts.device
	}
	if e.emptyValues {
		n.Repairs = append(n.Repairs, emptyValues)
	}
	e.place(&n)
	m.failure(&n)
	return n
}

// emptyValues is the note on an event with values of exception that are none.
const emptyValues = "Entries of exception.values that are no objects, such as null, are left out."

// place says which part of the application the event comes from. A transaction that is an address differs from page to page, which a
// component must not.
func (e *event) place(n *notice.Notice) {
	if e.transaction == "" {
		n.Action = e.culprit // not the component, which it was never grouped by
		return
	}
	switch e.transactionSource {
	case "route", "component", "task", "view", "custom":
		n.Component = e.transaction
	case "":
		if e.platform != "javascript" {
			n.Component = e.transaction
			return
		}
		n.Action = e.transaction
	default:
		n.Action = e.transaction
	}
}

// failure says what went wrong: an exception with its causes, or a message.
func (m *Reader) failure(n *notice.Notice) {
	e := &m.event
	n.Level = levelOf(e.level)
	if len(e.exceptions) == 0 {
		n.Class, n.Message = "Message", e.message.text()
		n.Backtrace = m.backtrace(e.framesElsewhere(), e.platform)
		n.Locals = locals(e.framesElsewhere())
		return
	}
	last := e.exceptions[len(e.exceptions)-1]
	n.Class, n.Message, n.Handled = last.class, last.message, last.handled
	frames := last.frames
	if len(frames) == 0 {
		frames = e.framesElsewhere()
	}
	n.Backtrace, n.Locals = m.backtrace(frames, e.platform), locals(frames)
	for _, cause := range slices.Backward(e.exceptions[:len(e.exceptions)-1]) {
		n.Causes = append(n.Causes, notice.Cause{Class: cause.class, Message: cause.message, Backtrace: m.backtrace(cause.frames, e.platform)})
	}
	if len(n.Causes) > 0 && e.wraps(last) {
		n.Class = n.Causes[0].Class
	}
	if n.Class == "" {
		n.Class = "Error"
	}
}

// unwrapMessage makes an exception that only carries where a message was logged a message again: browsers attach the backtrace of a message so, as
// an exception without a type that says the same.
func (e *event) unwrapMessage() {
	if len(e.exceptions) != 1 || e.exceptions[0].class != "" {
		return
	}
	x := e.exceptions[0]
	text := e.message.text()
	if !x.synthetic && x.message != text || text == "" && x.message == "" {
		return
	}
	if text == "" {
		e.message.formatted = x.message
	}
	if len(e.frames) == 0 {
		e.frames = x.frames
	}
	e.exceptions = e.exceptions[:0]
}

// wraps reports whether an exception only wraps its cause: errors of most kinds have its class then, and only the cause says which.
func (e *event) wraps(x exception) bool {
	switch x.class {
	case "*fmt.wrapError", "*fmt.wrapErrors", "*errors.joinError":
		return e.platform == "go"
	case "Error":
		return e.platform == "native" || e.platform == "rust" // anyhow
	case "RuntimeException":
		return e.platform == "java" && x.module == "java.lang"
	default:
		return false
	}
}

// framesElsewhere returns the frames of the event itself, or else of the thread that it comes from.
func (e *event) framesElsewhere() []frame {
	if len(e.frames) > 0 {
		return e.frames
	}
	for _, t := range e.threads {
		if t.current && len(t.frames) > 0 {
			return t.frames
		}
	}
	return nil
}

// levelOf returns the level that a client means, of which numbers are those of Python: 40 is an error. It is "" for what is no level.
func levelOf(text string) string {
	if level := notice.Level(text); level != "" {
		return level
	}
	n, _ := wholeNumber(text)
	switch {
	case n >= 50:
		return "fatal"
	case n >= 40:
		return "error"
	case n >= 30:
		return "warning"
	case n >= 20:
		return "info"
	case n > 0:
		return "debug"
	default:
		return ""
	}
}

// group returns the fingerprint, or "" if the client leaves grouping to the server.
func (e *event) group() string {
	parts := make([]string, 0, len(e.fingerprint))
	for _, part := range e.fingerprint {
		if part = strings.TrimSpace(part); part == "{{default}}" {
			part = DefaultGrouping
		}
		if part != "" {
			parts = append(parts, part)
		}
	}
	if len(parts) == 1 && parts[0] == DefaultGrouping {
		return ""
	}
	return strings.Join(parts, " | ")
}

// context returns what the application said about the event.
func (m *Reader) context(sender string) []notice.Member {
	e, start := &m.event, len(m.members)
	m.members = e.user.appendTo(m.members, sender)
	if tags := notice.Object(e.tags); tags != "" {
		m.members = append(m.members, notice.Member{Key: "tags", Value: tags})
	}
	m.members = append(append(m.members, e.extra...), e.contexts.own...)
	return unique(m.members[start:len(m.members):len(m.members)])
}

// details returns what describes the program and the machine that it runs on.
func (e *event) details() []notice.Member {
	facts := slices.Concat(notice.TextMember("dist", e.dist), notice.TextMember("logger", e.logger), notice.TextMember("platform", e.platform))
	if n := len(e.exceptions); n > 1 && e.wraps(e.exceptions[n-1]) {
		facts = append(facts, notice.TextMember("wrapper", e.exceptions[n-1].class)...)
	}
	all := slices.Clone(e.contexts.details)
	for _, m := range []notice.Member{
		{Key: "event", Value: notice.Object(facts)},
		{Key: "sdk", Value: notice.Object(slices.Concat(notice.TextMember("name", e.sdk.name), notice.TextMember("version", e.sdk.version)))},
		{Key: "modules", Value: e.modules},
		{Key: "debug_meta", Value: imagesObject(e.images)},
	} {
		if m.Value != "" {
			all = append(all, m)
		}
	}
	return all
}

func imagesObject(images notice.JSON) notice.JSON {
	if images == "" || images == "[]" || images == "null" {
		return ""
	}
	return notice.Object([]notice.Member{{Key: "images", Value: images}})
}
