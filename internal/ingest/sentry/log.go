package sentry

import (
	"strings"
	"time"

	"sett/internal/ingest/ndjson"
	"sett/internal/sett/insight"
	"sett/internal/sett/scan"
)

// Log is a line of a structured log, as an event.
type Log struct {
	insight.Event
	Bytes int // as JSON
}

// MostLogs is how many lines of a log are read of one request; the SDKs send at most 1,000.
const MostLogs = 10_000

// attributesOfLogs are attributes that events have under another name; those that begin with sentry.sdk. are left out.
var attributesOfLogs = map[string]string{
	"sentry.environment": "environment", "sentry.release": "revision", "server.address": "hostname",
}

// readLogs reads an item of type log.
func readLogs(_ *Reader, i Item, r Request) (c Content, _ error) {
	s := scan.NewLong(textOf(i.Payload), MostLogs*insight.MaxFields)
	for key := range s.Members {
		if key != "items" {
			s.Value()
			continue
		}
		for range s.Elements {
			if len(c.Logs) >= MostLogs {
				s.Value()
				c.LeftOut++
				continue
			}
			start := s.Pos()
			log := readLog(&s, r.ReceivedAt)
			log.Bytes = s.Pos() - start
			c.Logs = append(c.Logs, log)
		}
	}
	return c, s.End()
}

func readLog(s *scan.Scanner, now time.Time) (log Log) {
	log.At = insight.Micros(now)
	log.add(insight.TextField(insight.KeyType, "log"))
	for key := range s.Members {
		switch key {
		case "timestamp":
			if at := readTime(s); ndjson.Plausible(at, now) {
				log.At = insight.Micros(at)
			}
		case "level":
			log.text("severity", scalar(s))
		case "body":
			log.text("message", s.Text())
		case "trace_id", "span_id":
			log.text(key, scalar(s))
		case "attributes":
			for name := range s.Members {
				log.attribute(name, readAttribute(s))
			}
		default:
			s.Value()
		}
	}
	return log
}

// readAttribute returns the JSON of an attribute's value; "" if it has none.
func readAttribute(s *scan.Scanner) (json string) {
	for key := range s.Members {
		if key == "value" {
			json = s.Value()
		} else {
			s.Value()
		}
	}
	return json
}

func (l *Log) attribute(name, json string) {
	if strings.HasPrefix(name, "sentry.sdk.") || json == "" {
		return
	}
	if own := attributesOfLogs[name]; own != "" {
		name = own
	}
	for _, f := range ndjson.Flatten(name, json) {
		l.add(f)
	}
}

func (l *Log) text(key, text string) {
	if text != "" {
		l.add(insight.TextField(key, text))
	}
}

// add adds a field, unless the key is there.
func (l *Log) add(f insight.Field) {
	if _, known := l.Get(f.Key); !known && len(l.Fields) < insight.MaxFields {
		l.Fields = append(l.Fields, f)
	}
}
