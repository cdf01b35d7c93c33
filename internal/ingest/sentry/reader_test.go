package sentry_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"sett/internal/ingest/sentry"
	"sett/internal/sett/stats"
	"sett/internal/setttest/recording"
)

// What a Reader makes of an event does not depend on those that it has read before, however odd they were.
func TestReaderUsesMemoryAgain(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	again, read := new(sentry.Reader), 0
	for _, client := range recording.Clients(t) {
		for _, c := range recording.Captures(t, client) {
			env, err := sentry.ReadEnvelope(c.Plain(t))
			if err != nil {
				continue
			}
			for _, item := range env.Items {
				for i := range 20 {
					payload := bytes.Clone(item.Payload)
					if i > 0 {
						payload = recording.Mutated(payload, random)
					}
					got, want := written(again, payload), written(new(sentry.Reader), payload)
					if got != want {
						t.Fatalf("%s: %s\nis read as\n%s, want\n%s", c.Name, payload, got, want)
					}
					if clear(payload); i%7 == 0 {
						again.Forget()
					}
					read++
				}
			}
		}
	}
	if read < 1000 {
		t.Errorf("%d events are read", read)
	}
}

// written returns the notice that a Reader makes of an event, with what a notice cannot say.
func written(r *sentry.Reader, payload []byte) string {
	c, err := r.Read(sentry.Item{Type: "event", Payload: payload}, sentry.Request{ReceivedAt: received})
	switch {
	case err != nil:
		return err.Error()
	case c.Event == nil:
		return fmt.Sprint(*c.Feedback)
	}
	return fmt.Sprint(string(c.Event.Notice.Append(nil, 256<<10)), c.Event.Template, c.Event.Message)
}

// What is kept for longer than a request is no part of its body, whose memory the next request uses.
func TestWhatIsKeptIsNoPartOfTheBody(t *testing.T) {
	t.Parallel()
	body := []byte(`{"dsn":"https://sett_p_abc@errors.example.test/1"}` + "\n")
	key := sentry.KeyOfEnvelope(body)
	report := []byte(`{"discarded_events":[{"reason":"queue_overflow","category":"error","quantity":2},{"reason":"mine","category":"mine","quantity":3}]}`)
	c, err := new(sentry.Reader).Read(sentry.Item{Type: "client_report", Payload: report}, sentry.Request{})
	if err != nil {
		t.Fatal(err)
	}
	clear(body)
	clear(report)
	if key != "sett_p_abc" {
		t.Errorf("the key became %q", key)
	}
	want := []stats.Discard{
		{Source: stats.ByClient, Category: "error", Reason: "queue_overflow", Count: 2},
		{Source: stats.ByClient, Category: "other", Reason: "other", Count: 3},
	}
	if !slices.Equal(c.Discards, want) {
		t.Errorf("the discards became %+v, want %+v", c.Discards, want)
	}
}
