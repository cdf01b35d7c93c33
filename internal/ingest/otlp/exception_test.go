package otlp

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"

	"sett/internal/ingest/event"
	"sett/internal/ingest/notice"
	"sett/internal/sett"
)

// spans returns a request with spans, in JSON.
func spans(spans ...string) []byte {
	return []byte(`{"resource_spans":[{"scope_spans":[{"spans":[` + strings.Join(spans, ",") + `]}],"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}}]}}]}`)
}

// span returns a span in which exceptions of a type occurred.
func span(trace, id, parent string, types ...string) string {
	var events []string
	for _, kind := range types {
		events = append(events, fmt.Sprintf(`{"name":"exception","timeUnixNano":1795382553978958881,"attributes":[{"key":"exception.type","value":{"stringValue":%q}}]}`, kind))
	}
	return fmt.Sprintf(`{"traceId":%q,"spanId":%q,"parentSpanId":%q,"name":"span %s","events":[%s]}`, padded(trace, 32), padded(id, 16), parent, id, strings.Join(events, ","))
}

func idOfSpan(id string) string { return padded(id, 16) }

// padded returns an id in so many digits.
func padded(id string, digits int) string { return strings.Repeat("0", digits-len(id)) + id }

// Each error is there once, of the outermost span that it left.
func TestOutermost(t *testing.T) {
	t.Parallel()
	a := func(parent string, types ...string) string { return span("1", "a", parent, types...) }
	for name, c := range map[string]struct {
		spans []string
		want  []string // spans and classes
	}{
		"one":                          {[]string{a("", "E")}, []string{"span a: E"}},
		"twice in a span":              {[]string{a("", "E", "E")}, []string{"span a: E"}},
		"two in a span":                {[]string{a("", "E", "F")}, []string{"span a: E", "span a: F"}},
		"left three spans":             {[]string{span("1", "c", idOfSpan("b"), "E"), span("1", "b", idOfSpan("a"), "E"), a("", "E")}, []string{"span a: E"}},
		"the outer span comes first":   {[]string{a("", "E"), span("1", "b", idOfSpan("a"), "E")}, []string{"span a: E"}},
		"a span between without it":    {[]string{span("1", "c", idOfSpan("b"), "E"), span("1", "b", idOfSpan("a")), a("", "E")}, []string{"span a: E"}},
		"in two branches":              {[]string{span("1", "c", idOfSpan("a"), "E"), span("1", "b", idOfSpan("a"), "E"), a("")}, []string{"span c: E", "span b: E"}},
		"another trace":                {[]string{span("2", "b", idOfSpan("a"), "E"), a("", "E")}, []string{"span b: E", "span a: E"}},
		"its own parent":               {[]string{a(idOfSpan("a"), "E")}, []string{"span a: E"}},
		"another one outside":          {[]string{span("1", "b", idOfSpan("a"), "E"), a("", "F")}, []string{"span b: E", "span a: F"}},
		"of no trace, without a token": {[]string{span("0", "0", "", "E"), span("0", "0", "", "E")}, []string{"span 0: E", "span 0: E"}},
	} {
		b, err := Read(spans(c.spans...), Traces, JSON)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var got []string
		for _, e := range b.Exceptions {
			n := e.Notice()
			got = append(got, n.Action+": "+n.Class)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestTooMany(t *testing.T) {
	t.Parallel()
	var types []string
	for i := range maxExceptions + 7 {
		types = append(types, fmt.Sprintf("E%d", i))
	}
	b, err := Read(spans(span("1", "a", "", types[:500]...), span("1", "b", "", types[500:]...)), Traces, JSON)
	if err != nil || len(b.Exceptions) != maxExceptions || b.LeftOut != 7 {
		t.Errorf("%d exceptions, %d left out, %v", len(b.Exceptions), b.LeftOut, err)
	}
}

// attributesOf returns the JSON of attributes with text values.
func attributesOf(pairs ...string) string {
	var all []string
	for i := 0; i < len(pairs); i += 2 {
		all = append(all, fmt.Sprintf(`{"key":%q,"value":{"stringValue":%q}}`, pairs[i], pairs[i+1]))
	}
	return "[" + strings.Join(all, ",") + "]"
}

func logs(records ...string) []byte {
	return []byte(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[` + strings.Join(records, ",") + `]}]}]}`)
}

func record(rest string, pairs ...string) string {
	return `{"attributes":` + attributesOf(pairs...) + rest + `}`
}

func one(t *testing.T, body []byte, signal Signal) notice.Notice {
	t.Helper()
	b, err := Read(body, signal, JSON)
	if err != nil || len(b.Exceptions) != 1 {
		t.Fatalf("%d exceptions, %v, in %s", len(b.Exceptions), err, body)
	}
	return b.Exceptions[0].Notice()
}

func TestRecords(t *testing.T) {
	t.Parallel()
	n := one(t, logs(record(`,"severityNumber":21,"body":{"kvlistValue":{"values":[{"key":"a","value":{"arrayValue":{"values":[{"intValue":"42"},{"doubleValue":"NaN"},{"doubleValue":1.50},{"boolValue":true},{}]}}}]}}`,
		"exception.type", "Refused", "code.filepath", "/srv/shop/pay.py", "code.lineno", "7", "code.function", "pay")), Logs)
	if n.Class != "Refused" || n.Message != `{"a":[42,"NaN",1.5,true,null]}` || n.Token != "" || n.Time != "" {
		t.Errorf("the notice is %+v", n)
	}
	if diff := cmp.Diff([]notice.Frame{{File: "/srv/shop/pay.py", Line: 7, Method: "pay"}}, n.Backtrace); diff != "" {
		t.Errorf("frames (-want +got):\n%s", diff)
	}
	for severity, want := range map[int]string{1: "debug", 9: "info", 13: "warning", 17: "error", 20: "error", 21: "fatal", 24: "fatal", 99: "fatal"} {
		n := one(t, logs(record(fmt.Sprintf(`,"severityNumber":%d`, severity), "exception.message", "no")), Logs)
		if n.Level != want || len(n.Tags) > 0 {
			t.Errorf("severity %d has the level %q, want %q, and the tags %q", severity, n.Level, want, n.Tags)
		}
	}
	if b, err := Read(logs(record(`,"body":{"stringValue":"hello"},"severityNumber":17`, "order", "42")), Logs, JSON); err != nil || len(b.Exceptions) != 0 {
		t.Errorf("a record without an exception: %d, %v", len(b.Exceptions), err)
	}
}

// A record that is sent again is the same notice, and no other record is.
func TestTokensOutsideTraces(t *testing.T) {
	t.Parallel()
	first := one(t, logs(record(`,"timeUnixNano":"5"`, "exception.type", "A")), Logs).Token
	for rest, same := range map[string]bool{`,"timeUnixNano":5`: true, `,"observedTimeUnixNano":"5"`: true, `,"timeUnixNano":"6"`: false, `,"timeUnixNano":"5","body":{"stringValue":"x"}`: false} {
		if got := one(t, logs(record(rest, "exception.type", "A")), Logs).Token; (got == first) != same || got == "" {
			t.Errorf("%s has the token %q, the first has %q", rest, got, first)
		}
	}
}

// The class has its module, whichever signal leaves it out.
func TestClasses(t *testing.T) {
	t.Parallel()
	const trace = "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nshop.Refused: no card\n"
	tokens := map[string]bool{}
	for _, kind := range []string{"Refused", "shop.Refused", "__main__.Refused"} {
		n := one(t, logs(record(`,"traceId":"00000000000000000000000000000001","spanId":"0000000000000002"`, "exception.type", kind, "exception.message", "no card", "exception.stacktrace", trace)), Logs)
		if tokens[n.Token] = true; n.Class != "shop.Refused" {
			t.Errorf("%s has the class %s", kind, n.Class)
		}
	}
	if len(tokens) != 1 {
		t.Errorf("the tokens are %v", tokens)
	}
	n := one(t, logs(record(`,"traceId":"00000000000000000000000000000001","spanId":"0000000000000002"`, "exception.type", "*fmt.wrapError", "exception.message", "no card")), Logs)
	if !tokens[n.Token] {
		t.Error("a type that only wraps makes another notice")
	}
	const java = "org.shop.Pay$Refused: no card\n\tat org.shop.Pay.charge(Pay.java:7)\n"
	for _, kind := range []string{"org.shop.Pay$Refused", "org.shop.Pay.Refused"} {
		if n := one(t, logs(record("", "exception.type", kind, "exception.stacktrace", java)), Logs); n.Class != "org.shop.Pay$Refused" {
			t.Errorf("%s has the class %s", kind, n.Class)
		}
	}
	if n := one(t, logs(record("", "exception.type", "Other", "exception.stacktrace", trace)), Logs); n.Class != "Other" || n.Message != "no card" {
		t.Errorf("the class is %q, the message %q", n.Class, n.Message)
	}
}

func TestURL(t *testing.T) {
	t.Parallel()
	for want, pairs := range map[string][]string{
		"https://a.test/b?c=d":     {"url.full", "https://a.test/b?c=d", "url.path", "/x"},
		"http://a.test/":           {"http.url", "http://a.test/"},
		"https://a.test:8443/b?c":  {"url.scheme", "https", "server.address", "a.test", "server.port", "8443", "url.path", "/b", "url.query", "c"},
		"https://b.test/b":         {"url.scheme", "https", "server.address", "b.test", "server.port", "443", "url.path", "/b"},
		"http://a.test:80/b?c=d#e": {"http.host", "a.test:80", "http.target", "/b?c=d#e"},
		"/b":                       {"url.path", "/b"},
		"":                         {"url.scheme", "https"},
	} {
		if got := one(t, logs(record("", append(pairs, "exception.type", "A")...)), Logs).URL; got != want {
			t.Errorf("the URL of %v is %q, want %q", pairs, got, want)
		}
	}
}

// message returns a message that is inside so many lists.
func message(depth int) []byte {
	value := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), "x")
	for range depth {
		list := protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), value)
		value = protowire.AppendBytes(protowire.AppendTag(nil, 5, protowire.BytesType), list)
	}
	for _, field := range []protowire.Number{5, 2, 2, 1} { // the body of a record, in a scope, in a resource
		value = protowire.AppendBytes(protowire.AppendTag(nil, field, protowire.BytesType), value)
	}
	return value
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"arrayValue":{"values":[`, 40)
	for name, c := range map[string]struct {
		body     string
		encoding Encoding
		code     sett.Code
	}{
		"empty protobuf":        {"", Protobuf, ""},
		"flat protobuf":         {string(message(maxDepth)), Protobuf, ""},
		"deep protobuf":         {string(message(maxDepth + 1)), Protobuf, sett.Invalid},
		"JSON as protobuf":      {"{}", Protobuf, sett.Malformed},
		"truncated":             {"\x0a\x05a", Protobuf, sett.Malformed},
		"empty JSON":            {"", JSON, sett.Malformed},
		"a list":                {"[]", JSON, sett.Malformed},
		"truncated JSON":        {`{"resourceLogs":[`, JSON, sett.Malformed},
		"another signal":        {`{"resourceSpans":[{}]}`, JSON, ""},
		"deep JSON":             {`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":` + deep, JSON, sett.Invalid},
		"what is null in JSON":  {`{"resourceLogs":[null,{"scopeLogs":null},{"scopeLogs":[{"logRecords":[null,7]}]}]}`, JSON, ""},
		"what is no UTF-8":      {"{\"resourceLogs\":\"\xff\"}", JSON, sett.Malformed},
		"a field in a new form": {"\x1d\x00\x00\x00\x00", Protobuf, ""},
	} {
		if _, err := Read([]byte(c.body), Logs, c.encoding); sett.CodeOf(err) != c.code || (err == nil) != (c.code == "") {
			t.Errorf("%s: %v, want %q", name, err, c.code)
		}
	}
}

func TestEncodingOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		contentType, body string
		want              Encoding
	}{
		{"application/json; charset=utf-8", "\x0a", JSON},
		{"application/x-protobuf", "{", Protobuf},
		{"text/plain", " {", JSON},
		{"", "\x0a", Protobuf},
		{"", "", JSON},
	} {
		if got := EncodingOf(c.contentType, []byte(c.body)); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// One request cannot make notices that are much longer than itself.
func TestSharedAttributesHaveBounds(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 15<<10)
	var pairs []string
	for i := range 100 {
		pairs = append(pairs, fmt.Sprintf("a%d", i), long)
	}
	n := one(t, logs(record("", append(pairs, "b", strings.Repeat("y", 20<<10), "exception.type", "A")...)), Logs)
	if size := len(n.Append(nil, event.MaxNotice)); size > mostValues+1<<10 || size < mostValues/2 {
		t.Errorf("the notice has %d bytes", size)
	}
}

// However a request is made, reading it takes time and memory that its length allows.
func BenchmarkReadHostile(b *testing.B) {
	in := func(number protowire.Number, message []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), message)
	}
	times := func(message []byte) []byte { return bytes.Repeat(message, 8<<20/len(message)) }
	kind := in(3, slices.Concat(in(1, []byte("exception.type")), in(2, in(1, []byte("E")))))
	event := in(11, slices.Concat(in(2, []byte("exception")), kind))
	for name, body := range map[string][]byte{
		"resources":  times(in(1, nil)),
		"scopes":     in(1, times(in(2, nil))),
		"spans":      in(1, in(2, times(in(2, slices.Concat(in(1, []byte("0123456789abcdef")), in(2, []byte("01234567")), in(4, []byte("12345678"))))))),
		"events":     in(1, in(2, in(2, times(event)))),
		"exceptions": in(1, in(2, times(in(2, slices.Concat(in(1, []byte("0123456789abcdef")), event))))),
		"attributes": in(1, in(2, in(2, times(in(9, in(1, []byte("a"))))))),
		"lists":      in(1, in(2, in(2, in(9, in(2, in(5, times(in(1, nil)))))))),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Read(body, Traces, Protobuf); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
