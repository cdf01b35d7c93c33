package e2e

import (
	"encoding/json"
	"os/exec"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// The lines that the README gives to somebody who tries sett. SETT is the server's address; the other variables are
// what "sett setup" prints.
const (
	curlReport = `curl -fsS "$SETT/v1/notices" -H "X-API-Key: $API_KEY" -H "Content-Type: application/json" \
  -d '{"error": {"class": "RuntimeError", "message": "It broke"}, "server": {"environment_name": "production"}}'`
	curlFaults  = `curl -fsS -u "$AUTH_TOKEN:" "$SETT/v2/projects/$PROJECT_ID/faults"`
	curlResolve = `curl -fsS -u "$AUTH_TOKEN:" -X PUT "$SETT/v2/projects/$PROJECT_ID/faults/$FAULT_ID" \
  -H "Content-Type: application/json" -d '{"fault": {"resolved": true}}'`
	curlReady = `curl -fsS "$SETT/readyz"`
)

// shell runs a line as somebody at a terminal of the server s does, and returns what it prints.
func shell(t testing.TB, s *server, line string, variables ...string) string {
	t.Helper()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Fatal("curl is missing; install it: apt-get install curl")
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", line)
	cmd.Env = append(environment(), "SETT="+s.base, "API_KEY="+s.APIKey, "AUTH_TOKEN="+s.AuthToken,
		"PROJECT_ID="+strconv.FormatInt(s.ProjectID, 10))
	cmd.Env = append(cmd.Env, variables...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s\n%v: %s", line, err, out)
	}
	return string(out)
}

func TestCurl(t *testing.T) {
	t.Parallel()
	s := start(t, "")

	var ready struct{ Ready bool }
	if decode(t, shell(t, s, curlReady), &ready); !ready.Ready {
		t.Error("/readyz does not say that the server is ready")
	}
	var reported struct{ ID string }
	decode(t, shell(t, s, curlReport), &reported)

	var faults struct{ Results []fault }
	decode(t, shell(t, s, curlFaults), &faults)
	want := []fault{{
		ProjectID: s.ProjectID, Klass: "RuntimeError", Message: "It broke", Environment: "production", NoticesCount: 1, Tags: []string{},
	}}
	if diff := cmp.Diff(want, faults.Results, cmpopts.IgnoreFields(fault{}, "ID", "CreatedAt", "LastNoticeAt", "URL")); diff != "" {
		t.Fatalf("the list of faults (-want +got):\n%s", diff)
	}
	id := faults.Results[0].ID
	if out := shell(t, s, curlResolve, "FAULT_ID="+strconv.FormatInt(id, 10)); out != "" {
		t.Errorf("resolving printed %q, want nothing", out)
	}
	m := s.manage(t)
	if f := s.fault(m, id); !f.Resolved {
		t.Error("the fault is not resolved")
	}
	if _, n := s.find(m, reported.ID); n.Message != "It broke" {
		t.Errorf("the notice says %q", n.Message)
	}
	t.Log("curl: 4 lines, 1 notice reported, listed and resolved")
}

func decode(t testing.TB, text string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), v); err != nil {
		t.Fatalf("curl printed no JSON: %v: %s", err, text)
	}
}
