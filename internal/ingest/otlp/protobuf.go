package otlp

import (
	"encoding/base64"
	"encoding/hex"
	"math"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"sett/internal/ingest/notice"
)

// protobuf reads messages in the protocol buffer encoding. The first error stays in err and ends all loops.
type protobuf struct {
	*batch
	err error
}

// field is one field of a message; one of the last two has its value.
type field struct {
	number protowire.Number
	kind   protowire.Type
	scalar uint64
	bytes  []byte
}

func (b *batch) readProtobuf(body []byte, signal Signal) error {
	p := protobuf{batch: b}
	p.fields(body, func(f field) {
		if f.number == 1 && f.kind == protowire.BytesType {
			p.resource(f.bytes, signal)
		}
	})
	return p.err
}

// fields calls yield with each field of a message. Groups, which OTLP does not have, are passed over.
func (p *protobuf) fields(message []byte, yield func(field)) {
	for len(message) > 0 && p.err == nil {
		number, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			p.err = errNotOTLP("protobuf", "a field has no valid tag, or the message is truncated")
			return
		}
		message = message[n:]
		size := protowire.ConsumeFieldValue(number, kind, message)
		if size < 0 {
			p.err = errNotOTLP("protobuf", "a field has no valid value, or the message is truncated")
			return
		}
		if f := (field{number: number, kind: kind}); f.read(message[:size]) {
			yield(f)
		}
		message = message[size:]
	}
}

// read reads the value of a field, which was checked, and reports whether it is of a kind that OTLP has.
func (f *field) read(value []byte) bool {
	switch f.kind {
	case protowire.BytesType:
		f.bytes, _ = protowire.ConsumeBytes(value)
	case protowire.Fixed64Type:
		f.scalar, _ = protowire.ConsumeFixed64(value)
	case protowire.VarintType:
		f.scalar, _ = protowire.ConsumeVarint(value)
	default:
		return false
	}
	return true
}

// is reports whether a field is the one with a number, in the type that it is defined with.
func (f *field) is(number protowire.Number, kind protowire.Type) bool {
	return f.number == number && f.kind == kind
}

// resource reads ResourceLogs, ResourceSpans or ResourceMetrics: what one program sent.
func (p *protobuf) resource(message []byte, signal Signal) {
	var resource attributes
	var scopes []*origin
	p.fields(message, func(f field) {
		switch {
		case f.is(1, protowire.BytesType):
			resource = p.attributesAt(1, f.bytes, resource)
		case f.is(2, protowire.BytesType):
			o, before := new(origin), p.found()
			if p.scope(f.bytes, signal, o); p.found() > before {
				scopes = append(scopes, o)
			}
		}
	})
	for _, o := range scopes {
		o.resource = resource
	}
}

// scope reads ScopeLogs, ScopeSpans or ScopeMetrics: what one library sent.
func (p *protobuf) scope(message []byte, signal Signal, o *origin) {
	p.fields(message, func(f field) {
		switch {
		case f.kind != protowire.BytesType:
		case f.number == 1:
			p.fields(f.bytes, func(f field) {
				if f.is(1, protowire.BytesType) {
					o.scope.name = clean(string(f.bytes))
				} else if f.is(2, protowire.BytesType) {
					o.scope.version = clean(string(f.bytes))
				}
			})
		case f.number == 2 && signal == Logs:
			p.record(f.bytes, o)
		case f.number == 2 && signal == Metrics:
			p.dropped++
		case f.number == 2:
			p.span(f.bytes, o)
		}
	})
}

func (p *protobuf) record(message []byte, o *origin) {
	e := Exception{origin: o, place: new(place)}
	var observed uint64
	p.fields(message, func(f field) {
		switch {
		case f.is(1, protowire.Fixed64Type):
			e.at = f.scalar
		case f.is(2, protowire.VarintType):
			e.severity = int(min(f.scalar, 100))
		case f.is(5, protowire.BytesType):
			e.body = p.value(f.bytes, 0)
		case f.is(6, protowire.BytesType):
			p.keyValue(f.bytes, 0, e.attributes.add)
		case f.is(9, protowire.BytesType):
			e.place.trace = idOf(f.bytes)
		case f.is(10, protowire.BytesType):
			e.place.span = idOf(f.bytes)
		case f.is(11, protowire.Fixed64Type):
			observed = f.scalar
		}
	})
	if e.at == 0 {
		e.at = observed
	}
	switch {
	case p.err != nil:
	case e.attributes.exception():
		p.add(&e)
	default:
		p.addLog(e)
	}
}

func (p *protobuf) span(message []byte, o *origin) {
	at := new(place)
	var found []*Exception
	p.fields(message, func(f field) {
		switch {
		case f.kind != protowire.BytesType:
		case f.number == 1:
			at.trace = idOf(f.bytes)
		case f.number == 2:
			at.span = idOf(f.bytes)
		case f.number == 4:
			at.parent = idOf(f.bytes)
		case f.number == 5:
			at.name = clean(string(f.bytes))
		case f.number == 9:
			p.keyValue(f.bytes, 0, at.attributes.add)
		case f.number == 11:
			if e := p.event(f.bytes); e != nil && len(found) <= maxExceptions {
				e.origin, e.place = o, at
				found = append(found, e)
			}
		}
	})
	if p.err != nil {
		return
	}
	p.addSpan(at)
	for _, e := range found {
		p.add(e)
	}
}

// event returns an event of a span if it is an exception, else nil.
func (p *protobuf) event(message []byte) *Exception {
	var e Exception
	name := ""
	p.fields(message, func(f field) {
		switch {
		case f.is(1, protowire.Fixed64Type):
			e.at = f.scalar
		case f.is(2, protowire.BytesType):
			name = string(f.bytes)
		case f.is(3, protowire.BytesType):
			p.keyValue(f.bytes, 0, e.attributes.add)
		}
	})
	if name != exceptionEvent || !e.attributes.exception() {
		return nil
	}
	return &e
}

// exceptionEvent is the name of span events that are exceptions (OpenTelemetry semantic conventions, "Exceptions").
const exceptionEvent = "exception"

// attributesAt adds the attributes in a field of a message to some.
func (p *protobuf) attributesAt(number protowire.Number, message []byte, a attributes) attributes {
	p.fields(message, func(f field) {
		if f.is(number, protowire.BytesType) {
			p.keyValue(f.bytes, 0, a.add)
		}
	})
	return a
}

// keyValue reads a KeyValue and hands it to add.
func (p *protobuf) keyValue(message []byte, depth int, add func(key string, v value)) {
	key, v := "", value{}
	p.fields(message, func(f field) {
		if f.is(1, protowire.BytesType) {
			key = clean(string(f.bytes))
		} else if f.is(2, protowire.BytesType) {
			v = p.value(f.bytes, depth)
		}
	})
	if p.err == nil {
		add(key, v)
	}
}

// value reads an AnyValue.
func (p *protobuf) value(message []byte, depth int) (v value) {
	if depth > maxDepth {
		p.err = errDeep()
		return v
	}
	p.fields(message, func(f field) {
		switch {
		case f.is(1, protowire.BytesType):
			v = textValue(string(f.bytes))
		case f.is(2, protowire.VarintType):
			v = jsonValue(notice.JSON(strconv.FormatBool(f.scalar != 0)))
		case f.is(3, protowire.VarintType):
			v = jsonValue(notice.JSON(strconv.FormatInt(int64(f.scalar), 10)))
		case f.is(4, protowire.Fixed64Type):
			v = doubleValue(math.Float64frombits(f.scalar))
		case f.is(5, protowire.BytesType):
			v = p.list(f.bytes, depth)
		case f.is(6, protowire.BytesType):
			v = p.object(f.bytes, depth)
		case f.is(7, protowire.BytesType):
			v = textValue(base64.StdEncoding.EncodeToString(f.bytes))
		}
	})
	return v
}

func (p *protobuf) list(message []byte, depth int) value {
	var l list
	p.fields(message, func(f field) {
		if f.is(1, protowire.BytesType) {
			l.add(p.value(f.bytes, depth+1))
		}
	})
	return l.value()
}

func (p *protobuf) object(message []byte, depth int) value {
	var o object
	p.fields(message, func(f field) {
		if f.is(1, protowire.BytesType) {
			p.keyValue(f.bytes, depth+1, o.add)
		}
	})
	return o.value()
}

// doubleValue returns a number as JSON, which has no infinity.
func doubleValue(d float64) value {
	if math.IsNaN(d) || math.IsInf(d, 0) {
		return textValue(strconv.FormatFloat(d, 'g', -1, 64))
	}
	return jsonValue(notice.JSON(strconv.FormatFloat(d, 'g', -1, 64)))
}

// idOf returns the id of a trace or span in hexadecimal; "" for one of zeros, which is none.
func idOf(id []byte) string {
	for _, b := range id {
		if b != 0 {
			return hex.EncodeToString(id[:min(len(id), 32)])
		}
	}
	return ""
}
