// Package otlp reads the errors in logs and traces of OpenTelemetry, and the other log records. It takes the body of an OTLP/HTTP request,
// as protobuf or JSON. It returns a notice for each exception in it, once each, an event for each other log record, and the bodies that
// answer such a request. The package never reads requests, and leaves out all spans that are no exceptions.
package otlp

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"mime"
	"strconv"
	"strings"

	"sett/internal/sett"
)

// The bounds of a request. They are far above what SDKs send.
const (
	maxExceptions = 1_000
	maxAttributes = 256    // of one record, span, event or resource
	maxSpans      = 20_000 // whose parents are known
	maxDepth      = 32     // of lists and maps in one another
	maxKeys       = 500_000
	maxAncestors  = 100
)

// Signal is what a request contains.
type Signal string

// The signals. Of metrics nothing is read but how many there are.
const (
	Logs    Signal = "logs"
	Traces  Signal = "traces"
	Metrics Signal = "metrics"
)

// Encoding is how a request and its answer are encoded.
type Encoding int

// The encodings of OTLP/HTTP (opentelemetry.io/docs/specs/otlp, "OTLP/HTTP").
const (
	Protobuf Encoding = iota
	JSON
)

// EncodingOf returns the encoding of a request by its Content-Type, and where that says nothing, by the start of its body.
func EncodingOf(contentType string, body []byte) Encoding {
	switch kind, _, _ := mime.ParseMediaType(contentType); kind {
	case "application/json":
		return JSON
	case "application/x-protobuf", "application/protobuf":
		return Protobuf
	}
	if trimmed := strings.TrimLeft(string(body[:min(len(body), 64)]), " \t\r\n\uFEFF"); len(body) == 0 || strings.HasPrefix(trimmed, "{") {
		return JSON
	}
	return Protobuf
}

// Batch is what was found in a request.
type Batch struct {
	Exceptions []*Exception
	Logs       []*Log   // log records that are no exceptions
	LeftOut    int      // exceptions and logs beyond those that one request may have
	Dropped    int      // spans and metrics, which are not kept: only the exceptions in spans are
	Repairs    []string // sentences about what of the request was not as it was sent
}

// Says reports whether there is anything in the request.
func (b *Batch) Says() bool { return len(b.Exceptions)+len(b.Logs)+b.Dropped > 0 }

// Read reads the body of a request. Errors: Malformed for what is not in its encoding, Invalid for what is nested too deeply.
func Read(body []byte, signal Signal, encoding Encoding) (Batch, error) {
	b := batch{seen: map[string]bool{}, parents: map[string]string{}}
	var err error
	if encoding == JSON {
		err = b.readJSON(body, signal)
	} else {
		err = b.readProtobuf(body, signal)
	}
	if err != nil {
		return Batch{}, err
	}
	return Batch{Exceptions: b.outermost(), Logs: b.logs, LeftOut: b.leftOut, Dropped: b.dropped}, nil
}

// batch collects exceptions.
type batch struct {
	exceptions []*Exception
	logs       []*Log
	seen       map[string]bool   // their keys
	parents    map[string]string // of spans, by trace and span
	leftOut    int
	dropped    int // spans and metrics
}

// found returns how much was taken so far.
func (b *batch) found() int { return len(b.exceptions) + len(b.logs) }

// origin is what exceptions of one program and library share. It is complete only once all of the request was read.
type origin struct {
	resource attributes
	scope    struct{ name, version string }
}

// place is the span that an exception occurred in.
type place struct {
	trace, span string // ids in hexadecimal
	parent      string
	name        string
	attributes  attributes
}

// Exception is an error in a request.
type Exception struct {
	origin     *origin
	place      *place
	attributes attributes // of the log record or span event
	at         uint64     // nanoseconds since 1970; 0 if unknown
	body       value      // of a log record
	severity   int        // of a log record (1 to 24); 0 if unknown
}

// add takes an exception, unless it is there already.
func (b *batch) add(e *Exception) {
	if len(b.exceptions) == maxExceptions {
		b.leftOut++
		return
	}
	if key := e.key(e.place.span); key != "" {
		if b.seen[key] {
			return
		}
		b.seen[key] = true
	}
	b.exceptions = append(b.exceptions, e)
}

// addSpan takes note of a span, so that it is known which spans it is in.
func (b *batch) addSpan(p *place) {
	b.dropped++
	if p.parent != "" && len(b.parents) < maxSpans {
		b.parents[p.trace+p.span] = p.parent
	}
}

// outermost returns the exceptions without those that left their span and are reported of a span around it as well: SDKs record an error
// in each span that it passes. That of the outermost has all frames and the request.
func (b *batch) outermost() (all []*Exception) {
	for _, e := range b.exceptions {
		if !b.passedOn(e) {
			all = append(all, e)
		}
	}
	return all
}

func (b *batch) passedOn(e *Exception) bool {
	span := e.place.span
	for range maxAncestors {
		parent, ok := b.parents[e.place.trace+span]
		if !ok || parent == e.place.span {
			return false
		}
		if b.seen[e.key(parent)] {
			return true
		}
		span = parent
	}
	return false
}

// key is the same for an exception as a span event, as a log record and when it is sent again: its trace, span and message, or its type if it
// has no message. The type alone does not do: the SDK for Go reports *fmt.wrapError in a span and what is wrapped in a log, that for Python
// leaves out modules in logs. The key is "" for an exception outside all traces.
func (e *Exception) key(span string) string {
	if e.place.trace == "" {
		return ""
	}
	return digest(e.place.trace, span, cmp.Or(e.attributes.text("exception.message"), lastSegment(e.attributes.text("exception.type"))))
}

// Token returns what makes an exception the same notice when it is sent again, or in another signal; "" if nothing does. Of an exception
// that is a log record and a span event in two requests, the first one stays.
func (e *Exception) Token() string {
	if key := e.key(e.place.span); key != "" || e.at == 0 {
		return key
	}
	a, r := e.attributes, e.origin.resource
	return digest(strconv.FormatUint(e.at, 10), a.text("exception.type"), a.text("exception.message"), a.text("exception.stacktrace"), e.body.text,
		r.text("service.instance.id"), r.text("service.name"), r.text("host.name"), r.text("process.pid"))
}

func digest(parts ...string) string {
	h := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(h, "%d %s", len(part), part)
	}
	return "otlp-" + hex.EncodeToString(h.Sum(nil))
}

// lastSegment returns a type without its module, which some SDKs leave out in logs, and without the class around it, which Java writes in
// two ways.
func lastSegment(kind string) string {
	return kind[strings.LastIndexAny(kind, `./\:*$+`)+1:]
}

// errNotOTLP is the error for a body that cannot be read.
func errNotOTLP(encoding, detail string) error {
	return sett.Errorf(sett.Malformed, "The body is not valid %s: %s. Send an OTLP request, with the Content-Type that it is encoded in.", encoding, detail)
}

// errDeep is the error for a body that is nested too deeply.
func errDeep() error {
	return sett.Errorf(sett.Invalid, "The attributes are nested more than %d levels deep. Send flatter ones.", maxDepth)
}
