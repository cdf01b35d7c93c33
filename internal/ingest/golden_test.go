package ingest

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"

	"sett/internal/payload"
	"sett/internal/sett"
)

var update = flag.Bool("update", false, "write the golden files anew")

// capture is a recorded request of a released client (testdata/notices).
type capture struct {
	name    string
	Path    string            `json:"path"`
	Headers map[string]string `json:"headers"`
	Encode  string            `json:"encode"` // "", "deflate" (zlib) or "gzip"
	Body    json.RawMessage   `json:"body"`   // before compression
}

// captures returns all recorded requests.
func captures(t testing.TB) []capture {
	t.Helper()
	files, err := filepath.Glob("testdata/notices/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no captures: %v", err)
	}
	var all []capture
	for _, file := range files {
		c := capture{name: strings.TrimSuffix(filepath.Base(file), ".json")}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data, &c); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all = append(all, c)
	}
	return all
}

// sent returns the body as it went over the wire.
func (c capture) sent(t testing.TB) []byte {
	t.Helper()
	var compact, out bytes.Buffer
	if err := json.Compact(&compact, c.Body); err != nil {
		t.Fatal(err)
	}
	switch c.Encode {
	case "deflate":
		compress(t, zlib.NewWriter(&out), compact.Bytes())
	case "gzip":
		compress(t, gzip.NewWriter(&out), compact.Bytes())
	default:
		return compact.Bytes()
	}
	return out.Bytes()
}

func compress(t testing.TB, w io.WriteCloser, data []byte) {
	t.Helper()
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// golden is what is made of a captured notice.
type golden struct {
	Token, Class, Message, Component, Action, Environment, Hostname, Revision, User string

	Tags     []string
	Grouping sett.Grouping
	Facets   []string
	Frames   int // in the bytes from BacktraceStart to BacktraceEnd
	Payload  payload.Payload
}

func newGolden(t *testing.T, r *sett.Report) golden {
	t.Helper()
	g := golden{
		Class: r.Class, Message: r.Message, Component: r.Component, Action: r.Action, Environment: r.Environment,
		Hostname: r.Hostname, Revision: r.Revision, User: r.User, Tags: r.Tags, Grouping: r.Grouping,
		Facets: sett.SplitLines(r.Facets),
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
	inflater := new(inflater)
	for _, c := range captures(t) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			body, err := inflate(inflater, c.sent(t), c.Encode)
			if err != nil {
				t.Fatalf("inflate: %v", err)
			}
			report, err := parse(body, sett.KeyedProject{ProjectID: 1, AccountID: "acc", Active: true}, time.Unix(1_800_000_000, 0), new(facets))
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
			file := filepath.Join("testdata", "golden", c.name+".json")
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
