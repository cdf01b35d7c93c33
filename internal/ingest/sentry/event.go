package sentry

import (
	"cmp"
	"strings"
	"time"
	"unicode/utf8"

	"sett/internal/ingest/notice"
	"sett/internal/sett"
	"sett/internal/sett/scan"
)

// event is an event as a client sent it: what sett uses of it.
type event struct {
	id, kind, level, platform, logger    string
	transaction, transactionSource       string
	culprit                              string // what old clients say instead of transaction
	release, dist, environment, hostname string
	at                                   time.Time

	message     message // of a message, which has no exception
	exceptions  []exception
	emptyValues bool // some of the values of exception were none
	threads     []thread
	frames      []frame // a backtrace without an exception, newest call last, as all of Sentry's

	fingerprint []string
	crumbs      []notice.Breadcrumb
	crumbTimes  []time.Time // of each of crumbs, by the client's clock
	request     request
	user        user
	contexts    contexts
	tags, extra []notice.Member
	modules     notice.JSON
	images      notice.JSON
	sdk         sdk
}

// message is a text and what it was made of.
type message struct {
	formatted, template string
	params              notice.JSON
}

type sdk struct {
	name, version string
	senderIsUser  bool // the address of the sender is the user's
}

// contexts are sections of an event by name.
type contexts struct {
	details  []notice.Member // what describes the machine and the program
	own      []notice.Member // what the application said
	device   string          // name of the machine
	traceID  string
	feedback notice.JSON
}

// mostKeys is how many keys an event may have: a thousand frames, as of an endless recursion, have more than 10,000.
const mostKeys = 200_000

// readEvent reads an event. The error is Malformed if it is not JSON, Invalid if it is not an object or has too many levels or keys.
func (m *Reader) readEvent(payload []byte) (*event, error) {
	m.Forget()
	if !utf8.Valid(payload) {
		return nil, sett.Errorf(sett.Malformed, "The event is not valid UTF-8: see byte %d. Send JSON in UTF-8.", sett.FirstInvalid(payload)+1)
	}
	s := scan.NewLong(textOf(payload), mostKeys)
	e := &m.event
	isObject := s.Peek() == '{'
	for key := range s.Members {
		m.member(&s, key)
	}
	if err := s.End(); err != nil {
		return nil, err
	}
	if !isObject {
		return nil, errNoEvent
	}
	return e, nil
}

// member reads one member of an event.
func (m *Reader) member(s *scan.Scanner, key string) {
	e := &m.event
	switch key = nameOf(key); key {
	case "exception":
		e.exceptions = m.readExceptions(s, emptied(e.exceptions))
	case "threads":
		e.threads = m.readThreads(s, emptied(e.threads))
	case "stacktrace":
		e.frames = m.readStack(s)
	case "breadcrumbs":
		m.readBreadcrumbs(s)
	case "request":
		e.request = e.request.emptied()
		e.request.read(s)
	case "user":
		e.user = user{all: emptied(e.user.all)}
		e.user.read(s)
	case "contexts":
		e.contexts = e.contexts.emptied()
		e.contexts.read(s)
	case "tags":
		pairs(s, func(key string) { e.tags = append(e.tags, notice.Member{Key: key, Value: notice.JSON(s.Value())}) })
	case "extra":
		e.extra = readExtra(s, emptied(e.extra))
	case "message":
		e.message.add(readMessage(s))
	case "logentry":
		e.message.add(readMessage(s))
	case "fingerprint":
		e.fingerprint = texts(s)
	case "modules":
		e.modules = object(s)
	case "debug_meta":
		e.images = readImages(s)
	case "sdk":
		e.sdk = readSDK(s)
	case "timestamp":
		e.at = readTime(s)
	case "transaction_info":
		e.transactionSource = memberText(s, "source")
	default:
		e.text(s, key)
	}
}

// former are the names of members before 2017, which old clients still send: those of the classes of the server that read them.
var former = map[string]string{
	"sentry.interfaces.Exception": "exception", "sentry.interfaces.Stacktrace": "stacktrace", "sentry.interfaces.Message": "logentry", "sentry.interfaces.Http": "request",
	"sentry.interfaces.User": "user", "sentry.interfaces.Breadcrumbs": "breadcrumbs", "sentry.interfaces.Contexts": "contexts", "sentry.interfaces.threads.Threads": "threads",
}

// nameOf returns the name that a member has today.
func nameOf(key string) string {
	if strings.HasPrefix(key, "sentry.interfaces.") {
		return cmp.Or(former[key], key)
	}
	return key
}

// text reads one of the members that are texts, and skips any other.
func (e *event) text(s *scan.Scanner, key string) {
	switch key {
	case "event_id":
		e.id = scalar(s)
	case "type":
		e.kind = scalar(s)
	case "level":
		e.level = scalar(s)
	case "platform":
		e.platform = scalar(s)
	case "logger":
		e.logger = scalar(s)
	case "transaction":
		e.transaction = scalar(s)
	case "culprit":
		e.culprit = scalar(s)
	case "release":
		e.release = scalar(s)
	case "dist":
		e.dist = scalar(s)
	case "environment":
		e.environment = scalar(s)
	case "server_name":
		e.hostname = scalar(s)
	default:
		s.Value()
	}
}

// add takes in what another member says about the message.
func (m *message) add(other message) {
	if m.formatted == "" {
		m.formatted = other.formatted
	}
	if other.template != "" {
		m.template, m.params = other.template, other.params
	}
}

// readMessage reads a text, or an object with a template and what is put in it.
func readMessage(s *scan.Scanner) (m message) {
	if s.Peek() != '{' {
		m.formatted = scalar(s)
		return m
	}
	for key := range s.Members {
		switch key {
		case "formatted":
			m.formatted = scalar(s)
		case "message":
			m.template = scalar(s)
		case "params":
			m.params = notice.JSON(s.Value())
		default:
			s.Value()
		}
	}
	return m
}

func readSDK(s *scan.Scanner) (k sdk) {
	for key := range s.Members {
		switch key {
		case "name":
			k.name = scalar(s)
		case "version":
			k.version = scalar(s)
		case "settings":
			k.senderIsUser = memberText(s, "infer_ip") == "auto"
		default:
			s.Value()
		}
	}
	return k
}

// readExtra reads what the application added. sentry-cli puts all variables of the shell into it, tokens among them: those are left out.
func readExtra(s *scan.Scanner, all []notice.Member) []notice.Member {
	for key := range s.Members {
		if value := notice.JSON(s.Value()); key != "environ" {
			all = append(all, notice.Member{Key: key, Value: value})
		}
	}
	return all
}

func readImages(s *scan.Scanner) (images notice.JSON) {
	for key := range s.Members {
		if value := s.Value(); key == "images" {
			images = notice.JSON(value)
		}
	}
	return images
}

// emptied returns contexts without content, with the memory of these.
func (c *contexts) emptied() contexts {
	return contexts{details: emptied(c.details), own: emptied(c.own)}
}

func (c *contexts) read(s *scan.Scanner) {
	for key := range s.Members {
		value := s.Value()
		member := notice.Member{Key: key, Value: notice.JSON(value)}
		inside := scan.New(value)
		switch key {
		case "trace":
			c.traceID = memberText(&inside, "trace_id")
		case "device":
			c.device = memberText(&inside, "name")
			c.details = append(c.details, member)
		case "runtime", "os", "app", "browser":
			c.details = append(c.details, member)
		case "feedback":
			c.feedback = member.Value
		case "culture", "cloud_resource", "response", "replay":
		default:
			c.own = append(c.own, member)
		}
	}
}

// object returns an object as JSON, and "" for any other value.
func object(s *scan.Scanner) notice.JSON {
	isObject := s.Peek() == '{'
	if value := notice.JSON(s.Value()); isObject {
		return value
	}
	return ""
}

// memberText returns the text of one member of an object, and skips the rest.
func memberText(s *scan.Scanner, name string) (text string) {
	for key := range s.Members {
		if key == name {
			text = scalar(s)
		} else {
			s.Value()
		}
	}
	return text
}
