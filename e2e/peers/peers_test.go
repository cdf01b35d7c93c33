package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"sett/internal/setttest/traffic"
)

const eventID = "00112233445566778899aabbccddeeff"

// An envelope has a header, the header of its item with the right length, and an event with the content of the notice.
func TestEnvelopesSayWhatNoticesSay(t *testing.T) {
	t.Parallel()
	notices := traffic.Notices(200, 1)
	var sent, made int
	for _, n := range notices {
		text, err := envelope(n.Body, eventID, time.Unix(1_800_000_000, 0))
		if err != nil {
			t.Fatal(err)
		}
		checkEnvelope(t, n.Body, text)
		sent, made = sent+len(n.Body), made+len(text)
	}
	if ratio := float64(made) / float64(sent); ratio < 0.97 || ratio > 1.03 {
		t.Errorf("envelopes have %.2f of the bytes of notices", ratio)
	}
}

func checkEnvelope(t *testing.T, body, text []byte) {
	t.Helper()
	lines := bytes.SplitN(text, []byte("\n"), 3)
	var item struct {
		Type   string
		Length int
	}
	if err := json.Unmarshal(lines[1], &item); err != nil || item.Type != "event" || item.Length != len(lines[2])-1 {
		t.Fatalf("item %+v (%v) of %d bytes", item, err, len(lines[2])-1)
	}
	var event struct {
		ID        string `json:"event_id"`
		Exception struct {
			Values []struct {
				Type, Value string
				Stacktrace  struct {
					Frames []struct {
						Filename string
						Lineno   int
						InApp    bool `json:"in_app"`
					}
				}
			}
		}
		Request struct{ URL string }
		Extra   map[string]any
	}
	if err := json.Unmarshal(lines[2], &event); err != nil || event.ID != eventID || len(event.Exception.Values) != 1 {
		t.Fatalf("%v: %s", err, lines[2])
	}
	var n notice
	if err := json.Unmarshal(body, &n); err != nil {
		t.Fatal(err)
	}
	e := event.Exception.Values[0]
	frames := e.Stacktrace.Frames
	innermost := frames[len(frames)-1]
	if e.Type != n.Error.Class || e.Value != n.Error.Message || len(frames) != len(n.Error.Backtrace) || event.Request.URL != n.Request.URL ||
		innermost.Filename != n.Error.Backtrace[0].File || fmt.Sprint(innermost.Lineno) != n.Error.Backtrace[0].Number || !innermost.InApp ||
		len(event.Extra) != len(n.Request.Context) {
		t.Errorf("the event differs from its notice: %s", lines[2])
	}
}

// Every event is accepted once, whatever the server refuses and however often it closes connections.
func TestBurstsAreSentUntilTheyAreAccepted(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch n := asked.Add(1); {
		case n%7 == 0:
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		case n%5 == 0:
			w.Header().Set("Connection", "close")
		}
		fmt.Fprintf(w, `{"id":"AB-%s"}`, body)
	}))
	defer server.Close()
	b := &burst{address: strings.TrimPrefix(server.URL, "http://"), connections: 4}
	for n := range 100 {
		b.requests = append(b.requests, newRequest("/", b.address, fmt.Appendf(nil, "%d", n), "X-Key", "k"))
	}
	sent := b.send(t.Context())
	ids := map[string]bool{}
	for _, id := range sent.ids {
		ids[id] = true
	}
	if len(sent.ids) != 100 || len(ids) != 100 || !ids["ab99"] || sent.refused[503] == 0 || sent.refused[0] != 0 {
		t.Errorf("%d ids, %d unlike, refused %v", len(sent.ids), len(ids), sent.refused)
	}
}

// A burst to a server that has gone ends with its context.
func TestBurstsEnd(t *testing.T) {
	t.Parallel()
	address, err := freeAddress()
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer end()
	b := &burst{address: address, connections: 2, requests: []request{newRequest("/", address, nil)}}
	if sent := b.send(ctx); len(sent.ids) != 0 || sent.refused[0] == 0 {
		t.Errorf("%+v", sent)
	}
}

func TestReadProc(t *testing.T) {
	t.Parallel()
	s, err := parseStat([]byte("4711 (a (b) c) S 12 4711 1 0 -1 4194560 93 4 0 0 100 20 3 4 20 0 1 0 123 1000 50\n"))
	if want := (stat{4711, 12, "S", 1270 * time.Millisecond}); err != nil || s != want {
		t.Errorf("%+v (%v), want %+v", s, err, want)
	}
	for _, wrong := range []string{"", "12", "12 (a) S 1", "x (a) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15"} {
		if _, err := parseStat([]byte(wrong)); err == nil {
			t.Errorf("%q is read", wrong)
		}
	}
	if d := parseMachine([]byte("cpu  100 20 3 9999 999 4 5 6 77 7\ncpu0 1 1 1 1 1 1 1 1 1 1\n")); d != 1380*time.Millisecond {
		t.Errorf("the machine has worked for %v", d)
	}
	if n := parsePSS([]byte("00400000-7ffd ---p 00000000 00:00 0 [rollup]\nRss:   900 kB\nPss:   300 kB\nPss_Dirty:   5 kB\n")); n != 300<<10 {
		t.Errorf("%d bytes", n)
	}
}

// A kill reaches processes that a process has started.
func TestGroupsAreMeasuredAndKilled(t *testing.T) {
	t.Parallel()
	g := &group{}
	if err := g.start(t.TempDir(), filepath.Join(t.TempDir(), "log"), nil, "/bin/sh", "-c", "sleep 100 & sleep 100"); err != nil {
		t.Fatal(err)
	}
	var family []stat
	for began := time.Now(); len(family) < 3 && time.Since(began) < 10*time.Second; family = g.all() {
		if name := g.exited(); name != "" {
			t.Fatalf("%s has exited", name)
		}
	}
	if len(family) < 3 || g.memory() == 0 {
		t.Errorf("%+v, %d bytes", family, g.memory())
	}
	g.signal(syscall.SIGKILL)
	for _, s := range family {
		for began := time.Now(); ; {
			now, err := readStat(s.pid)
			if err != nil || now.state == "Z" {
				break
			}
			if time.Since(began) > 10*time.Second {
				t.Fatalf("process %d is still there", s.pid)
			}
		}
	}
}

func TestReports(t *testing.T) {
	t.Parallel()
	of := map[string][]figures{"A 1": {
		{accepted: 1000, cpu: 2 * time.Second, promised: 500, missing: 3},
		{accepted: 1234567, cpu: time.Second, promised: 600},
		{accepted: 10, cpu: 3 * time.Second},
	}}
	var text bytes.Buffer
	markdown(&text, []string{"A 1"}, of)
	for _, want := range []string{"| | A 1 |\n|---|---|\n", "| accepted, events/s | 1,000 |", "| CPU for 10,000 events | 2.0 s |", "kill -9, of those missing | 1,100, 3 |"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	text.Reset()
	if err := printTable(&text, []string{"A 1"}, of); err != nil || strings.Count(text.String(), "\n") != len(rows)+1 {
		t.Errorf("%v:\n%s", err, text.String())
	}
	if got := count(1234567); got != "1,234,567" {
		t.Error(got)
	}
}
