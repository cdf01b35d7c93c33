package group_test

import (
	"cmp"
	"fmt"
	"maps"
	"strings"
	"testing"

	"sett/internal/ingest/airbrake"
	"sett/internal/ingest/event"
	"sett/internal/ingest/otlp"
	"sett/internal/ingest/sentry"
)

// keyOfStore sends an event to /store as clients did before envelopes: with names of their own, a list of exceptions, and a message as a text.
func keyOfStore(t *testing.T, f *failure) grouped {
	o := maps.Clone(f.sentry())
	if exception, ok := o["exception"].(object); ok {
		o["sentry.interfaces.Exception"] = exception["values"]
		delete(o, "exception")
	}
	if entry, ok := o["logentry"].(object); ok {
		o["message"], o["sentry.interfaces.Message"] = f.Message, object{"message": entry["message"], "params": []string{}, "formatted": f.Message}
		delete(o, "logentry")
	}
	o["event_id"], o["level"] = strings.Repeat("3c", 16), "error"
	c, err := new(sentry.Reader).Read(sentry.Item{Type: "event", Payload: encode(t, o)}, sentry.Request{ReceivedAt: received})
	if err != nil || c.Event == nil {
		t.Fatalf("%s %s: %v", f.Class, f.Message, err)
	}
	e := c.Event
	return keyOf(t, e.Notice.Append(nil, event.MaxNotice), event.Hints{Class: e.Class, Message: e.Template, ByMessage: e.Message, Default: sentry.DefaultGrouping})
}

// keyOfAirbrake sends an event as Airbrake's client of its platform, none of which marks frames.
func keyOfAirbrake(t *testing.T, f *failure) grouped {
	errors := []object{f.airbrake(cmp.Or(f.Class, "Message"), f.Message, f.Frames)}
	for _, c := range f.Causes {
		errors = append(errors, f.airbrake(c.Class, c.Message, c.Frames))
	}
	r, err := airbrake.Read(encode(t, object{"errors": errors, "context": object{
		"environment": "production", "version": f.Release, "rootDirectory": f.Root, "route": f.Route, "language": f.Platform, "messagePattern": f.Template,
	}}))
	if err != nil {
		t.Fatalf("%s %s: %v", f.Class, f.Message, err)
	}
	return keyOf(t, r.Notice.Append(nil, event.MaxNotice), event.Hints{Message: r.Pattern})
}

func (f *failure) airbrake(class, message string, frames []frame) object {
	all := []object{}
	for _, l := range frames {
		file := cmp.Or(l.Path, l.File)
		if rest, ok := strings.CutPrefix(file, f.Root+"/"); ok && f.Root != "" {
			file = "/PROJECT_ROOT/" + rest
		} else if _, gem, ok := strings.Cut(file, "/gems/"); ok && f.Platform == "ruby" {
			file = "/GEM_ROOT/gems/" + gem
		}
		all = append(all, object{"file": file, "function": l.method(f.Platform), "line": l.Line, "column": l.Col})
	}
	return object{"type": class, "message": message, "backtrace": all}
}

// printed is the trace as OpenTelemetry for the platform prints it.
func (f *failure) printed() string {
	if f.Trace == "" || f.Platform != "php" {
		return f.Trace
	}
	var b strings.Builder
	f.printTo(&b, "", f.Class, f.Message, f.Frames)
	for _, c := range f.Causes {
		f.printTo(&b, "Caused by: ", c.Class, c.Message, c.Frames)
	}
	return b.String()
}

// printTo writes one error as OpenTelemetry for PHP does.
func (f *failure) printTo(b *strings.Builder, before, class, message string, frames []frame) {
	fmt.Fprintf(b, "%s%s: %s\n", before, strings.ReplaceAll(class, `\`, "."), message)
	for _, l := range frames {
		name := strings.NewReplacer(`\`, ".", "::", ".", "->", ".").Replace(cmp.Or(l.Func, "{main}"))
		file := cmp.Or(l.Path, l.File)
		if place := fmt.Sprintf("%s:%d", file[strings.LastIndexByte(file, '/')+1:], l.Line); l.Line > 0 {
			fmt.Fprintf(b, " at %s(%s)\n", name, place)
		} else {
			fmt.Fprintf(b, " at %s(Unknown Source)\n", name)
		}
	}
}

// keyOfRecord sends an event as a log record of OpenTelemetry.
func keyOfRecord(t *testing.T, f *failure) grouped {
	if f.Trace == "" {
		return grouped{}
	}
	attribute := func(key, value string) object { return object{"key": key, "value": object{"stringValue": value}} }
	record := object{"timeUnixNano": "1795820000000000000", "severityNumber": 17, "body": object{"stringValue": "unhandled error"}, "attributes": []object{
		attribute("exception.type", f.Class), attribute("exception.message", f.Message), attribute("exception.stacktrace", f.printed()),
	}}
	batch, err := otlp.Read(encode(t, object{"resourceLogs": []object{{
		"resource":  object{"attributes": []object{attribute("deployment.environment.name", "production"), attribute("service.version", f.Release)}},
		"scopeLogs": []object{{"logRecords": []object{record}}},
	}}}), otlp.Logs, otlp.JSON)
	if err != nil || len(batch.Exceptions) != 1 {
		t.Fatalf("%s %s: %d exceptions, %v", f.Class, f.Message, len(batch.Exceptions), err)
	}
	n := batch.Exceptions[0].Notice()
	return keyOf(t, n.Append(nil, event.MaxNotice), event.Hints{})
}

// The reasons why situations come out otherwise in a way than as notices.
const (
	saysTemplate = "the client sends the template of a message, and a notice has none"
	marksNone    = "clients of Airbrake mark no frames; those of notices do"
	saysNoCode   = "clients of Airbrake send no lines of code"
	saysNoClass  = "frames of Airbrake have no class beside the method"
	saysNoCauses = "the text of the trace has no causes"
	saysPanic    = "the text has panic, above which frames only report it"
)

// otherwise is why pairs of a situation come out otherwise in a way than as notices: what one protocol says and the other cannot. A reader that takes something from
// an event, or reads it in another way, is not a reason.
var otherwise = map[string]map[string]string{
	"envelope": {"logging-templates": saysTemplate},
	"airbrake": {
		"logging-templates": saysTemplate, "symfony-container": marksNone, "symfony-proxies": marksNone, "php-compiled-twig": marksNone, "unity-il2cpp": saysNoClass,
		"node-swapped": saysNoCode, "php-swapped": saysNoCode, "python-swapped": saysNoCode, "ruby-swapped": saysNoCode,
	},
	"otlp": {"android-composite": saysNoCauses, "node-any": saysNoCauses, "node-cause": saysNoCauses, "node-fetch": saysNoCauses, "go-repanic": saysPanic},
}

// A pair comes out the same in every way that can carry it, but for what protocols cannot say. /store carries what an envelope does, and a log record what a
// span does.
func TestWaysAgree(t *testing.T) {
	t.Parallel()
	_, pairs := readCorpus(t)
	asNotices := verdicts(t, ways[0], pairs)
	for _, w := range ways[1:] {
		differ := map[string]int{}
		for p, together := range verdicts(t, w, pairs) {
			if together != asNotices[p] {
				differ[p.of.ID]++
			}
		}
		known := otherwise[cmp.Or(map[string]string{"store": "envelope", "otlp logs": "otlp"}[w.name], w.name)]
		for id, n := range differ {
			if known[id] == "" {
				t.Errorf("%s: %d pairs come out otherwise as %s than as notices", id, n, w.name)
			}
		}
		for id, why := range known {
			if differ[id] == 0 {
				t.Errorf("%s comes out the same as %s and as notices, so this is no reason any more: %s", id, w.name, why)
			}
		}
	}
}

// verdicts says which pairs come together in a way, of those that it can carry.
func verdicts(t *testing.T, w way, pairs []pair) map[pair]bool {
	all, errors := map[pair]bool{}, map[*situation]map[*failure]int{}
	for _, p := range pairs {
		if errors[p.of] == nil {
			errors[p.of] = w.errorsOf(t, p.of, second)
		}
		if a, b := errors[p.of][p.a], errors[p.of][p.b]; a != 0 && b != 0 {
			all[p] = a == b
		}
	}
	return all
}

// A violation of a Content Security Policy is one error by its directive and what it blocked, in both forms of reports, on whichever page; no event of the corpus
// can be a violation.
func TestViolations(t *testing.T) {
	t.Parallel()
	reportURI := func(page, directive, blocked string) object {
		return object{"csp-report": object{"document-uri": page, "violated-directive": directive + " 'self'", "blocked-uri": blocked, "source-file": page, "line-number": 7}}
	}
	reportTo := func(page, directive, blocked string) []object {
		return []object{{"type": "csp-violation", "body": object{"documentURL": page, "effectiveDirective": directive, "blockedURL": blocked, "sourceFile": page, "lineNumber": 9}}}
	}
	const pageA, pageB, cdn = "https://kiosk.example/a", "https://kiosk.example/orders/17", "https://cdn.example/"
	first := keyOfViolation(t, reportURI(pageA, "img-src", cdn+"1.png")).second.Key
	for name, c := range map[string]struct {
		report   any
		together bool
	}{
		"another page and picture": {reportURI(pageB, "img-src", cdn+"2.png"), true},
		"the Reporting API":        {reportTo(pageB, "img-src", cdn+"3.png"), true},
		"another directive":        {reportTo(pageA, "font-src", cdn+"1.png"), false},
		"another host":             {reportURI(pageA, "img-src", "https://ads.example/1.png"), false},
		"inline":                   {reportTo(pageA, "img-src", "inline"), false},
	} {
		if got := keyOfViolation(t, c.report).second.Key == first; got != c.together {
			t.Errorf("%s: together is %v", name, got)
		}
	}
}

// keyOfViolation sends a report as a browser does.
func keyOfViolation(t *testing.T, report any) grouped {
	notices, err := sentry.ReadSecurityReports(encode(t, report), sentry.SecurityQuery{Environment: "production"})
	if err != nil || len(notices) != 1 {
		t.Fatalf("%d notices, %v", len(notices), err)
	}
	return keyOf(t, notices[0].Append(nil, event.MaxNotice), event.Hints{ByMessage: true})
}
