//go:build unix

package probe_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"sett/internal/sett/checks"
	"sett/internal/setttest/target"
)

// The figures include the target, which runs in the same process.
func BenchmarkCheck(b *testing.B) {
	page := strings.Repeat("all is well ", 1000)
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(page)) })
	authority := target.NewAuthority()
	for name, two := range map[string]bool{"plain": false, "TLS": false, "HTTP2": true} {
		server := httptest.NewUnstartedServer(handler)
		if name == "plain" {
			server.Start()
		} else {
			server.TLS, server.EnableHTTP2 = authority.Config(target.Certificate{}), two
			server.StartTLS()
		}
		defer server.Close()
		for match, text := range map[checks.MatchType]string{checks.MatchSuccess: "", checks.MatchInclude: "well all"} {
			ask := checks.ProbeRequest{URL: server.URL, MatchType: match, Match: text, ValidateSSL: true}
			b.Run(name+"/"+string(match), func(b *testing.B) { benchmark(b, authority, ask) })
		}
	}
}

func benchmark(b *testing.B, authority *target.Authority, ask checks.ProbeRequest) {
	h := trusting(authority.Roots)
	b.ReportAllocs()
	before := processorTime(b)
	for b.Loop() {
		if r, err := h.Check(b.Context(), ask); err != nil || !r.Up {
			b.Fatal(r.Reason, err)
		}
	}
	b.ReportMetric(float64((processorTime(b)-before).Microseconds())/float64(b.N), "cpu-µs/op")
}

// processorTime returns how long processors have worked for this process.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
