package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"
)

func TestAgentsCommands(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	if token := o.do("agents", "add", "rack 3"); !regexp.MustCompile(`^sett_a_\w{43}\n$`).MatchString(token) {
		t.Errorf("printed %q, want a token alone", token)
	}
	var made map[string]any
	o.read(&made, "agents", "add", " Oregon ", "--location", "Oregon", "--json")
	if token, _ := made["token"].(string); made["id"] != 2.0 || made["name"] != "Oregon" || made["location"] != "Oregon" || len(token) != 50 {
		t.Errorf("made %v", made)
	}
	want := "ID NAME LOCATION STATE SEEN VERSION CLOCK DROPPED\n1 rack 3 - silent never - right 0\n2 Oregon Oregon silent never - right 0\n"
	if got := tight(o.do("agents", "list")); got != want {
		t.Errorf("list:\n%s want:\n%s", got, want)
	}
	var listed []map[string]any
	if o.read(&listed, "agents", "list", "--json"); len(listed) != 2 || listed[1]["name"] != "Oregon" || listed[1]["token"] != nil || listed[1]["heard_at"] != nil {
		t.Errorf("as JSON: %v", listed)
	}
	if got := o.do("agents", "revoke", "1"); got != "The token of the agent \"rack 3\" is revoked.\n" {
		t.Errorf("revoked: %q", got)
	}
	if o.read(&listed, "agents", "list", "--json"); len(listed) != 1 {
		t.Errorf("left are %v", listed)
	}
}

func TestHowAClockIsWritten(t *testing.T) {
	t.Parallel()
	for ahead, want := range map[time.Duration]string{
		0: "right", time.Hour + 300*time.Millisecond: "1h0m0s fast", -90 * time.Second: "1m30s slow", 400 * time.Millisecond: "right",
	} {
		if got := skew(ahead); got != want {
			t.Errorf("%v ahead is %q, want %q", ahead, got, want)
		}
	}
}

func TestMistakesWithAgents(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"agents", "add"}, "sett agents add needs the name of an agent; sett agents add --help shows an example"},
		{[]string{"agents", "add", " "}, "the name of the agent can't be blank"},
		{[]string{"agents", "add", "a\nb"}, "the name of the agent must not contain control characters"},
		{[]string{"agents", "add", "rack", "3"}, `unknown argument "3"; sett agents add takes the name of an agent and flags, which sett agents add --help lists`},
		{[]string{"agents", "add", "rack", "--location", "Frankfort"}, "--location must be one of Virginia, Oregon, Frankfurt, Singapore, London"},
		{[]string{"agents", "revoke", "7"}, "There is no agent 7. See: sett agents list"},
		{[]string{"agents", "revoke", "oregon"}, `"oregon" is not the id of an agent: ids are numbers, shown by sett agents list`},
		{[]string{"agents", "lst"}, `unknown command "lst"; did you mean list?`},
		{[]string{"agent", "add", "rack"}, `unknown argument "add"; sett agent runs an agent, and sett agents adds, lists and revokes them`},
		{[]string{"agent"}, "--token (SETT_TOKEN) is missing; create one with: sett agents add NAME"},
		{[]string{"agent", "--token", "x", "--server", "sett.example.org"}, `--server="sett.example.org" is not a web address; write one such as https://sett.example.org`},
		{[]string{"agent", "--token", "x", "--location", "Frankfort"}, `--location="Frankfort" is not one of Virginia, Oregon, Frankfurt, Singapore, London, none; did you mean Frankfurt?`},
		{
			[]string{"agent", "--token", "x", "--spool", filepath.Join(file, "below")},
			fmt.Sprintf("the directory %s cannot be created, because %s is a file; move the file away, or choose another directory with --spool (SETT_SPOOL)", filepath.Join(file, "below"), file),
		},
		{
			[]string{"agent", "--token", "x", "--spool", "/proc/sett-agent"},
			"the directory /proc/sett-agent cannot be created: no such file or directory; create it and make it writable for the user that runs the agent, or choose another directory with --spool (SETT_SPOOL)",
		},
	} {
		if status, stdout, stderr := try(o.environ, c.args...); status != 1 || stdout != "" || stderr != "sett: "+c.want+"\n" {
			t.Errorf("sett %q: status %d, stdout %q, stderr\n%swant\n%s", c.args, status, stdout, stderr, c.want)
		}
	}
}
