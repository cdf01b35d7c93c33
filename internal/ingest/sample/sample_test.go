package sample

import (
	"testing"
	"time"

	"sett/internal/ingest/event"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
)

func TestBodiesOfAllProtocolsAreExplained(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	exception := `"exception":{"values":[{"type":"A","value":"b","stacktrace":{"frames":[{"filename":"cart.py","function":"pay","lineno":4,"in_app":true}]}}]}`
	span := `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a","spanId":"2b2b2b2b2b2b2b2b","events":[{"name":"exception","timeUnixNano":"1795820000000000000",` +
		`"attributes":[{"key":"exception.type","value":{"stringValue":"A"}},{"key":"exception.message","value":{"stringValue":"b"}},` +
		`{"key":"exception.stacktrace","value":{"stringValue":"Traceback (most recent call last):\n  File \"/srv/shop/cart.py\", line 4, in pay\n    x()\nA: b"}}]}]}]}]}]}`
	for name, c := range map[string]struct{ body, way string }{
		"notice":   {`{"error":{"class":"A","message":"b","backtrace":[{"file":"cart.py","method":"pay","number":"4"}]}}`, "a notice"},
		"event":    {`{"event_id":"1",` + exception + `}`, "an event of Sentry's protocol"},
		"envelope": {"{}\n{\"type\":\"session\"}\n{}\n{\"type\":\"event\"}\n{" + exception + "}\n", "an event of Sentry's protocol"},
		"airbrake": {`{"errors":[{"type":"A","message":"b","backtrace":[{"file":"cart.py","function":"pay","line":4}]}]}`, "a notice of Airbrake's protocol"},
		"otlp":     {span, "an exception of OTLP"},
	} {
		samples, err := Read([]byte(c.body), now)
		if err != nil || len(samples) != 1 || samples[0].Way != c.way {
			t.Errorf("%s: %d samples, %v", name, len(samples), err)
			continue
		}
		x, err := event.Explain(samples[0].Notice, event.Options{Project: accounts.KeyedProject{ProjectID: 1}, Now: now, Hints: samples[0].Hints})
		if err != nil || x.Grouping.Class != "A" || x.Grouping.Method != "pay" || x.Grouping.Line != "4" || len(x.Frames) != 1 || !x.Frames[0].Decides {
			t.Errorf("%s: %+v, %v", name, x, err)
		}
	}
	wrapped := `{"platform":"go","exception":{"values":[{"type":"*os.PathError","value":"open x: gone"},{"type":"*fmt.wrapError","value":"read the cart: open x: gone",` +
		`"stacktrace":{"frames":[{"filename":"cart.go","function":"pay","lineno":4,"in_app":true}]}}]}}`
	samples, err := Read([]byte(wrapped), now)
	if err != nil || len(samples) != 1 {
		t.Fatalf("%d samples, %v", len(samples), err)
	}
	options := event.Options{Project: accounts.KeyedProject{ProjectID: 1}, Now: now, Hints: samples[0].Hints}
	x, err := event.Explain(samples[0].Notice, options)
	report, _, failed := event.Parse(samples[0].Notice, options, new(event.Facets))
	if err != nil || failed != nil || x.Grouping.Key != report.Grouping.Key || x.Grouping.Inside != "*fmt.wrapError" {
		t.Errorf("an error around another is explained as %+v, %v; intake has %+v, %v", x, err, report, failed)
	}
	for _, body := range []string{"", "{}\n{\"type\":\"session\"}\n{}\n", `{"resourceSpans":[]}`} {
		if _, err := Read([]byte(body), now); sett.CodeOf(err) != sett.Invalid && body != "" {
			t.Errorf("%q: %v", body, err)
		}
	}
}
