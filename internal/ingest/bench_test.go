package ingest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"sett/internal/serve"
	"sett/internal/sett/accounts"
	"sett/internal/setttest/traffic"
	"sett/internal/store/intakedb"
)

// sink is a store that is done with everything at once.
type sink struct{}

func (sink) RecordNotices(_ context.Context, _ time.Time, _ accounts.Limits, in intakedb.Intake) ([]accounts.Receipt, error) {
	receipts := make([]accounts.Receipt, len(in.Reports))
	for i := range receipts {
		receipts[i].Outcome = accounts.Stored
	}
	return receipts, nil
}

func (sink) Sync() error { return nil }

func (sink) Flush(context.Context) error { return nil }

func (sink) FlushDue(context.Context, time.Time) error { return nil }

// unread is a response writer that discards everything.
type unread struct {
	header http.Header
	status int
}

func (u *unread) Header() http.Header         { return u.header }
func (u *unread) WriteHeader(status int)      { u.status = status }
func (u *unread) Write(p []byte) (int, error) { return len(p), nil }

// BenchmarkPostNotice measures a notice's whole way but for net/http and the database: key, body, parsing, packing, the
// hand-over between goroutines, answer. Many are on their way at once, as on a busy server.
func BenchmarkPostNotice(b *testing.B) {
	post(b, traffic.Notices(200, 1), http.StatusCreated, func(in *Ingest) serve.Handler { return in.Routes()[0].Handle })
}

// BenchmarkPostEnvelope measures the same errors as envelopes of Sentry.
func BenchmarkPostEnvelope(b *testing.B) {
	post(b, traffic.Envelopes(200, 1), http.StatusOK, func(in *Ingest) serve.Handler { return in.postEnvelope })
}

func post(b *testing.B, bodies []traffic.Notice, status int, handler func(*Ingest) serve.Handler) {
	b.Helper()
	newClient := clients(b, status, handler)
	b.ReportAllocs()
	b.SetParallelism(64) // clients for each CPU
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		send := newClient(b)
		for i := 0; pb.Next(); i++ {
			if err := send(bodies[i%len(bodies)].Body); err != nil {
				b.Error(err)
				return
			}
		}
	})
}

// clients returns a function that makes clients of a handler, whose notices go to a sink. They expect a status.
func clients(tb testing.TB, status int, handler func(*Ingest) serve.Handler) func(testing.TB) func(body []byte) error {
	tb.Helper()
	o := setup(tb, accounts.Limits{})
	buffer := NewBuffer(sink{}, accounts.Limits{}, time.Now, slog.New(slog.DiscardHandler))
	tb.Cleanup(buffer.Close)
	events := NewEvents(nil, 1, time.Now, slog.New(slog.DiscardHandler))
	tb.Cleanup(events.Close)
	handle := handler(New(Options{Keys: o.keys, Buffer: buffer, Events: events, Scrubbing: new(Scrubbing), Attachments: o.store.Attachments, Discards: &o.discards, Now: time.Now}))
	return func(tb testing.TB) func([]byte) error {
		tb.Helper()
		r := httptest.NewRequestWithContext(tb.Context(), http.MethodPost, "/", nil)
		r.RemoteAddr = "192.0.2.1:1234"
		r.Header.Set("X-API-Key", o.setup.APIKey)
		r.Header.Set("X-Sentry-Auth", "Sentry sentry_version=7, sentry_key="+o.setup.APIKey)
		r.Header.Set("Content-Type", "application/json")
		sent, w := bytes.NewReader(nil), &unread{header: http.Header{}}
		return func(body []byte) error {
			sent.Reset(body)
			r.Body, r.ContentLength = io.NopCloser(sent), int64(len(body))
			if err := handle(w, r); err != nil || w.status != status {
				return fmt.Errorf("status %d, error %w", w.status, err)
			}
			return nil
		}
	}
}
