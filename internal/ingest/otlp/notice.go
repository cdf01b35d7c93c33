package otlp

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"sett/internal/base/moment"
	"sett/internal/ingest/notice"
	"sett/internal/ingest/stack"
)

// The keys of attributes that a notice has in places of their own, by the semantic conventions of OpenTelemetry and those before 2023.
var (
	keysOfURL    = []string{"url.full", "http.url"}
	keysOfMethod = []string{"http.request.method", "http.method"}
	keysOfAgent  = []string{"user_agent.original", "http.user_agent"}
	keysOfClient = []string{"client.address", "http.client_ip"}
	keysOfRoute  = []string{"http.route"}
	keysOfUserID = []string{"enduser.id", "user.id"}
	keysOfMail   = []string{"user.email"}
	keysOfName   = []string{"user.full_name", "user.name"}
	keysOfFile   = []string{"code.file.path", "code.filepath"}
	keysOfLine   = []string{"code.line.number", "code.lineno"}
	keysOfCode   = []string{"code.function.name", "code.function"}

	placed = slices.Concat(keysOfURL, keysOfMethod, keysOfAgent, keysOfClient, keysOfUserID, keysOfMail, keysOfName,
		[]string{"exception.type", "exception.message", "exception.stacktrace"})
)

// Notice returns the notice of an exception. The route and the span are its action, and it has no component: that would group, and an
// exception that comes as a log record has no span to take one from.
func (e *Exception) Notice() notice.Notice {
	a := slices.Concat(e.attributes, e.place.attributes)
	r := e.origin.resource
	errors := e.errors()
	n := notice.Notice{
		Token: e.Token(), Class: errors[0].Class, Message: errors[0].Message, Backtrace: errors[0].Backtrace, Causes: errors[1:], Level: e.level(),
		URL: urlOf(a), Action: cmp.Or(a.text(keysOfRoute...), e.place.name), Context: e.context(a),
		CGI: slices.Concat(
			notice.TextMember("REQUEST_METHOD", a.text(keysOfMethod...)),
			notice.TextMember("HTTP_USER_AGENT", a.text(keysOfAgent...)),
			notice.TextMember("REMOTE_ADDR", a.text(keysOfClient...)),
		),
		Environment: r.text("deployment.environment.name", "deployment.environment"),
		Hostname:    r.text("host.name"), Revision: r.text("service.version"), Time: e.time(), Details: e.details(), RequestID: e.place.trace,
		Notifier: notice.Notifier{
			Name: cmp.Or(r.text("telemetry.sdk.name"), "opentelemetry"), Version: r.text("telemetry.sdk.version"), Language: r.text("telemetry.sdk.language"),
		},
	}
	return n
}

// errors returns the exception and what led to it. The class in the stack trace is preferred if it is the same with a module before it: some
// SDKs leave that out in logs, and the fault must not depend on which signal comes first.
func (e *Exception) errors() []notice.Cause {
	trace := e.attributes.text("exception.stacktrace")
	errors := []notice.Cause{{}}
	if trace != "" {
		errors = stack.Parse(trace)
	}
	first := &errors[0]
	kind := e.attributes.text("exception.type")
	if kind != "" && (first.Class == "" || lastSegment(first.Class) != lastSegment(kind)) {
		first.Class = kind
	}
	first.Message = cmp.Or(e.attributes.text("exception.message"), e.body.text, first.Message)
	if len(first.Backtrace) == 0 {
		first.Backtrace = e.logged()
	}
	return errors
}

// logged returns where a log record was written, for one without a stack trace.
func (e *Exception) logged() []notice.Frame {
	file, method := e.attributes.text(keysOfFile...), e.attributes.text(keysOfCode...)
	if file == "" && method == "" {
		return nil
	}
	line, _ := strconv.Atoi(e.attributes.text(keysOfLine...))
	return []notice.Frame{{File: file, Line: max(line, 0), Method: method}}
}

// The first severities of their kinds (OpenTelemetry, "Logs Data Model").
const (
	severityInfo  = 9
	severityWarn  = 13
	severityError = 17
	severityFatal = 21
)

// level returns the severity of a log record; "" if it has none.
func (e *Exception) level() string {
	switch s := e.severity; {
	case s == 0:
		return ""
	case s >= severityFatal:
		return "fatal"
	case s >= severityError:
		return "error"
	case s >= severityWarn:
		return "warning"
	case s >= severityInfo:
		return "info"
	default:
		return "debug"
	}
}

// time returns when the exception occurred; "" if that is unknown, or not a time.
func (e *Exception) time() string {
	if e.at == 0 || e.at > math.MaxInt64 {
		return ""
	}
	return moment.OfUnix(int64(e.at)).Format(time.RFC3339Nano)
}

// context returns the user, what was logged beside the exception, and all attributes that have no other place.
func (e *Exception) context(a attributes) []notice.Member {
	members := slices.Concat(
		notice.TextMember("service.name", e.origin.resource.text("service.name")),
		notice.TextMember("span_id", e.place.span),
	)
	user := notice.Object(slices.Concat(
		notice.TextMember("id", a.text(keysOfUserID...)), notice.TextMember("email", a.text(keysOfMail...)), notice.TextMember("name", a.text(keysOfName...)),
	))
	if user != "" {
		members = append(members, notice.Member{Key: "user", Value: user})
	}
	if !e.body.empty() && e.attributes.text("exception.message") != "" {
		members = append(members, notice.Member{Key: "log", Value: e.body.asJSON()})
	}
	return append(members, a.members(func(key string) bool { return slices.Contains(placed, key) })...)
}

// details returns what is known of the program: its resource, and the library that reported.
func (e *Exception) details() (sections []notice.Member) {
	r := e.origin.resource
	if resource := notice.Object(r.members(func(string) bool { return false })); resource != "" {
		sections = append(sections, notice.Member{Key: "resource", Value: resource})
	}
	for _, s := range []struct{ section, name, version string }{
		{"os", "os.name", "os.version"}, {"runtime", "process.runtime.name", "process.runtime.version"}, {"browser", "browser.name", "browser.version"},
	} {
		if name := r.text(s.name); name != "" {
			sections = append(sections, notice.Member{Key: s.section, Value: notice.Object(slices.Concat(notice.TextMember("name", name), notice.TextMember("version", r.text(s.version))))})
		}
	}
	if model := r.text("device.model.name", "device.model.identifier"); model != "" {
		sections = append(sections, notice.Member{Key: "device", Value: notice.Object(notice.TextMember("model", model))})
	}
	scope := e.origin.scope
	if json := notice.Object(slices.Concat(notice.TextMember("name", scope.name), notice.TextMember("version", scope.version))); json != "" {
		sections = append(sections, notice.Member{Key: "scope", Value: json})
	}
	return sections
}

// urlOf returns the URL of a request, put together if the attributes have only its parts.
func urlOf(a attributes) string {
	if full := a.text(keysOfURL...); full != "" {
		return full
	}
	path := a.text("url.path", "http.target")
	host := a.text("server.address", "http.host", "net.host.name")
	if port := a.text("server.port", "net.host.port"); host != "" && port != "" && !strings.Contains(host, ":") && port != "80" && port != "443" {
		host += ":" + port
	}
	if path == "" && host == "" {
		return ""
	}
	if query := strings.TrimPrefix(a.text("url.query"), "?"); query != "" {
		path += "?" + query
	}
	if host == "" {
		return path
	}
	return cmp.Or(a.text("url.scheme", "http.scheme"), "http") + "://" + host + path
}
