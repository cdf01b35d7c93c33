package ingest

import (
	"net/http"
	"runtime"
	"sync/atomic"
	"testing"

	"sett/internal/serve"
	"sett/internal/sett/scan"
	"sett/internal/setttest/traffic"
)

// How often intake walks the bytes of what is sent, and what it allocates for it, are most of what a notice costs. Each bound is a little above
// what is measured: a notice is walked once, and the sections of its request again for what is searched; an event of Sentry is walked once,
// and the notice that is made of it like any other.
func TestHowOftenANoticeIsWalked(t *testing.T) { //nolint:paralleltest // counts all that this process walks and allocates
	for _, c := range []struct {
		name    string
		bodies  []traffic.Notice
		status  int
		handler func(*Ingest) serve.Handler
		walks   float64 // bytes walked for each byte that is sent
		allocs  float64 // objects for each request
	}{
		{"notices", traffic.Notices(200, 1), http.StatusCreated, func(in *Ingest) serve.Handler { return in.Routes()[0].Handle }, 1.5, 50},
		{"envelopes", traffic.Envelopes(200, 1), http.StatusOK, func(in *Ingest) serve.Handler { return in.postEnvelope }, 2.4, 100},
	} {
		send := clients(t, c.status, c.handler)(t)
		var walked, sent atomic.Int64
		round := func() {
			for _, n := range c.bodies {
				if err := send(n.Body); err != nil {
					t.Fatal(err)
				}
				sent.Add(int64(len(n.Body)))
			}
		}
		round() // what is known after that is known on any busy server
		stop := scan.Watch(func(doc string) { walked.Add(int64(len(doc))) })
		sent.Store(0)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		round()
		runtime.ReadMemStats(&after)
		stop()
		if walks := float64(walked.Load()) / float64(sent.Load()); walks > c.walks || walks < 1 {
			t.Errorf("%s: each byte is walked %.2f times, want 1 to %.2f", c.name, walks, c.walks)
		} else {
			t.Logf("%s: each byte is walked %.2f times", c.name, walks)
		}
		if allocs := float64(after.Mallocs-before.Mallocs) / float64(len(c.bodies)); allocs > c.allocs {
			t.Errorf("%s: %.0f objects are allocated for each, want at most %.0f", c.name, allocs, c.allocs)
		} else {
			t.Logf("%s: %.0f objects are allocated for each", c.name, allocs)
		}
	}
}
