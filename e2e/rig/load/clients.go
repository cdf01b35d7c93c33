package load

import (
	"encoding/json"
	"fmt"
	"strings"
)

// reporter is how a kind of client reports.
type reporter struct {
	path      string
	body      func(report) []byte
	tokenless bool // its protocol has no id by which a report that is sent again is known
}

// unknownID is the id of a notice that was accepted by a server which does not say the id.
const unknownID = "unknown"

func (l *Load) kindOf(r report) reporter { return l.kinds[r.serial%len(l.kinds)] }

// NewOfAll is newLoad with clients of each protocol. A fault has the notices of one kind, as loadFaults is a multiple of their number.
func NewOfAll(key string) *Load {
	l := New(key)
	l.kinds = append(l.kinds,
		reporter{"/api/1/envelope/", sentryPayload, false},
		reporter{"/v1/logs", otlpPayload, false},
		reporter{"/api/v3/projects/1/notices", airbrakePayload, true},
	)
	return l
}

// SerialOf returns the serial number of the report with a message.
func SerialOf(message string) int {
	serial := -1
	_, _ = fmt.Sscanf(message, "cart %d has no price", &serial)
	return serial
}

// sentryPayload is an envelope of a Sentry SDK.
func sentryPayload(r report) []byte {
	frame := map[string]any{"filename": "app/cart.py", "function": "price", "lineno": 17, "in_app": true}
	event := map[string]any{
		"event_id":  strings.ReplaceAll(r.token, "-", ""),
		"exception": map[string]any{"values": []any{map[string]any{"type": ClassName(r.serial), "value": message(r.serial), "stacktrace": map[string]any{"frames": []any{frame}}}}},
		"user":      map[string]any{"id": fmt.Sprint(r.serial % 100)}, "environment": "production",
	}
	if r.token == "" {
		delete(event, "event_id")
	}
	return append([]byte("{}\n{\"type\":\"event\"}\n"), Encoded(event)...)
}

// otlpPayload is a batch of logs with one exception. The ids of its trace make it the same when it is sent again.
func otlpPayload(r report) []byte {
	record := map[string]any{"timeUnixNano": fmt.Sprint(1_795_382_553_000_000_000 + r.serial), "attributes": []any{
		otlpAttribute("exception.type", ClassName(r.serial)), otlpAttribute("exception.message", message(r.serial)), otlpAttribute("user.id", fmt.Sprint(r.serial%100)),
	}}
	if r.token != "" {
		id := strings.ReplaceAll(r.token, "-", "")
		record["traceId"], record["spanId"] = id, id[:16]
	}
	return Encoded(map[string]any{"resourceLogs": []any{map[string]any{"scopeLogs": []any{map[string]any{"logRecords": []any{record}}}}}})
}

func otlpAttribute(key, value string) map[string]any {
	return map[string]any{"key": key, "value": map[string]any{"stringValue": value}}
}

// airbrakePayload is a notice of an Airbrake client.
func airbrakePayload(r report) []byte {
	return Encoded(map[string]any{
		"errors":  []any{map[string]any{"type": ClassName(r.serial), "message": message(r.serial), "backtrace": []any{map[string]any{"file": "/PROJECT_ROOT/app/cart.go", "line": 17, "function": "cart.Price"}}}},
		"context": map[string]any{"environment": "production", "user": map[string]any{"id": r.serial % 100}},
	})
}

// Encoded returns a value as JSON.
func Encoded(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // plain values
	}
	return text
}
