package otlp

import (
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"
	"unicode/utf8"

	"sett/internal/base/moment"
	"sett/internal/ingest/notice"
	"sett/internal/sett/scan"
)

// document reads a request in JSON (opentelemetry.io/docs/specs/otlp, "JSON Protobuf Encoding"). Keys may be in either spelling that
// protobuf's JSON has.
type document struct {
	*batch
	scan.Scanner
}

func (b *batch) readJSON(body []byte, signal Signal) error {
	text := string(body)
	if !utf8.ValidString(text) {
		return errNotOTLP("JSON", "it is not in UTF-8")
	}
	d := document{batch: b, Scanner: scan.NewLong(text, maxKeys)}
	if d.Peek() != '{' {
		return errNotOTLP("JSON", "an object was expected")
	}
	for key := range d.Members {
		if k := camel(key); k == "resourceLogs" && signal == Logs || k == "resourceSpans" && signal == Traces || k == "resourceMetrics" && signal == Metrics {
			for range d.Elements {
				d.resource(signal)
			}
			continue
		}
		d.Value()
	}
	return d.End()
}

// camel returns a key such as resource_logs as resourceLogs.
func camel(key string) string {
	for {
		i := strings.IndexByte(key, '_')
		if i < 0 || i+1 >= len(key) {
			return key
		}
		key = key[:i] + strings.ToUpper(key[i+1:i+2]) + key[i+2:]
	}
}

func (d *document) resource(signal Signal) {
	var resource attributes
	var scopes []*origin
	for key := range d.Members {
		switch camel(key) {
		case "resource":
			for key := range d.Members {
				if key == "attributes" {
					resource = d.attributes()
				} else {
					d.Value()
				}
			}
		case "scopeLogs", "scopeSpans", "scopeMetrics":
			for range d.Elements {
				o, before := new(origin), d.found()
				if d.scope(signal, o); d.found() > before {
					scopes = append(scopes, o)
				}
			}
		default:
			d.Value()
		}
	}
	for _, o := range scopes {
		o.resource = resource
	}
}

func (d *document) scope(signal Signal, o *origin) {
	for key := range d.Members {
		switch k := camel(key); {
		case k == "scope":
			d.scopeName(o)
		case k == "logRecords" && signal == Logs:
			for range d.Elements {
				d.record(o)
			}
		case k == "spans" && signal == Traces:
			for range d.Elements {
				d.span(o)
			}
		case k == "metrics" && signal == Metrics:
			for range d.Elements {
				d.Value()
				d.dropped++
			}
		default:
			d.Value()
		}
	}
}

func (d *document) scopeName(o *origin) {
	for key := range d.Members {
		switch key {
		case "name":
			o.scope.name = d.Text()
		case "version":
			o.scope.version = d.Text()
		default:
			d.Value()
		}
	}
}

func (d *document) record(o *origin) {
	e := Exception{origin: o, place: new(place)}
	var observed uint64
	for key := range d.Members {
		switch camel(key) {
		case "timeUnixNano":
			e.at = d.time()
		case "observedTimeUnixNano":
			observed = d.time()
		case "severityNumber":
			e.severity = int(min(d.unsigned(), 100))
		case "body":
			e.body = d.any()
		case "attributes":
			e.attributes = d.attributes()
		case "traceId":
			e.place.trace = d.id()
		case "spanId":
			e.place.span = d.id()
		default:
			d.Value()
		}
	}
	if e.at == 0 {
		e.at = observed
	}
	switch {
	case d.Err() != nil:
	case e.attributes.exception():
		d.add(&e)
	default:
		d.addLog(e)
	}
}

func (d *document) span(o *origin) {
	at := new(place)
	var found []*Exception
	for key := range d.Members {
		switch camel(key) {
		case "traceId":
			at.trace = d.id()
		case "spanId":
			at.span = d.id()
		case "parentSpanId":
			at.parent = d.id()
		case "name":
			at.name = d.Text()
		case "attributes":
			at.attributes = d.attributes()
		case "events":
			for range d.Elements {
				if e := d.event(); e != nil && len(found) <= maxExceptions {
					e.origin, e.place = o, at
					found = append(found, e)
				}
			}
		default:
			d.Value()
		}
	}
	if d.Err() != nil {
		return
	}
	d.addSpan(at)
	for _, e := range found {
		d.add(e)
	}
}

// event returns an event of a span if it is an exception, else nil.
func (d *document) event() *Exception {
	var e Exception
	name := ""
	for key := range d.Members {
		switch camel(key) {
		case "timeUnixNano":
			e.at = d.time()
		case "name":
			name = d.Text()
		case "attributes":
			e.attributes = d.attributes()
		default:
			d.Value()
		}
	}
	if name != exceptionEvent || !e.attributes.exception() {
		return nil
	}
	return &e
}

func (d *document) attributes() (a attributes) {
	for range d.Elements {
		d.keyValue(a.add)
	}
	return a
}

func (d *document) keyValue(add func(key string, v value)) {
	name, v := "", value{}
	for key := range d.Members {
		switch key {
		case "key":
			name = d.Text()
		case "value":
			v = d.any()
		default:
			d.Value()
		}
	}
	add(name, v)
}

// any reads an AnyValue. The scanner bounds its depth.
func (d *document) any() (v value) {
	for key := range d.Members {
		switch camel(key) {
		case "stringValue":
			v = textValue(d.Text())
		case "boolValue":
			v = scalar(d.Value(), "true", "false")
		case "intValue":
			v = integer(d.Text())
		case "doubleValue":
			v = double(d.Text())
		case "arrayValue":
			v = d.list()
		case "kvlistValue":
			v = d.object()
		case "bytesValue":
			v = textValue(d.Text())
		default:
			d.Value()
		}
	}
	return v
}

func (d *document) list() value {
	var l list
	for key := range d.Members {
		if key != "values" {
			d.Value()
			continue
		}
		for range d.Elements {
			l.add(d.any())
		}
	}
	return l.value()
}

func (d *document) object() value {
	var o object
	for key := range d.Members {
		if key != "values" {
			d.Value()
			continue
		}
		for range d.Elements {
			d.keyValue(o.add)
		}
	}
	return o.value()
}

// scalar returns a value that is one of some words, and any other as text.
func scalar(json string, words ...string) value {
	for _, word := range words {
		if json == word {
			return jsonValue(notice.JSON(json))
		}
	}
	return textValue(strings.Trim(json, `"`))
}

// integer returns a number of 64 bits, which JSON has as a text or a number.
func integer(text string) value {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return jsonValue(notice.JSON(strconv.FormatInt(n, 10)))
	}
	return textValue(text)
}

// double returns a number, or a text such as NaN.
func double(text string) value {
	if d, err := strconv.ParseFloat(text, 64); err == nil {
		return doubleValue(d)
	}
	return textValue(text)
}

// unsigned reads a number of 64 bits, as text or number; 0 if it is none.
func (d *document) unsigned() uint64 {
	n, err := strconv.ParseUint(d.Text(), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// time reads nanoseconds since 1970, or a time that is written in another way.
func (d *document) time() uint64 {
	text := d.Text()
	if n, err := strconv.ParseUint(text, 10, 64); err == nil {
		return n
	}
	at, ok := moment.Read(text)
	if !ok || at.Unix() <= 0 {
		return 0
	}
	return uint64(at.UnixNano())
}

// id reads the id of a trace or span: in hexadecimal, as OTLP has it, or in base64, as other JSON of protobuf does.
func (d *document) id() string {
	text := d.Text()
	if id, err := hex.DecodeString(text); err == nil && (len(id) == 16 || len(id) == 8) {
		return idOf(id)
	}
	if id, err := base64.StdEncoding.DecodeString(text); err == nil && (len(id) == 16 || len(id) == 8) {
		return idOf(id)
	}
	return ""
}
