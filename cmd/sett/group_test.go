package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGroupExplainSaysWhatDecided(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	event := func(name, line, revision string) string {
		return write(name, fmt.Sprintf(`{"error":{"class":"java.util.concurrent.ExecutionException","causes":[{"class":"shop.Declined","message":"no 42","backtrace":[
			{"file":"Assert.java","method":"org.springframework.util.Assert.notNull"},{"file":"Cart.java","method":"shop.lib.Cart.pay","number":"%s"},
			{"file":"Main.java","method":"shop.Main.run","number":"7"}]}]},"server":{"environment_name":"production","revision":"%s"}}`, line, revision))
	}
	one, two, three := event("one.json", "42", "r1"), event("two.json", "45", "r2"), event("three.json", "45", "r1")
	rules := write("rules.txt", "# ours\nlibrary: shop.lib.*\nmessage: on for Declined\n")

	status, stdout, stderr := try(nil, "group", "explain", one, two)
	for _, want := range []string{
		"class shop.Declined the cause: java.util.concurrent.ExecutionException only wraps shop.Declined (table wrappers.txt)",
		"message - left out: class and place tell errors apart",
		"1 Assert.java in org.springframework.util.Assert.notNull library table jvm.txt: name org.springframework",
		"2 * Cart.java:42 in shop.lib.Cart.pay application no table knows it as a library's",
		"They are one error: the second goes on with the first, although their keys differ.\n Line 42 became 45 in Cart.java, in release r2.",
	} {
		if status != 0 || stderr != "" || !strings.Contains(tight(stdout), want) {
			t.Errorf("status %d, stderr %q, not said: %s\n%s", status, stderr, want, stdout)
		}
	}
	if _, stdout, _ := try(nil, "group", "explain", one, three); !strings.Contains(stdout, "They are two errors.\n  Line: “42” and “45” differ.\n  Two lines of one function") {
		t.Errorf("two lines of a release:\n%s", stdout)
	}
	_, stdout, _ = try(nil, "group", "explain", "--rules", rules, one)
	for _, want := range []string{
		"2 Cart.java:42 in shop.lib.Cart.pay library line 2 of the project's rules, “library: shop.lib.*”", "3 * Main.java:7",
		"message no <number> line 3 of the project's rules, “message: on for Declined”; without what varies in it",
	} {
		if !strings.Contains(tight(stdout), want) {
			t.Errorf("with rules, not said: %s\n%s", want, stdout)
		}
	}

	body, _ := os.ReadFile(one)
	_, stdout, _ = tryWith(string(body), nil, "group", "explain", "--json", "-")
	var read struct {
		Events []struct {
			Way   string
			Parts []struct{ Name, Value string }
		}
		Compared []any
	}
	if err := json.Unmarshal([]byte(stdout), &read); err != nil || len(read.Events) != 1 || read.Events[0].Way != "a notice" || read.Events[0].Parts[1].Value != "shop.Declined" {
		t.Errorf("%v: %s", err, stdout)
	}

	wrong := write("wrong.txt", "vendor/*\n")
	for line, want := range map[string]string{
		"group explain":                              "sett group explain needs a file; sett group explain --help shows an example",
		"group explain a b c":                        `unknown argument "c"; sett group explain takes one file or two`,
		"group explain " + rules:                     rules + `: No error is in it.`,
		"group explain --rules " + wrong + " " + one: "has an error in line 1: the colon is missing.",
		"group explain " + dir + "/none":             "no such file or directory",
	} {
		status, _, stderr := try(nil, strings.Fields(line)...)
		if status != 1 || !strings.Contains(stderr, want) {
			t.Errorf("sett %s: status %d, %s", line, status, cmp.Diff(want, stderr))
		}
	}
}
