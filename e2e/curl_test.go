package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// What the README writes for things that differ from server to server.
var (
	readmeCode        = regexp.MustCompile("(?s)```sh\n(.*?)```")
	readmeCredentials = regexp.MustCompile(`(?m)^TOKEN=sett_u_…  KEY=sett_p_…  PROJECT=1 .*$`)
)

const readmeAddress = "http://127.0.0.1:8080"

// readmeLines returns the lines with curl that the README tells everybody to try, for the server s.
func readmeLines(t testing.TB, s *server) string {
	t.Helper()
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range readmeCode.FindAllStringSubmatch(string(text), -1) {
		lines := block[1]
		if !strings.Contains(lines, "curl ") {
			continue
		}
		if !readmeCredentials.MatchString(lines) || !strings.Contains(lines, readmeAddress) {
			t.Fatalf("the README's lines do not begin with the credentials, or are not for %s:\n%s", readmeAddress, lines)
		}
		lines = readmeCredentials.ReplaceAllLiteralString(lines,
			"TOKEN="+s.AuthToken+" KEY="+s.APIKey+" PROJECT="+strconv.FormatInt(s.ProjectID, 10))
		return strings.ReplaceAll(lines, readmeAddress, s.base)
	}
	t.Fatal("the README has no lines with curl")
	return ""
}

func TestCurl(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Fatal("curl is missing; install it: apt-get install curl")
	}
	s := start(t, "")
	since := time.Now()
	cmd := exec.CommandContext(t.Context(), "sh", "-euc", readmeLines(t, s))
	cmd.Env = environment()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("the README's lines with curl: %v", err)
	}
	var reported struct{ ID string }
	var faults struct{ Results []fault }
	answers := json.NewDecoder(strings.NewReader(string(out)))
	for _, answer := range []any{&reported, &faults} {
		if err := answers.Decode(answer); err != nil {
			t.Fatalf("the README's lines with curl printed something else than two JSON objects: %v\n%s", err, out)
		}
	}
	if len(faults.Results) != 1 {
		t.Fatalf("the README's lines with curl list %d faults, want 1: %s", len(faults.Results), out)
	}
	f := faults.Results[0]
	compareFault(t, f, fault{
		ProjectID: s.ProjectID, Klass: "Timeout", Message: "the payment service did not answer", Environment: "production",
		NoticesCount: 1, Tags: []string{},
	})
	line := frame{Number: "12", File: "app/pay.rb", Method: "charge", Context: "app"}
	want := notice{
		ID: reported.ID, FaultID: f.ID, Message: f.Message, EnvironmentName: "production",
		Environment: environmentOf{EnvironmentName: "production", Hostname: "web-1"},
		Cookies:     map[string]string{}, WebEnvironment: map[string]string{},
		Request:   request{Context: map[string]any{}, Params: map[string]any{}, Session: map[string]any{}},
		Backtrace: []frame{line},
	}
	line.ApplicationFile = "app/pay.rb"
	want.ApplicationTrace = []frame{line}
	_, got := s.find(s.manage(t), reported.ID)
	compare(t, got, want, since)
	t.Log("curl: the README's lines run; 1 notice compared in every field")
}
