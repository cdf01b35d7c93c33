// Package airbrake reads the errors of Airbrake clients. It takes the body of a notice of their protocol, version 3, and returns a notice
// for sett, and the pattern of its message where the client has one. The package never reads requests, and refuses only bodies without any
// error.
package airbrake

import (
	"strings"
	"unicode/utf8"

	"sett/internal/ingest/notice"
	"sett/internal/sett"
	"sett/internal/sett/scan"
)

// Report is what a client reports.
type Report struct {
	Notice  notice.Notice
	Pattern string // of the message, such as "cannot reach %s"; "" if the client does not know one
}

// maxErrors is how many errors of a report are read: the first, and those that led to it.
const maxErrors = 50

// Read reads a body. Errors: Malformed for what is not JSON, Invalid for what contains no error.
func Read(body []byte) (Report, error) {
	text := string(body)
	if text == "" {
		return Report{}, sett.Errorf(sett.Malformed, "The body is empty. Send a notice as JSON, with at least one error in \"errors\".")
	}
	if !utf8.ValidString(text) {
		return Report{}, sett.Errorf(sett.Malformed, "The body is not valid UTF-8: see byte %d. Send JSON in UTF-8.", sett.FirstInvalid(body)+1)
	}
	r := reader{Scanner: scan.New(text)}
	r.document()
	if err := r.End(); err != nil {
		return Report{}, err
	}
	if len(r.errors) == 0 {
		return Report{}, sett.Errorf(sett.Invalid, "The notice contains no error. Send at least one object in the array \"errors\".")
	}
	return r.report(), nil
}

// reader walks a body. The texts that it finds share memory with the body.
type reader struct {
	scan.Scanner
	errors                       []notice.Cause // the first is what is reported
	context                      context
	params, session, environment notice.JSON
}

func (r *reader) document() {
	for key := range r.Members {
		switch key {
		case "errors":
			r.readErrors()
		case "context":
			r.context = r.readContext()
		case "params":
			r.params = r.value()
		case "session":
			r.session = r.value()
		case "environment":
			r.environment = r.value()
		default:
			r.Value()
		}
	}
}

// value returns what comes next as JSON, or "" for null and what is empty.
func (r *reader) value() notice.JSON {
	switch v := r.Value(); v {
	case "null", "{}", "[]", `""`:
		return ""
	default:
		return notice.JSON(v)
	}
}

func (r *reader) readErrors() {
	for range r.Elements {
		if r.Peek() != '{' || len(r.errors) == maxErrors {
			r.Value()
			continue
		}
		r.errors = append(r.errors, r.readError())
	}
}

func (r *reader) readError() (c notice.Cause) {
	for key := range r.Members {
		switch key {
		case "type":
			c.Class = r.Text()
		case "message":
			c.Message = r.Text()
		case "backtrace":
			c.Backtrace = r.backtrace()
		default:
			r.Value()
		}
	}
	return c
}

// report makes the report of what was read.
func (r *reader) report() Report {
	c := &r.context
	first := r.errors[0]
	n := notice.Notice{
		Class: first.Class, Message: first.Message, Backtrace: first.Backtrace, Causes: r.errors[1:], Level: notice.Level(c.severity),
		URL: c.url, Component: firstOf(c.component, c.route), Action: c.action, Context: append(c.others, notice.TextMember("route", c.route)...),
		CGI: append(membersOf(r.environment), c.cgi()...), Params: r.params, Session: r.session,
		Environment: c.environment, Hostname: c.hostname, Revision: firstOf(c.revision, c.version), ProjectRoot: c.root,
		Breadcrumbs: c.history, Details: c.details(), Notifier: c.notifier,
	}
	n.Notifier.Language = c.language
	c.shorten(n.Backtrace)
	for _, cause := range n.Causes {
		c.shorten(cause.Backtrace)
	}
	return Report{Notice: n, Pattern: c.pattern}
}

// membersOf returns the members of a JSON object.
func membersOf(object notice.JSON) (members []notice.Member) {
	s := scan.New(string(object))
	if object == "" {
		return nil
	}
	for key := range s.Members {
		members = append(members, notice.Member{Key: key, Value: notice.JSON(s.Value())})
	}
	return members
}

func firstOf(texts ...string) string {
	for _, text := range texts {
		if strings.TrimSpace(text) != "" {
			return text
		}
	}
	return ""
}
