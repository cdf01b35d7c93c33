package agent

import (
	"bytes"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"

	"sett/internal/monitor/prober"
	"sett/internal/sett"
)

func TestTwoAgentsDoNotShareASpool(t *testing.T) {
	t.Parallel()
	s, dir := newServer(t), t.TempDir()
	stop := run(t, s, dir, &probes{})
	o := Options{Server: s.URL, Token: s.token, Location: "Oregon", Dir: dir, Probe: (&probes{}).probe, Log: slog.New(slog.DiscardHandler)}
	if _, err := New(o); sett.CodeOf(err) != sett.Conflict || !strings.Contains(err.Error(), dir) {
		t.Errorf("a second agent: %v", err)
	}
	stop()
	second, err := New(o)
	if err != nil {
		t.Fatalf("after the first has ended: %v", err)
	}
	if err := second.lock.Close(); err != nil {
		t.Error(err)
	}
}

// lines are what an agent logs.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lines) count(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), text)
}

// That a server is away, and then that it does not accept the token, is said once each.
func TestARefusedTokenIsSaidOnce(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short leaves out tests that take seconds")
	}
	s, p, log := newServer(t), &probes{}, &lines{}
	s.orders = []prober.Orders{{Changes: prober.Changes{Revision: 1, All: true, Targets: []prober.Target{target(1)}}}}
	a, err := New(Options{
		Server: s.URL, Token: s.token, Location: "Oregon", Dir: t.TempDir(), Probe: p.probe, Log: slog.New(slog.NewTextHandler(log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	runUntilEnd(t, a)
	<-s.heard
	s.set(func() { s.refuse = http.StatusBadGateway })
	eventually(t, "trouble is logged", func() bool { return log.count("502 Bad Gateway for "+prober.PollPath) == 1 })
	s.set(func() { s.refuse, s.refusals = http.StatusUnauthorized, 0 })
	eventually(t, "the token is logged", func() bool { return log.count("sett agents add NAME") > 0 })
	eventually(t, "poll and upload are refused", func() bool { s.mu.Lock(); defer s.mu.Unlock(); return s.refusals >= 2 })
	if n := log.count("sett agents add NAME"); n != 1 || log.count("accept the token") != 1 {
		t.Errorf("logged %d times:\n%s", n, log.text.String())
	}
}
