package e2e

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"sett/internal/monitor/prober"
	"sett/internal/sett"
	"sett/internal/sett/checks"
)

// agentsWithWrongClocks lets agents speak whose clocks are wrong by an hour. What they found is dated right, and counts.
func agentsWithWrongClocks(t *testing.T) {
	s := start(t, "")
	m := s.manage(t)
	have := m.newSite(s, "http://shop.example.test/", "London", "Singapore")
	id, err := sett.ParseUUID(have.ID)
	if err != nil {
		t.Fatal(err)
	}
	for location, ahead := range map[string]time.Duration{"London": time.Hour, "Singapore": -time.Hour} {
		p := s.newPost(t, location, newGate(t, "127.0.0.1", s.base))
		clock := func() time.Time { return time.Now().Add(ahead) }
		var orders prober.Orders
		p.send(t, prober.PollPath, prober.Poll{Protocol: prober.Protocol, Version: "v1", Location: location, Sent: clock()}, http.StatusOK, &orders)
		if len(orders.Changes.Targets) != 1 || orders.Changes.Targets[0].ID != id {
			t.Fatalf("orders %+v, want those to check one site", orders)
		}
		found := prober.Report{SiteID: id, Revision: orders.Changes.Targets[0].Revision, Result: checks.ProbeResult{At: clock(), Up: true, Status: 200}}
		u := prober.Upload{Protocol: prober.Protocol, Location: location, Stream: "run", Sequence: 1, Reports: []prober.Report{found}}
		for _, repeated := range []bool{false, true} {
			var receipt prober.Receipt
			u.Sent = clock()
			if p.send(t, prober.UploadPath, u, http.StatusOK, &receipt); receipt.Repeated != repeated {
				t.Errorf("sent again: %t, the receipt says %t", repeated, receipt.Repeated)
			}
		}
	}
	if m.site(s, have.ID).State != "up" {
		t.Errorf("the site is %s", m.site(s, have.ID).State)
	}
	checks := m.checks(s, have.ID)
	for _, c := range checks {
		if off := time.Since(c.CreatedAt).Abs(); off > 10*time.Minute { // of the hour
			t.Errorf("the check from %s is dated %v, which is off by %v", c.Location, c.CreatedAt, off)
		}
	}
	if len(checks) != 2 {
		t.Errorf("the history has %d checks, want 2", len(checks))
	}
	var agents []struct {
		Location string
		Skew     int64 `json:"clock_skew_ms"`
	}
	s.sett(t, &agents, "agents", "list")
	for _, a := range agents {
		want := map[string]time.Duration{"London": time.Hour, "Singapore": -time.Hour}[a.Location]
		if off := (time.Duration(a.Skew)*time.Millisecond - want).Abs(); off > 10*time.Minute {
			t.Errorf("the clock in %s is said to be off by %d ms", a.Location, a.Skew)
		}
	}
}

// agentsRefused has agents speak that are newer than the server, or have no right to.
func agentsRefused(t *testing.T) {
	s := start(t, "")
	p := s.newPost(t, "London", newGate(t, "127.0.0.1", s.base))
	newer := prober.Poll{Protocol: prober.Protocol + 1, Version: "v9", Location: "London"}
	if says := p.send(t, prober.PollPath, newer, http.StatusConflict, nil); !strings.Contains(says, "Run the same version of sett on both.") {
		t.Errorf("the server answers a newer agent with %s", says)
	}
	s.sett(t, nil, "agents", "revoke", "1")
	newer.Protocol = prober.Protocol
	if says := p.send(t, prober.PollPath, newer, http.StatusUnauthorized, nil); !strings.Contains(says, "sett agents add") {
		t.Errorf("the server answers a revoked agent with %s", says)
	}
}

// send sends something in the agent's name and reads the answer.
func (p *post) send(t testing.TB, path string, what any, want int, into any) (answer string) {
	t.Helper()
	body, err := json.Marshal(what)
	if err != nil {
		t.Fatal(err)
	}
	p.gate.mu.Lock()
	base := p.gate.servers[0]
	p.gate.mu.Unlock()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+path, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+p.token)
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	if err == nil && into != nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil || got.StatusCode != want {
		t.Fatalf("%s: %d %s, %v; want %d", path, got.StatusCode, text, err, want)
	}
	return string(text)
}
