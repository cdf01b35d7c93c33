package event

import (
	"bytes"
	"strings"
	"time"
	"unicode/utf8"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/sett/regroup"
	"sett/internal/sett/scan"
	"sett/internal/sett/scrub"
)

// MaxNotice is how many bytes of JSON a notice may have (wire.md §2.2).
const MaxNotice = 256 << 10

// notice is what parsing takes out of a payload, as the client spelled it. The texts share the payload's memory.
type notice struct {
	failure failure
	request request
	server  server
	program program
	trace   string // id of the request or trace

	how reading
}

// reading is how backtraces are read.
type reading struct {
	minified bool           // where minified frames come from is looked up
	rules    *regroup.Rules // of the project

	explained bool
}

// failure is the error object of a payload.
type failure struct {
	present     bool
	token       string
	class       string
	message     string
	fingerprint string
	level       string
	handled     string
	tags        []string
	trace       trace
	causes      []cause // what led to it, nearest first
}

// cause is an error that led to another.
type cause struct {
	class, message string
	trace          trace
}

// request is the request object of a payload; the last four are JSON, or "".
type request struct {
	url, component, action        string
	context, params, session, cgi string
}

// server is the server object of a payload.
type server struct {
	environment, hostname, revision, version, root string
}

// program is what the details of a payload say of the program and where it runs: JSON, or "".
type program struct {
	browser, os, device, debugMeta string
}

// Options is for whom a notice is read, and how.
type Options struct {
	Project accounts.KeyedProject
	Now     time.Time
	Scrub   *scrub.Rules   // what is removed from the notice; nil removes nothing
	Hints   Hints          // for a notice that was made of what another protocol reports
	Rules   *regroup.Rules // of the project about grouping; nil for none

	// The rules that the project had before it changed them, if it did.
	Before    *regroup.Rules
	ChangedAt time.Time

	Original func(*Code) // finds where minified frames come from, to group by that; nil if the project has no source maps
}

// Parse makes the report of a notice for a project. It checks all of body, removes what the rules of the project match, and takes out
// what grouping, counting and searching need. It keeps body, or the memory of f, as the report's body; nothing else of the report shares
// memory with them. Counts are what was removed. Every error is a *sett.Error: Malformed when body is no JSON, Invalid when it is not a
// notice, TooLarge.
//
// A client may send any field with any type (wire.md §2.3, clients.md "Type zoo"). A key that comes twice counts as it
// comes last, like in every decoder.
func Parse(body []byte, o Options, f *Facets) (*faults.Report, scrub.Counts, error) {
	body = bytes.TrimPrefix(body, []byte("\uFEFF"))
	if err := check(body); err != nil {
		return nil, scrub.Counts{}, err
	}
	n := &f.notice
	*n = notice{how: reading{minified: o.Original != nil, rules: o.Rules}}
	defer func() { *n = notice{} }() // what it has of body must not be kept
	clean, counts, err := n.read(body, f.clean[:0], o.Scrub)
	if err != nil {
		return nil, scrub.Counts{}, err
	}
	if counts.Total() > 0 {
		f.clean, body = clean, clean
	}
	if n.how.minified {
		n.unminify(o.Original)
	}
	e := n.event(body, o.Project, f)
	e.hint(o.Hints)
	report := e.report(o.Project, o.Now)
	n.regroup(body, o, f, report)
	return report, counts, nil
}

// check returns an error if a body cannot be a notice.
func check(body []byte) error {
	switch {
	case len(body) > MaxNotice:
		return sett.Errorf(sett.TooLarge, "The notice has %d bytes of JSON; at most %d are accepted. Send less data.", len(body), MaxNotice)
	case len(body) == 0:
		return sett.Errorf(sett.Malformed, "The body contains no notice: it is empty, or a form without the field payload. Send the notice as a JSON object, or in that field.")
	case !utf8.Valid(body):
		return sett.Errorf(sett.Malformed, "The body is not valid UTF-8: see byte %d. Send JSON in UTF-8.", sett.FirstInvalid(body)+1)
	}
	return nil
}

// read walks the notice once: what the rules match is removed, and what is left is read.
func (n *notice) read(body, room []byte, rules *scrub.Rules) ([]byte, scrub.Counts, error) {
	clean, counts, err := rules.Read(body, room, n)
	switch {
	case err != nil:
		return nil, counts, err
	case !n.isObject(body):
		return nil, counts, sett.Errorf(sett.Invalid, "The notice must be a JSON object that contains an \"error\" object.")
	case !n.failure.present:
		return nil, counts, sett.Errorf(sett.Invalid, "The notice has no \"error\" object. Send one with at least a class or a message.")
	}
	return clean, counts, nil
}

func (n *notice) isObject(body []byte) bool {
	return n.failure.present || bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("{"))
}

// Section lets go of what an earlier member with the same key said (scrub.Reader).
func (n *notice) Section(name string, isObject bool) {
	switch name {
	case "error":
		n.failure = failure{present: isObject}
	case "request":
		n.request = request{}
	case "server":
		n.server = server{}
	case "details":
		n.program = program{}
	case "correlation_context":
		n.trace = ""
	}
}

// Member takes in a member of a section (scrub.Reader).
func (n *notice) Member(section, key, value string, at int) {
	switch section {
	case "error":
		n.failure.member(key, value, at, n.how)
	case "request":
		n.request.member(key, value)
	case "server":
		n.server.member(key, value)
	case "details":
		n.program.member(key, value)
	case "correlation_context":
		if key == "request_id" {
			n.trace = textOf(value)
		}
	}
}

func (f *failure) member(key, value string, at int, how reading) {
	switch key {
	case "token":
		f.token = textOf(value)
	case "class":
		f.class = textOf(value)
	case "message":
		f.message = textOf(value)
	case "fingerprint":
		f.fingerprint = textOf(value)
	case "level":
		f.level = textOf(value)
	case "handled":
		f.handled = textOf(value)
	case "tags":
		s := scanner{scan.New(value)}
		f.tags = s.tags()
	case "backtrace":
		f.trace = knownTraceOf(value, at, how)
	case "causes":
		s := scanner{scan.New(value)}
		f.causes = s.causes(reading{rules: how.rules, explained: how.explained})
	}
}

func (r *request) member(key, value string) {
	switch key {
	case "url":
		r.url = textOf(value)
	case "component":
		r.component = textOf(value)
	case "action":
		r.action = textOf(value)
	case "context":
		r.context = value
	case "params":
		r.params = value
	case "session":
		r.session = value
	case "cgi_data":
		r.cgi = value
	}
}

func (v *server) member(key, value string) {
	switch key {
	case "environment_name":
		v.environment = textOf(value)
	case "hostname":
		v.hostname = textOf(value)
	case "revision":
		v.revision = textOf(value)
	case "version":
		v.version = textOf(value)
	case "project_root":
		s := scanner{scan.New(value)}
		v.root = s.rootOf()
	}
}

func (p *program) member(key, value string) {
	switch key {
	case "browser":
		p.browser = value
	case "os":
		p.os = value
	case "device":
		p.device = value
	case "debug_meta":
		p.debugMeta = value
	}
}

// textOf returns the text of a value.
func textOf(value string) string {
	s := scan.New(value)
	return s.Text()
}

// scanner walks a part of a notice.
type scanner struct{ scan.Scanner }

// mostCauses is how many causes take part in grouping.
const mostCauses = 10

func (s *scanner) causes(how reading) (all []cause) {
	if s.Peek() != '[' {
		return nil
	}
	for range s.Elements {
		if s.Peek() != '{' || len(all) == mostCauses {
			s.Value()
			continue
		}
		var c cause
		for key := range s.Members {
			switch key {
			case "class":
				c.class = s.Text()
			case "message":
				c.message = s.Text()
			case "backtrace":
				c.trace = knownTraceOf(s.Value(), 0, how)
			default:
				s.Value()
			}
		}
		all = append(all, c)
	}
	return all
}

// tags reads an array of tags, or one text with commas between them.
func (s *scanner) tags() (tags []string) {
	switch s.Peek() {
	case '"':
		return strings.Split(s.Text(), ",")
	case '[':
		for range s.Elements {
			switch s.Peek() {
			case '{', '[':
				s.Value()
			default:
				tags = append(tags, s.Text())
			}
		}
	default:
		s.Value()
	}
	return tags
}
