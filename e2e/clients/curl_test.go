package clients

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"sett/e2e/rig"
	"sett/internal/setttest/example"
	"sett/internal/setttest/program"
)

// readmeCredentials is what the README writes for things that differ from server to server.
var readmeCredentials = regexp.MustCompile(`(?m)^TOKEN=sett_u_…  KEY=sett_p_…  PROJECT_ID=1 .*$`)

const readmeAddress = "http://127.0.0.1:8080"

// readmeLines returns the lines with curl that the README shows, for the server s.
func readmeLines(t testing.TB, s *rig.Server) string {
	t.Helper()
	text, err := os.ReadFile(rig.Repository + "/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, lines := range example.Shell(text) {
		if !strings.Contains(lines, "curl ") {
			continue
		}
		if !readmeCredentials.MatchString(lines) || !strings.Contains(lines, readmeAddress) {
			t.Fatalf("the README's lines do not begin with the credentials, or are not for %s:\n%s", readmeAddress, lines)
		}
		lines = readmeCredentials.ReplaceAllLiteralString(lines,
			"TOKEN="+s.AuthToken+" KEY="+s.APIKey+" PROJECT_ID="+strconv.FormatInt(s.ProjectID, 10))
		return strings.ReplaceAll(lines, readmeAddress, s.Base)
	}
	t.Fatal("the README has no lines with curl")
	return ""
}

// runReadme runs those lines as they stand, and returns what they print: the id of the notice that they report, then its fault.
func runReadme(t testing.TB, s *rig.Server) (noticeID string, f rig.Fault) {
	t.Helper()
	cmd := program.Bounded("sh", "-euc", readmeLines(t, s))
	cmd.Env = rig.Environment()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("the README's lines with curl: %v", err)
	}
	var reported struct{ ID string }
	var listed struct{ Results []rig.Fault }
	answers := json.NewDecoder(bytes.NewReader(out))
	for _, answer := range []any{&reported, &listed} {
		if err := answers.Decode(answer); err != nil {
			t.Fatalf("the README's lines with curl printed something else than two JSON objects: %v\n%s", err, out)
		}
	}
	if len(listed.Results) != 1 {
		t.Fatalf("the README's lines with curl list %d faults, want 1: %s", len(listed.Results), out)
	}
	return reported.ID, listed.Results[0]
}

func TestCurl(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Fatal("curl is missing; install it: apt-get install curl")
	}
	s := rig.Start(t, "")
	since := time.Now()
	id, f := runReadme(t, s)
	rig.CompareFault(t, f, rig.Fault{
		ProjectID: s.ProjectID, Klass: "Timeout", Message: "the payment service did not answer", Environment: "production",
		NoticesCount: 1, Tags: []string{},
	})
	line := rig.Frame{Number: "12", File: "app/pay.rb", Method: "charge", Context: "app"}
	want := rig.Bare(id, f)
	want.Environment.Hostname = "web-1"
	want.Notifier = rig.Notifier{Name: "curl"}
	want.Backtrace = []rig.Frame{line}
	line.ApplicationFile = "app/pay.rb"
	want.ApplicationTrace = []rig.Frame{line}
	_, got := s.Find(s.Manage(t), id)
	rig.Compare(t, got, want, since)
	t.Log("curl: the README's lines run; 1 notice compared in every field")
}
