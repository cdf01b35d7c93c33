package event

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/event/payload"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/setttest/recording"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden is what is made of a captured notice.
type golden struct {
	Token, Class, Message, Component, Action, Environment, Hostname, Revision, User string

	Tags     []string
	Grouping faults.Grouping
	Facets   []string
	Frames   int // in the bytes from BacktraceStart to BacktraceEnd
	Payload  payload.Payload
}

func newGolden(t *testing.T, r *faults.Report) golden {
	t.Helper()
	g := golden{
		Class: r.Class, Message: r.Message, Component: r.Component, Action: r.Action, Environment: r.Environment,
		Hostname: r.Hostname, Revision: r.Revision, User: r.User, Tags: r.Tags, Grouping: r.Grouping,
		Facets: faults.SplitLines(r.Facets),
	}
	if !r.Token.IsZero() {
		g.Token = r.Token.String()
	}
	if trace := r.Body[r.BacktraceStart:r.BacktraceEnd]; len(trace) > 0 {
		var frames []any
		if err := json.Unmarshal(trace, &frames); err != nil {
			t.Errorf("the bytes of the backtrace are no array: %v\n%s", err, trace)
		}
		g.Frames = len(frames)
	}
	var err error
	if g.Payload, err = payload.Read(payload.Body{JSON: r.Body}, ""); err != nil {
		t.Errorf("ReadPayload: %v", err)
	}
	return g
}

func TestCaptures(t *testing.T) {
	t.Parallel()
	inflater := new(Inflater)
	for _, c := range recording.Notices(t) {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			body, err := inflate(inflater, c.Sent(t), c.Encode)
			if err != nil {
				t.Fatalf("inflate: %v", err)
			}
			report, err := parse(body, accounts.KeyedProject{ProjectID: 1, AccountID: "acc", Active: true}, time.Unix(1_800_000_000, 0), new(Facets))
			if err != nil {
				t.Fatalf("parse: %v", err)
			}
			var got bytes.Buffer
			enc := json.NewEncoder(&got)
			enc.SetEscapeHTML(false)
			enc.SetIndent("", "  ")
			if err := enc.Encode(newGolden(t, report)); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", "golden", c.Name+".json")
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
		})
	}
}
