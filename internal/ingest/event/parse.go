package event

import (
	"bytes"
	"strings"
	"time"
	"unicode/utf8"
	"unsafe"

	"sett/internal/ingest/scan"
	"sett/internal/scrub"
	"sett/internal/sett"
)

// MaxNotice is how many bytes of JSON a notice may have (wire.md §2.2).
const MaxNotice = 256 << 10

// notice is what parsing takes out of a payload, as the client spelled it. The texts share the payload's memory.
type notice struct {
	failure failure
	request request
	server  server
	details string // JSON

	minified bool // where minified frames come from is looked up
}

// failure is the error object of a payload.
type failure struct {
	present     bool
	token       string
	class       string
	message     string
	fingerprint string
	tags        []string
	trace       trace
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

// Options is for whom a notice is read, and how.
type Options struct {
	Project sett.KeyedProject
	Now     time.Time
	Scrub   *scrub.Rules // what is removed from the notice; nil removes nothing
	Hints   Hints        // for a notice that was made of what another protocol reports

	Original func(*Code) // finds where minified frames come from, to group by that; nil if the project has no source maps
}

// Parse makes the report of a notice for a project. It checks all of body, removes what the rules of the project match, and takes out
// what grouping, counting and searching need. It keeps body, or the memory of f, as the report's body; nothing else of the report shares
// memory with them. Counts are what was removed. Every error is a *sett.Error: Malformed when body is no JSON, Invalid when it is not a
// notice, TooLarge.
//
// A client may send any field with any type (wire.md §2.3, clients.md "Type zoo"). A key that comes twice counts as it
// comes last, like in every decoder.
func Parse(body []byte, o Options, f *Facets) (*sett.Report, scrub.Counts, error) {
	body = bytes.TrimPrefix(body, []byte("\uFEFF"))
	if err := check(body); err != nil {
		return nil, scrub.Counts{}, err
	}
	clean, counts := o.Scrub.Notice(body, f.clean[:0])
	if counts.Total() > 0 {
		f.clean, body = clean, clean
	}
	n := notice{minified: o.Original != nil}
	if err := n.read(body); err != nil {
		return nil, scrub.Counts{}, err
	}
	if n.minified {
		n.unminify(o.Original)
	}
	e := n.event(body, o.Project, f)
	e.Hints = o.Hints
	return e.report(o.Project, o.Now), counts, nil
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

func (n *notice) read(body []byte) error {
	// The scanner reads body in place: nothing changes body while it is parsed, and a report keeps only copies of its
	// texts. Copying it first would cost a tenth of all parsing.
	s := scanner{scan.New(unsafe.String(&body[0], len(body)))}
	isObject := s.Peek() == '{'
	s.notice(n)
	switch err := s.End(); {
	case err != nil:
		return err
	case !isObject:
		return sett.Errorf(sett.Invalid, "The notice must be a JSON object that contains an \"error\" object.")
	case !n.failure.present:
		return sett.Errorf(sett.Invalid, "The notice has no \"error\" object. Send one with at least a class or a message.")
	}
	return nil
}

// scanner walks the JSON of a notice.
type scanner struct{ scan.Scanner }

func (s *scanner) notice(n *notice) {
	for key := range s.Members {
		switch key {
		case "error":
			n.failure = s.failure(n.minified)
		case "request":
			n.request = s.request()
		case "server":
			n.server = s.server()
		case "details":
			n.details = s.Value()
		default:
			s.Value()
		}
	}
}

func (s *scanner) failure(minified bool) (f failure) {
	f.present = s.Peek() == '{'
	for key := range s.Members {
		switch key {
		case "token":
			f.token = s.Text()
		case "class":
			f.class = s.Text()
		case "message":
			f.message = s.Text()
		case "fingerprint":
			f.fingerprint = s.Text()
		case "tags":
			f.tags = s.tags()
		case "backtrace":
			f.trace = s.trace(minified)
		default:
			s.Value()
		}
	}
	return f
}

func (s *scanner) request() (r request) {
	for key := range s.Members {
		switch key {
		case "url":
			r.url = s.Text()
		case "component":
			r.component = s.Text()
		case "action":
			r.action = s.Text()
		case "context":
			r.context = s.Value()
		case "params":
			r.params = s.Value()
		case "session":
			r.session = s.Value()
		case "cgi_data":
			r.cgi = s.Value()
		default:
			s.Value()
		}
	}
	return r
}

func (s *scanner) server() (v server) {
	for key := range s.Members {
		switch key {
		case "environment_name":
			v.environment = s.Text()
		case "hostname":
			v.hostname = s.Text()
		case "revision":
			v.revision = s.Text()
		case "version":
			v.version = s.Text()
		case "project_root":
			v.root = s.rootOf()
		default:
			s.Value()
		}
	}
	return v
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
