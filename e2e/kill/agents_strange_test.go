package kill

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"sett/e2e/rig"
	"sett/internal/monitor/prober"
	"sett/internal/sett"
	"sett/internal/sett/checks"
)

// agentsWithWrongClocks lets agents speak whose clocks are wrong by an hour. What they found is dated right, and counts.
func agentsWithWrongClocks(t *testing.T) {
	s := rig.Start(t, "")
	m := s.Manage(t)
	have := m.NewSite(s, "http://shop.example.test/", "London", "Singapore")
	id, err := sett.ParseUUID(have.ID)
	if err != nil {
		t.Fatal(err)
	}
	for location, ahead := range map[string]time.Duration{"London": time.Hour, "Singapore": -time.Hour} {
		p := s.NewAgent(t, location, rig.NewGate(t, "127.0.0.1", s.Base))
		clock := func() time.Time { return time.Now().Add(ahead) }
		var orders prober.Orders
		send(t, p, prober.PollPath, prober.Poll{Protocol: prober.Protocol, Version: "v1", Location: location, Sent: clock()}, http.StatusOK, &orders)
		if len(orders.Changes.Targets) != 1 || orders.Changes.Targets[0].ID != id {
			t.Fatalf("orders %+v, want those to check one site", orders)
		}
		found := prober.Report{SiteID: id, Revision: orders.Changes.Targets[0].Revision, Result: checks.ProbeResult{At: clock(), Up: true, Status: 200}}
		u := prober.Upload{Protocol: prober.Protocol, Location: location, Stream: "run", Sequence: 1, Reports: []prober.Report{found}}
		for _, repeated := range []bool{false, true} {
			var receipt prober.Receipt
			u.Sent = clock()
			if send(t, p, prober.UploadPath, u, http.StatusOK, &receipt); receipt.Repeated != repeated {
				t.Errorf("sent again: %t, the receipt says %t", repeated, receipt.Repeated)
			}
		}
	}
	if m.Site(s, have.ID).State != "up" {
		t.Errorf("the site is %s", m.Site(s, have.ID).State)
	}
	checks := m.Checks(s, have.ID)
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
	s.Sett(t, &agents, "agents", "list")
	for _, a := range agents {
		want := map[string]time.Duration{"London": time.Hour, "Singapore": -time.Hour}[a.Location]
		if off := (time.Duration(a.Skew)*time.Millisecond - want).Abs(); off > 10*time.Minute {
			t.Errorf("the clock in %s is said to be off by %d ms", a.Location, a.Skew)
		}
	}
}

// agentsRefused has agents speak that are newer than the server, or have no right to.
func agentsRefused(t *testing.T) {
	s := rig.Start(t, "")
	p := s.NewAgent(t, "London", rig.NewGate(t, "127.0.0.1", s.Base))
	newer := prober.Poll{Protocol: prober.Protocol + 1, Version: "v9", Location: "London"}
	if says := send(t, p, prober.PollPath, newer, http.StatusConflict, nil); !strings.Contains(says, "Run the same version of sett on both.") {
		t.Errorf("the server answers a newer agent with %s", says)
	}
	s.Sett(t, nil, "agents", "revoke", "1")
	newer.Protocol = prober.Protocol
	if says := send(t, p, prober.PollPath, newer, http.StatusUnauthorized, nil); !strings.Contains(says, "sett agents add") {
		t.Errorf("the server answers a revoked agent with %s", says)
	}
}

// send sends something in the agent's name and reads the answer.
func send(t testing.TB, p *rig.Agent, path string, what any, want int, into any) (answer string) {
	t.Helper()
	body, err := json.Marshal(what)
	if err != nil {
		t.Fatal(err)
	}
	p.Gate.Mu.Lock()
	base := p.Gate.Servers[0]
	p.Gate.Mu.Unlock()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+path, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+p.Token)
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
