package otlp

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"

	"sett/internal/event/payload"
	"sett/internal/ingest/event"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/setttest/recording"
)

var update = flag.Bool("update", false, "write the golden files anew")

// request is a recorded request without its compression.
type request struct {
	name     string
	signal   Signal
	encoding Encoding
	body     []byte
}

func (r request) read(t testing.TB) []*Exception {
	t.Helper()
	b, err := Read(r.body, r.signal, r.encoding)
	if err != nil {
		t.Fatalf("%s: %v", r.name, err)
	}
	return b.Exceptions
}

func requests(t testing.TB) (all []request) {
	t.Helper()
	for _, client := range []string{"otlp-go", "otlp-node-json", "otlp-node-proto", "otlp-python"} {
		for _, c := range recording.Captures(t, client) {
			r := request{c.Name, Signal(strings.TrimPrefix(c.Target, "/v1/")), EncodingOf(c.Header.Get("Content-Type"), nil), c.Body}
			if c.Header.Get("Content-Encoding") == "gzip" {
				z, err := gzip.NewReader(bytes.NewReader(c.Body))
				if err != nil {
					t.Fatal(err)
				}
				if r.body, err = io.ReadAll(z); err != nil {
					t.Fatal(err)
				}
			}
			all = append(all, r)
		}
	}
	return all
}

func TestCaptures(t *testing.T) {
	t.Parallel()
	for _, r := range requests(t) {
		var got bytes.Buffer
		for _, e := range r.read(t) {
			n := e.Notice()
			if err := json.Indent(&got, n.Append(nil, event.MaxNotice), "", "  "); err != nil {
				t.Fatalf("%s: %v", r.name, err)
			}
			got.WriteByte('\n')
		}
		file := filepath.Join("testdata", "golden", strings.ReplaceAll(r.name, "/", "_")+".txt")
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
}

// An exception is the same notice as a log record and as an event of a span, with the same class, message and place, so that it does not
// matter which comes first.
func TestSignalsAgree(t *testing.T) {
	t.Parallel()
	all := requests(t)
	for i := 0; i < len(all); i += 2 {
		a, b := all[i].read(t), all[i+1].read(t)
		if len(a) != 1 || len(b) != 1 {
			t.Fatalf("%s has %d exceptions, %s has %d", all[i].name, len(a), all[i+1].name, len(b))
		}
		one, other := a[0].Notice(), b[0].Notice()
		if one.Token != other.Token || one.Token == "" || one.Class != other.Class || one.Message != other.Message || one.Component != other.Component {
			t.Errorf("%s is %q %q %q, %s is %q %q %q", all[i].name, one.Token, one.Class, one.Message, all[i+1].name, other.Token, other.Class, other.Message)
		}
		if strings.HasPrefix(all[i].name, "otlp-go") {
			continue // its logs have no stack traces
		}
		if diff := cmp.Diff(one.Backtrace[0], other.Backtrace[0]); diff != "" {
			t.Errorf("%s: the frames differ:\n%s", all[i].name, diff)
		}
	}
}

// check reads a body, and what is made of it as the store and /v2 do. It returns the number of notices.
func check(t testing.TB, body []byte, signal Signal, encoding Encoding) (notices int) {
	t.Helper()
	b, err := Read(body, signal, encoding)
	if err != nil {
		if _, ok := errors.AsType[*sett.Error](err); !ok {
			t.Fatalf("the error is %v, for %.300q", err, body)
		}
		return 0
	}
	for _, e := range b.Exceptions {
		n := e.Notice()
		report, _, err := event.Parse(n.Append(nil, event.MaxNotice), event.Options{
			Project: accounts.KeyedProject{ProjectID: 1, AccountID: "a", Active: true}, Now: time.Unix(1_800_000_000, 0),
		}, new(event.Facets))
		if err != nil {
			if sett.CodeOf(err) != sett.Invalid {
				t.Fatalf("the notice is refused: %v, for %.300q", err, body)
			}
			continue
		}
		shown, err := payload.Read(payload.Body{Format: report.Format, JSON: report.Body}, "")
		if err == nil {
			_, err = json.Marshal(shown)
		}
		if err != nil {
			t.Fatalf("the notice cannot be shown: %v, for %.300q", err, body)
		}
		notices++
	}
	return notices
}

// Whatever an exporter sends is notices that can be read again, or an error that is the exporter's.
func TestMutations(t *testing.T) {
	t.Parallel()
	for _, r := range requests(t) {
		stored, all := 0, 0
		if r.encoding == JSON {
			for doc := range recording.Mutations(t, r.body) {
				stored += check(t, doc, r.signal, JSON)
				all++
			}
		} else {
			for i, c := range r.body {
				if testing.Short() && i%8 != 0 {
					continue
				}
				check(t, r.body[:i], r.signal, Protobuf)
				for _, other := range []byte{0, c ^ 1, c ^ 2, c ^ 8, c ^ 128} { // types, numbers and lengths among them
					doc := bytes.Clone(r.body)
					doc[i] = other
					stored += check(t, doc, r.signal, Protobuf)
					all++
				}
			}
		}
		if stored < all/10 {
			t.Errorf("%s: only %d of %d mutations were notices", r.name, stored, all)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, r := range requests(f) {
		f.Add(r.body, r.signal == Logs, r.encoding == JSON)
	}
	f.Fuzz(func(t *testing.T, body []byte, logs, isJSON bool) {
		signal, encoding := Traces, Protobuf
		if logs {
			signal = Logs
		}
		if isJSON {
			encoding = JSON
		}
		check(t, body, signal, encoding)
	})
}
