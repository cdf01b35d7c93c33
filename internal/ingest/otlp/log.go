package otlp

import (
	"cmp"
	"math"
	"time"

	"sett/internal/base/moment"
	"sett/internal/ingest/ndjson"
	"sett/internal/sett/insight"
)

// maxLogs is how many log records without an exception are read of one request.
const maxLogs = 10_000

// Log is a log record that is no exception.
type Log struct{ Exception }

// resourceOfLogs are attributes of resources that events have, with their names there.
var resourceOfLogs = map[string]string{
	"service.name": "service.name", "service.version": "revision", "host.name": "hostname", "deployment.environment.name": "environment", "deployment.environment": "environment",
}

// severities are the names of severities by their numbers (OpenTelemetry, "Logs Data Model"): four of each.
var severities = []string{"trace", "debug", "info", "warn", "error", "fatal"}

// Event returns the record as an event, and how many bytes it has. now is when it was received.
func (l *Log) Event(now time.Time) (e insight.Event, bytes int) {
	e.At = insight.Micros(now)
	if at := moment.OfUnix(int64(min(l.at, math.MaxInt64))); ndjson.Plausible(at, now) {
		e.At = insight.Micros(at)
	}
	add := func(key string, v value) {
		fields := []insight.Field{insight.TextField(key, v.text)}
		if v.json != "" {
			fields = ndjson.Flatten(key, string(v.json))
		}
		for _, f := range fields {
			if _, known := e.Get(f.Key); !known && f.Value != `""` && len(e.Fields) < insight.MaxFields {
				e.Fields = append(e.Fields, f)
				bytes += len(f.Key) + len(f.Value)
			}
		}
	}
	add(insight.KeyType, textValue("log"))
	if l.severity >= 1 && l.severity <= 4*len(severities) {
		add("severity", textValue(severities[(l.severity-1)/4]))
	}
	add("message", l.body)
	add("trace_id", textValue(l.place.trace))
	add("span_id", textValue(l.place.span))
	for _, a := range l.origin.resource {
		if name := resourceOfLogs[a.key]; name != "" {
			add(name, a.value)
		}
	}
	add("logger", textValue(l.origin.scope.name))
	for _, a := range l.attributes {
		add(cmp.Or(a.key, "attribute"), a.value)
	}
	return e, bytes
}

// addLog takes a log record that is no exception.
func (b *batch) addLog(e Exception) {
	if len(b.logs) == maxLogs {
		b.leftOut++
		return
	}
	b.logs = append(b.logs, &Log{e})
}
