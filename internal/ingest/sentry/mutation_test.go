package sentry_test

import (
	"encoding/json"
	"slices"
	"testing"

	"sett/internal/event/payload"
	"sett/internal/ingest/event"
	"sett/internal/ingest/sentry"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
)

// An event that was cut off, or has values of other types than any client sends, is refused with a reason or becomes a notice that can be
// shown.
func TestMutatedEvents(t *testing.T) {
	t.Parallel()
	facets := new(event.Facets)
	for _, r := range items(t, "event") {
		for n := len(r.name) % 41; n < len(r.Payload); n += 41 {
			wantShown(t, r.name, r.Payload[:n], facets)
		}
		var root any
		if err := json.Unmarshal(r.Payload, &root); err != nil {
			t.Fatal(err)
		}
		i := len(r.name)
		swap(&root, func() {
			i++
			text, err := json.Marshal(root)
			if err != nil {
				t.Fatal(err)
			}
			wantShown(t, r.name, text, facets)
		}, func() any { return others[i%len(others)] })
	}
}

// others are put in the place of values.
var others = []any{nil, 1, -2.5, "text", true, []any{}, map[string]any{}, []any{[]any{"a", 1}, nil, map[string]any{"b": []any{}}}, map[string]any{"values": 7, "x": map[string]any{"y": nil}}}

// swap puts another value in the place of each value in v, one at a time, and calls each with it.
func swap(v *any, each func(), other func() any) {
	old := *v
	*v = other()
	each()
	*v = old
	switch inside := old.(type) {
	case map[string]any:
		for key, value := range inside {
			swap(&value, func() { inside[key] = value; each() }, other)
			inside[key] = value
		}
	case []any:
		for i := range inside[:min(len(inside), 3)] {
			swap(&inside[i], each, other)
		}
	}
}

func wantShown(t *testing.T, name string, text []byte, facets *event.Facets) {
	t.Helper()
	e, err := readEvent(new(sentry.Reader), text, sentry.Request{ReceivedAt: received})
	if err != nil {
		if code := sett.CodeOf(err); code != sett.Malformed && code != sett.Invalid {
			t.Fatalf("%s: %v\n%s", name, err, text)
		}
		return
	}
	out := e.Notice.Append(nil, event.MaxNotice)
	report, _, err := event.Parse(out, event.Options{
		Project: accounts.KeyedProject{ProjectID: 1}, Now: received, Hints: event.Hints{Message: e.Template, ByMessage: e.Message, Default: sentry.DefaultGrouping},
	}, facets)
	if err != nil {
		t.Fatalf("%s: %v\n%s\n%s", name, err, text, out)
	}
	if _, err := payload.Read(payload.Body{JSON: report.Body}, ""); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// Whatever is sent as an envelope, reading it ends, and what is read is part of it.
func FuzzEnvelope(f *testing.F) {
	for _, r := range items(f, "event", "check_in", "session", "sessions", "feedback", "client_report") {
		f.Add(slices.Concat([]byte("{}\n{\"type\":\""+r.Type+"\"}\n"), r.Payload))
	}
	f.Add([]byte("{}\n{\"type\":\"event\",\"length\":99999999}\n{}\n\n\n{\"type\":\"x\"}"))
	facets := new(event.Facets)
	f.Fuzz(func(t *testing.T, body []byte) {
		env, err := sentry.ReadEnvelope(body)
		if code := sett.CodeOf(err); err != nil && code != sett.Malformed && code != sett.Invalid {
			t.Fatal(err)
		}
		total := 0
		for _, item := range env.Items {
			total += len(item.Payload)
			wantShown(t, "", item.Payload, facets)
			_, _ = sentry.ReadSecurityReports(item.Payload, sentry.SecurityQuery{})
			_, _ = new(sentry.Reader).Read(item, sentry.Request{})
		}
		if total > len(body) {
			t.Fatalf("items of %d bytes came of %d", total, len(body))
		}
	})
}

func BenchmarkEvent(b *testing.B) {
	for _, r := range items(b, "event") {
		if r.name != "sentry-python/flask/01" && r.name != "sentry-node/exception/02" {
			continue
		}
		b.Run(r.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(r.Payload)))
			var out []byte
			facets := new(event.Facets)
			for b.Loop() {
				e, err := readEvent(new(sentry.Reader), r.Payload, sentry.Request{ReceivedAt: received})
				if err != nil {
					b.Fatal(err)
				}
				out = e.Notice.Append(out[:0], event.MaxNotice)
				o := event.Options{Project: accounts.KeyedProject{ProjectID: 1}, Now: received, Hints: event.Hints{Message: e.Template}}
				if _, _, err := event.Parse(out, o, facets); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
