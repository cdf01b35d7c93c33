package ingest

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/setttest/recording"
	intakestore "sett/internal/store/intake"
)

// sink is a store that is done with everything at once.
type sink struct{}

func (sink) RecordNotices(_ context.Context, _ time.Time, _ sett.Limits, in intakestore.Intake) ([]sett.Receipt, error) {
	receipts := make([]sett.Receipt, len(in.Reports))
	for i := range receipts {
		receipts[i].Outcome = sett.Stored
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
	o := setup(b, sett.Limits{})
	buffer := NewBuffer(sink{}, sett.Limits{}, time.Now, slog.New(slog.DiscardHandler))
	defer buffer.Close()
	handle := New(Options{Keys: o.keys, Buffer: buffer, Scrubbing: new(Scrubbing), Now: time.Now}).Routes()[0].Handle
	body := []byte(recording.Notices(b)[0].Body)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	b.SetParallelism(64) // clients for each CPU
	b.RunParallel(func(pb *testing.PB) {
		r, err := http.NewRequestWithContext(b.Context(), http.MethodPost, "/v1/notices", nil)
		if err != nil {
			b.Error(err)
			return
		}
		r.Header.Set("X-API-Key", o.setup.APIKey)
		r.Header.Set("Content-Type", "application/json")
		r.ContentLength = int64(len(body))
		sent, w := bytes.NewReader(body), &unread{header: http.Header{}}
		for pb.Next() {
			sent.Reset(body)
			r.Body = io.NopCloser(sent)
			if err := handle(w, r); err != nil || w.status != http.StatusCreated {
				b.Errorf("status %d, error %v", w.status, err)
				return
			}
		}
	})
}
