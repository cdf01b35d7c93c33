package sentry_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/event/payload"
	"sett/internal/ingest/event"
	"sett/internal/ingest/repair"
	"sett/internal/ingest/sentry"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/setttest/recording"
)

var update = flag.Bool("update", false, "write the golden files anew")

// clients are those whose requests are recorded.
var clients = []string{"sentry-browser", "sentry-cli", "sentry-go", "sentry-java", "sentry-node", "sentry-python", "sentry-ruby", "sentry-rust"}

// received is shortly after the recordings were made.
var received = time.Date(2026, 11, 22, 23, 0, 0, 0, time.UTC)

// plainOf returns the body of a recorded request without its compression.
func plainOf(t testing.TB, c recording.Capture) []byte {
	t.Helper()
	body, err := new(event.Inflater).Plain(c.Body, c.Header.Get("Content-Encoding"), event.Bounds{Most: 8 << 20}, new([]byte), new(repair.Notes))
	if err != nil {
		t.Fatalf("%s: %v", c.Name, err)
	}
	return body
}

// recorded is an item of a recorded envelope.
type recorded struct {
	name string // of the request, and which item of it
	env  sentry.Envelope
	sentry.Item
}

// items returns all recorded items of some types.
func items(t testing.TB, types ...string) (all []recorded) {
	t.Helper()
	for _, client := range clients {
		for _, c := range recording.Captures(t, client) {
			target, err := url.Parse(c.Target)
			if err != nil {
				t.Fatal(err)
			}
			if path := strings.TrimSuffix(target.Path, "/"); !strings.HasSuffix(path, "/envelope") && !strings.HasSuffix(path, "/tunnel") {
				continue
			}
			env, err := sentry.ReadEnvelope(plainOf(t, c))
			if err != nil {
				t.Fatalf("%s: %v", c.Name, err)
			}
			for _, item := range env.Items {
				for _, kind := range types {
					if item.Type == kind {
						all = append(all, recorded{c.Name, env, item})
					}
				}
			}
		}
	}
	return all
}

// readEvent reads an item of type event, which says nothing as an Event if it is feedback.
func readEvent(m *sentry.Reader, payload []byte, r sentry.Request) (sentry.Event, error) {
	c, err := m.Read(sentry.Item{Type: "event", Payload: payload}, r)
	if c.Event == nil {
		return sentry.Event{}, err
	}
	return *c.Event, err
}

// golden is what is made of an event.
type golden struct {
	Template string `json:",omitempty"`
	Grouping faults.Grouping
	Payload  payload.Payload
}

// Every recorded event becomes the notice that was checked by hand.
func TestRecordedEvents(t *testing.T) {
	t.Parallel()
	all := items(t, "event")
	if len(all) < 50 {
		t.Fatalf("only %d events are recorded", len(all))
	}
	seen := map[string]int{}
	for _, r := range all {
		seen[r.name]++
		t.Run(r.name, func(t *testing.T) {
			c, err := new(sentry.Reader).Read(r.Item, sentry.Request{Sender: "192.0.2.7", SentAt: r.env.SentAt, ReceivedAt: received})
			if err != nil {
				t.Fatal(err)
			}
			if c.Feedback != nil {
				return
			}
			e := *c.Event
			report := reportOf(t, e)
			g := golden{Template: e.Template, Grouping: report.Grouping}
			if g.Payload, err = payload.Read(payload.Body{JSON: report.Body}, ""); err != nil {
				t.Fatal(err)
			}
			compare(t, strings.ReplaceAll(r.name, "/", "."), g)
		})
	}
	for name, n := range seen {
		if n > 1 {
			t.Errorf("%s has %d events, and one golden file", name, n)
		}
	}
}

// reportOf returns what the store gets of an event.
func reportOf(t testing.TB, e sentry.Event) *faults.Report {
	t.Helper()
	hints := event.Hints{Class: e.Class, Message: e.Template, ByMessage: e.Message, Default: sentry.DefaultGrouping}
	report, _, err := event.Parse(e.Notice.Append(nil, event.MaxNotice), event.Options{
		Project: accounts.KeyedProject{ProjectID: 1, AccountID: "acc", Active: true}, Now: received, Hints: hints,
	}, new(event.Facets))
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func compare(t *testing.T, name string, value any) {
	t.Helper()
	var got bytes.Buffer
	enc := json.NewEncoder(&got)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(value); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", name+".json")
	if *update {
		if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("%s changed (-want +got); run with -update if that is meant:\n%s", file, diff)
	}
}
