// Package insight reads, packs and queries structured events: what an application reports about itself beside its errors, such as requests,
// jobs and log lines. It packs events into chunks, which hold thousands of them by column, and answers searches in the language of errors
// and queries in a subset of BadgerQL with rows and statistics. It is pure: it knows no database, no project and no client, and it bounds
// what it holds, whatever it is given.
package insight

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"time"
)

// The bounds of an event. What is beyond them is cut or left out.
const (
	MaxFields = 256      // keys of an event
	MaxKey    = 128      // bytes of a key
	MaxText   = 16 << 10 // bytes of a value
	MaxDepth  = 8        // objects inside one another that get keys of their own
)

// Keep is how long events are stored.
const Keep = 7 * 24 * time.Hour

// The keys with a meaning of their own.
const (
	KeyTime = "ts"         // when an event occurred
	KeyType = "event_type" // such as "sql.active_record"
)

// RequestKeys are the keys under which events name the request or the trace that they belong to.
var requestKeys = []string{"request_id", "trace_id", "requestId", "traceId", "request.id", "correlation_context.request_id"}

// Field is a key with its value: a JSON text, number, true, false, null or array, on one line, and spelled in one way only; see Text.
type Field struct{ Key, Value string }

// Event is a structured event. A key occurs once. Keys of objects are joined with dots.
type Event struct {
	At     int64 // microseconds since 1970
	Fields []Field
}

// Get returns the value of a key; ok is false without it.
func (e Event) Get(key string) (v Value, ok bool) {
	text := e.Stored(key)
	return ReadValue(text), text != ""
}

// Stored returns the value of a key as its Field has it; "" without it.
func (e Event) Stored(key string) string {
	for _, f := range e.Fields {
		if f.Key == key {
			return f.Value
		}
	}
	return ""
}

// Time returns when the event occurred.
func (e Event) Time() time.Time { return time.UnixMicro(e.At).UTC() }

// size is how many bytes the event takes in memory, roughly.
func (e Event) size() (n int) {
	for _, f := range e.Fields {
		n += 32 + len(f.Key) + len(f.Value)
	}
	return n
}

// sortFields brings the fields into the order in which they are shown: the type first.
func (e Event) sortFields() {
	slices.SortFunc(e.Fields, func(a, b Field) int {
		if (a.Key == KeyType) != (b.Key == KeyType) {
			if a.Key == KeyType {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Key, b.Key)
	})
}

// errDamaged says that stored events are not what was written.
var errDamaged = errors.New("stored events are damaged")

// Append appends an event as it waits for a chunk: its time, the number of its fields, and these, each with its length before it.
func (e Event) Append(b []byte) []byte {
	b = binary.AppendVarint(b, e.At)
	b = binary.AppendUvarint(b, uint64(len(e.Fields)))
	for _, f := range e.Fields {
		b = append(binary.AppendUvarint(b, uint64(len(f.Key))), f.Key...)
		b = append(binary.AppendUvarint(b, uint64(len(f.Value))), f.Value...)
	}
	return b
}

// ReadEvents is the inverse of Append, for one event after another. They share memory with the text.
func ReadEvents(text string) (events []Event, err error) {
	r := reader{text: text}
	for r.text != "" && !r.failed {
		e := Event{At: r.signed()}
		n := r.number()
		if n > MaxFields {
			return nil, errDamaged
		}
		e.Fields = make([]Field, n)
		for i := range e.Fields {
			e.Fields[i] = Field{r.string(r.number()), r.string(r.number())}
		}
		events = append(events, e)
	}
	if r.failed {
		return nil, errDamaged
	}
	return events, nil
}

// reader reads varints and texts. Once something is not there, it has failed.
type reader struct {
	text   string
	failed bool
}

func (r *reader) number() int {
	var n uint64
	for i := 0; i < len(r.text) && i < binary.MaxVarintLen64; i++ {
		c := r.text[i]
		n |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			r.text = r.text[i+1:]
			return int(n & (1<<62 - 1))
		}
	}
	r.failed, r.text = true, ""
	return 0
}

func (r *reader) signed() int64 {
	var b [binary.MaxVarintLen64]byte
	n, length := binary.Varint(b[:copy(b[:], r.text)])
	if length <= 0 || length > len(r.text) {
		r.failed, r.text = true, ""
		return 0
	}
	r.text = r.text[length:]
	return n
}

func (r *reader) string(n int) string {
	if n > len(r.text) {
		r.failed, r.text = true, ""
		return ""
	}
	s := r.text[:n]
	r.text = r.text[n:]
	return s
}
