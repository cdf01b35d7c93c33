// Package sample reads the body of a request that was kept in a file, without knowing in which protocol it was sent. It takes the body and returns the
// notices that intake would make of it, each with its hints about grouping and a few words that say what it was; a notice is explained by the code of intake. The protocols' own packages read the body. The
// package never stores anything, and takes no compressed bodies.
package sample

import (
	"bytes"
	"fmt"
	"time"

	"sett/internal/ingest/airbrake"
	"sett/internal/ingest/event"
	"sett/internal/ingest/otlp"
	"sett/internal/ingest/sentry"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/regroup"
	"sett/internal/sett/scan"
)

// Sample is a notice of a body.
type Sample struct {
	Way    string // how it was sent
	Notice []byte
	Hints  event.Hints
}

// Explanation and FrameNote are what is explained of a notice.
type (
	Explanation = event.Explanation
	FrameNote   = event.FrameNote
)

// Explain says how the notice is grouped in a project with rules of its own, and why.
func (s Sample) Explain(projectID int64, rules *regroup.Rules) (*Explanation, error) {
	return event.Explain(s.Notice, event.Options{Project: accounts.KeyedProject{ProjectID: projectID}, Hints: s.Hints, Rules: rules})
}

// Read returns the notices of a body. The error is Invalid if it is of no known kind or has none, or that of its protocol.
func Read(body []byte, now time.Time) (samples []Sample, err error) {
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\uFEFF")))
	if len(body) > 0 && body[0] != '{' {
		samples, _ = readOTLP(body, otlp.Protobuf, otlp.Traces, otlp.Logs) // what is no protobuf may be any text
	} else if first, _, more := bytes.Cut(body, []byte("\n")); more && isObject(first) {
		samples, err = readEnvelope(body, now)
	} else {
		samples, err = readObject(body, now)
	}
	if err == nil && len(samples) == 0 {
		err = sett.Errorf(sett.Invalid, "No error is in it. It must be the body of a request with an error: a notice, an envelope or event of Sentry's protocol, a notice of Airbrake's, or a batch of OTLP.")
	}
	return samples, err
}

// isObject reports whether a text is one whole JSON object.
func isObject(text []byte) bool {
	s := scan.New(string(text))
	object := s.Peek() == '{'
	for range s.Members {
		s.Value()
	}
	return object && s.End() == nil
}

func readObject(body []byte, now time.Time) ([]Sample, error) {
	has := map[string]bool{}
	s := scan.New(string(body))
	for key := range s.Members {
		has[key] = true
		s.Value()
	}
	switch {
	case has["resourceSpans"]:
		return readOTLP(body, otlp.JSON, otlp.Traces)
	case has["resourceLogs"]:
		return readOTLP(body, otlp.JSON, otlp.Logs)
	case has["errors"] && !has["error"]:
		return readAirbrake(body)
	case !has["error"] && (has["exception"] || has["logentry"] || has["event_id"] || has["message"]):
		return readEvent(sentry.Item{Type: "event", Payload: body}, sentry.Request{ReceivedAt: now})
	default:
		return []Sample{{Way: "a notice", Notice: body}}, nil
	}
}

func readEnvelope(body []byte, now time.Time) (samples []Sample, err error) {
	envelope, err := sentry.ReadEnvelope(body)
	if err != nil {
		return nil, fmt.Errorf("read envelope: %w", err)
	}
	for _, item := range envelope.Items {
		if item.Type != "event" {
			continue
		}
		of, err := readEvent(item, sentry.Request{ReceivedAt: now, SentAt: envelope.SentAt, EventID: envelope.EventID})
		if err != nil {
			return nil, err
		}
		samples = append(samples, of...)
	}
	return samples, nil
}

func readEvent(item sentry.Item, from sentry.Request) ([]Sample, error) {
	c, err := new(sentry.Reader).Read(item, from)
	if err != nil || c.Event == nil {
		return nil, err
	}
	e := c.Event
	hints := event.Hints{Class: e.Class, Message: e.Template, ByMessage: e.Message, Default: sentry.DefaultGrouping}
	return []Sample{{"an event of Sentry's protocol", e.Notice.Append(nil, event.MaxNotice), hints}}, nil
}

func readAirbrake(body []byte) ([]Sample, error) {
	report, err := airbrake.Read(body)
	if err != nil {
		return nil, err
	}
	return []Sample{{"a notice of Airbrake's protocol", report.Notice.Append(nil, event.MaxNotice), event.Hints{Message: report.Pattern}}}, nil
}

func readOTLP(body []byte, encoding otlp.Encoding, signals ...otlp.Signal) (samples []Sample, err error) {
	for _, signal := range signals {
		batch, err := otlp.Read(body, signal, encoding)
		if err != nil {
			return nil, err
		}
		for _, e := range batch.Exceptions {
			n := e.Notice()
			samples = append(samples, Sample{"an exception of OTLP", n.Append(nil, event.MaxNotice), event.Hints{}})
		}
		if len(samples) > 0 {
			return samples, nil
		}
	}
	return nil, nil
}
