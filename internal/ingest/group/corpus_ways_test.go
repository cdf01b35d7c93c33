package group_test

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"sett/internal/ingest/event"
	"sett/internal/ingest/otlp"
	"sett/internal/ingest/sentry"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
)

// way is a protocol that carries an event into sett. It returns the key of the event's error; "" if the protocol cannot carry the event.
type way struct {
	name string
	key  func(*testing.T, *failure) grouped
}

var envelopes = way{"envelope", keyOfEnvelope}

var ways = []way{
	{"notices", keyOfNotice}, envelopes, {"store", keyOfStore}, {"airbrake", keyOfAirbrake}, {"otlp", keyOfSpan}, {"otlp logs", keyOfRecord},
}

// grouped is how the rules group an event.
type grouped struct{ first, second faults.Grouping }

func (g grouped) none() bool { return g.first.Rule == 0 }

// rule is a version of the grouping rule.
type rule int

const first, second rule = 1, 2

// errorsOf numbers the errors from 1 that the events of a situation become by a rule, when they come in the order of their releases; 0 for events that the protocol cannot
// carry.
func (w way) errorsOf(t *testing.T, s *situation, r rule) map[*failure]int {
	var events []*failure
	for _, group := range s.all {
		events = append(events, group...)
	}
	slices.SortStableFunc(events, func(a, b *failure) int { return cmp.Compare(a.Release, b.Release) })
	errors, count := map[*failure]int{}, 0
	byKey, of := map[[16]byte]int{}, []int{}
	var known []faults.KnownGrouping
	for _, f := range events {
		g := w.key(t, f)
		if g.none() {
			continue
		}
		key := g.first.Key
		if r == second {
			key = g.second.Key
		}
		n, ok := byKey[key]
		if !ok && r == second {
			if i, why := faults.Continues(current(known, of, errors, s, g.second.Revision), g.second); why != "" {
				n, ok = of[i], true
			}
		}
		if !ok {
			count++
			n = count
		}
		byKey[key], errors[f] = n, n
		known, of = append(known, faults.KnownGrouping{Grouping: g.second}), append(of, n)
	}
	return errors
}

// current marks the known errors that have failed in a revision.
func current(known []faults.KnownGrouping, of []int, errors map[*failure]int, s *situation, revision string) []faults.KnownGrouping {
	now := slices.Clone(known)
	for i := range now {
		now[i].Here, now[i].Late = false, true
		for f, n := range errors {
			now[i].Here = now[i].Here || n == of[i] && f.Release == revision
		}
	}
	return now
}

type object map[string]any

// client is how Honeybadger's client of a platform sends frames.
type client struct {
	name   string
	rooted bool // "[PROJECT_ROOT]/" is in place of the directory of the application
	marked bool // a context says which frames are the application's
}

var honeybadgers = map[string]client{
	"ruby": {name: "honeybadger-ruby", rooted: true}, "node": {name: "@honeybadger-io/js", rooted: true}, "javascript": {name: "@honeybadger-io/js"},
	"python": {name: "Honeybadger for Python"}, "java": {name: "io.honeybadger:honeybadger-java", marked: true}, "php": {name: "honeybadger-php", marked: true},
	"elixir": {name: "honeybadger-elixir", marked: true}, "csharp": {name: "Honeybadger", marked: true}, "rust": {name: "honeybadger-rust", rooted: true},
}

// keyOfNotice sends an event as the contract's client of its platform.
func keyOfNotice(t *testing.T, f *failure) grouped {
	c := honeybadgers[f.Platform]
	failure := object{"class": cmp.Or(f.Class, "Message"), "message": f.Message, "backtrace": c.backtrace(f, f.Frames)}
	var causes []object
	for _, cause := range f.Causes {
		causes = append(causes, object{"class": cause.Class, "message": cause.Message, "backtrace": c.backtrace(f, cause.Frames)})
	}
	failure["causes"] = causes
	return keyOf(t, encode(t, object{
		"notifier": object{"name": cmp.Or(c.name, "honeybadger-"+f.Platform), "language": f.Platform},
		"error":    failure, "request": object{"component": f.Route},
		"server": object{"environment_name": "production", "revision": f.Release, "project_root": f.Root},
	}), event.Hints{})
}

func (c client) backtrace(f *failure, frames []frame) []object {
	all := []object{}
	for _, line := range frames {
		o := object{"file": cmp.Or(line.Path, line.File), "method": line.method(f.Platform)}
		if c.rooted {
			o["file"] = c.rootedFile(f, line)
		}
		if line.Line > 0 {
			o["number"] = line.Line
		}
		if line.Col > 0 {
			o["column"] = line.Col
		}
		if line.Source != "" {
			above, text, _ := strings.Cut(line.Source, "\n")
			o["source"] = object{strconv.Itoa(line.Line - 1): above, strconv.Itoa(line.Line): text}
		}
		if c.marked {
			o["context"] = "all"
			if line.App != nil && *line.App {
				o["context"] = "app"
			}
		}
		all = append(all, o)
	}
	return all
}

func (c client) rootedFile(f *failure, line frame) string {
	file := cmp.Or(line.Path, line.File)
	if _, gem, ok := strings.Cut(file, "/gems/"); ok && f.Platform == "ruby" {
		return "[GEM_ROOT]/gems/" + gem
	}
	if rest, ok := strings.CutPrefix(file, f.Root+"/"); ok && f.Root != "" {
		return "[PROJECT_ROOT]/" + rest
	}
	return file
}

// method is how printed traces of a platform name a function.
func (l frame) method(platform string) string {
	switch {
	case l.Func == "" && (platform == "javascript" || platform == "node"):
		return "<unknown>"
	case (platform == "java" || platform == "go" || platform == "csharp") && l.Module != "" && l.Func != "":
		return l.Module + "." + l.Func
	default:
		return l.Func
	}
}

// keyOfEnvelope sends an event as Sentry's client of its platform.
func keyOfEnvelope(t *testing.T, f *failure) grouped {
	c, err := new(sentry.Reader).Read(sentry.Item{Type: "event", Payload: encode(t, f.sentry())}, sentry.Request{ReceivedAt: received})
	if err != nil || c.Event == nil {
		t.Fatalf("%s %s: %v", f.Class, f.Message, err)
	}
	e := c.Event
	return keyOf(t, e.Notice.Append(nil, event.MaxNotice), event.Hints{Class: e.Class, Message: e.Template, ByMessage: e.Message, Default: sentry.DefaultGrouping})
}

// sentry is the event as Sentry's clients write it.
func (f *failure) sentry() object {
	o := object{"platform": f.Platform, "sdk": object{"name": f.SDK}, "release": f.Release, "environment": "production"}
	if f.Route != "" {
		o["transaction"], o["transaction_info"] = f.Route, object{"source": "route"}
	}
	if f.Class == "" && len(f.Frames) == 0 {
		o["logentry"] = object{"formatted": f.Message, "message": cmp.Or(f.Template, f.Message)}
		return o
	}
	values := []object{f.exception(f.Class, f.Message, f.Frames)}
	for _, c := range f.Causes {
		values = append(values, f.exception(c.Class, c.Message, c.Frames))
	}
	slices.Reverse(values)
	o["exception"] = object{"values": values}
	return o
}

func (f *failure) exception(class, message string, frames []frame) object {
	o := object{"type": class, "value": message}
	if at := strings.LastIndexByte(class, '.'); f.Platform == "java" && at > 0 {
		o["module"], o["type"] = class[:at], class[at+1:]
	}
	all := []object{}
	for _, l := range slices.Backward(frames) {
		line := object{"filename": l.File, "abs_path": cmp.Or(l.Path, l.File), "function": cmp.Or(l.Func, "?")}
		if l.Module != "" {
			line["module"] = l.Module
		}
		if l.Line > 0 {
			line["lineno"] = l.Line
		}
		if l.Col > 0 {
			line["colno"] = l.Col
		}
		if l.App != nil {
			line["in_app"] = *l.App
		}
		if l.Source != "" {
			above, text, _ := strings.Cut(l.Source, "\n")
			line["pre_context"], line["context_line"] = []string{above}, text
		}
		all = append(all, line)
	}
	if len(all) > 0 {
		o["stacktrace"] = object{"frames": all}
	}
	return o
}

// keyOfSpan sends an event with the text of its trace, as an exporter of OpenTelemetry does.
func keyOfSpan(t *testing.T, f *failure) grouped {
	if f.Trace == "" {
		return grouped{}
	}
	attribute := func(key, value string) object { return object{"key": key, "value": object{"stringValue": value}} }
	exception := object{"name": "exception", "timeUnixNano": "1795820000000000000", "attributes": []object{
		attribute("exception.type", f.Class), attribute("exception.message", f.Message), attribute("exception.stacktrace", f.printed()),
	}}
	span := object{"traceId": strings.Repeat("1a", 16), "spanId": strings.Repeat("2b", 8), "name": f.Route, "events": []object{exception}}
	batch, err := otlp.Read(encode(t, object{"resourceSpans": []object{{
		"resource":   object{"attributes": []object{attribute("deployment.environment.name", "production"), attribute("service.version", f.Release)}},
		"scopeSpans": []object{{"spans": []object{span}}},
	}}}), otlp.Traces, otlp.JSON)
	if err != nil || len(batch.Exceptions) != 1 {
		t.Fatalf("%s %s: %d exceptions, %v", f.Class, f.Message, len(batch.Exceptions), err)
	}
	n := batch.Exceptions[0].Notice()
	return keyOf(t, n.Append(nil, event.MaxNotice), event.Hints{})
}

// received is when sett gets the events.
var received = time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)

// keyOf reads a notice as intake does, and returns the key of its error.
func keyOf(t *testing.T, body []byte, hints event.Hints) grouped {
	project := accounts.KeyedProject{ProjectID: 1, AccountID: "acc", Active: true}
	report, _, err := event.Parse(body, event.Options{Project: project, Now: received, Hints: hints}, new(event.Facets))
	if err != nil {
		t.Fatalf("%.200s: %v", body, err)
	}
	return grouped{report.Former, report.Grouping}
}

func encode(t testing.TB, value any) []byte {
	t.Helper()
	body, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return body
}
