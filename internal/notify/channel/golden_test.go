package channel

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden requests anew")

// What each kind sends for each message is in testdata/<kind>, with *** for secrets.
func TestGoldenRequests(t *testing.T) {
	t.Parallel()
	r := startRecorder(t)
	for _, c := range triedKinds(r.URL) {
		for event, m := range samples() {
			receipt, err := c.sender(r.URL, anywhere(time.Minute)).Send(t.Context(), m)
			if err != nil {
				t.Errorf("%s, %s: %v", c.name, event, err)
				continue
			}
			got := ""
			for _, s := range r.take() {
				got += s.String()
			}
			if (got == "") != (receipt.Note != "") || (got == "") != (receipt.Status == 0) {
				t.Errorf("%s, %s: %+v for %q", c.name, event, receipt, got)
			}
			got += receipt.Note
			golden(t, c, event, strings.ReplaceAll(c.masked(got), r.URL, "http://server"))
		}
	}
}

func golden(t *testing.T, c tried, event, got string) {
	t.Helper()
	for _, secret := range c.secrets {
		if strings.Contains(got, secret) {
			t.Errorf("%s, %s: the golden file would have the secret %s", c.name, event, secret)
		}
	}
	dir := filepath.Join("testdata", strings.ReplaceAll(strings.ToLower(c.name), " ", "_"))
	file := filepath.Join(dir, event+".golden")
	if *update {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; write it with: go test ./internal/notify/channel -run Golden -update", err)
	}
	if diff := cmp.Diff(string(bytes.TrimSuffix(want, []byte("\n"))), got); diff != "" {
		t.Errorf("%s, %s (-want +got):\n%s", c.name, event, diff)
	}
}

// A channel without backtraces gets none.
func TestSlackWithoutBacktrace(t *testing.T) {
	t.Parallel()
	r := startRecorder(t)
	for flag, want := range map[string]bool{"0": true, "": true, "1": false} {
		k, _ := Find("Slack")
		if _, err := k.Make(Tools{HTTP: anywhere(time.Minute)}, Values{"url": r.URL, "disable_backtrace": flag}).Send(t.Context(), samples()["occurred"]); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(r.take()[0].body, "order.rb"); got != want {
			t.Errorf("disable_backtrace %q: a backtrace %v", flag, got)
		}
	}
}
