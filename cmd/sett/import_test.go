package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"sett/internal/sett/move"
	"sett/internal/setttest/oldsentry"
)

func oldServer(t *testing.T) *oldsentry.Server {
	seen := time.Now().Add(-time.Hour)
	event := oldsentry.Event{ID: strings.Repeat("a", 32), Hash: "h", Sent: map[string]any{
		"platform": "python", "exception": map[string]any{"values": []any{map[string]any{"type": "ValueError", "value": "no cart"}}},
	}}
	return (&oldsentry.Server{Projects: []*oldsentry.Project{{Slug: "shop", Platform: "python", Key: strings.Repeat("ab", 16), Issues: []*oldsentry.Issue{{
		ID: "7", Short: "SHOP-7", Type: "ValueError", Value: "no cart", Status: "unresolved", First: seen, Last: seen, Count: 12, Events: []oldsentry.Event{event},
	}}}}}).Start(t)
}

func TestImportSaysWhatCameAndWhatDidNot(t *testing.T) {
	t.Parallel()
	o, server := newOffice(t), oldServer(t)
	server.Projects[0].Bundles = []*oldsentry.Bundle{{ID: "one", Files: []*oldsentry.File{{Name: "~/a.js.map", Text: `{"version":3,"sources":["a.ts"],"mappings":"AAAA"}`}}}}
	args := []string{"import", "sentry", "--url", server.URL, "--org", "acme", "--token", oldsentry.Token}
	spaces := regexp.MustCompile(` +`)
	dry := spaces.ReplaceAllString(o.do(append(args, "--dry-run")...), " ")
	for _, line := range []string{"Nothing was written. This would come:", "CAME FOUND NEW BEFORE", "projects 1 1 0", "errors 1 1 0", "source maps 1 1 0", "DID NOT COME NAME WHERE TO MAKE IT WHY", "integrations - Settings → Channels Their secrets cannot be read."} {
		if !strings.Contains(dry, line) {
			t.Errorf("a dry run lacks %q:\n%s", line, dry)
		}
	}
	var first, again move.Report
	o.read(&first, append(args, "--json")...)
	o.read(&again, append(args, "--json")...)
	if maps := (move.Came{Noun: "source maps", Found: 1, Made: 1}); !slices.Contains(first.Came, maps) {
		t.Errorf("%+v lacks %+v", first.Came, maps)
	}
	if len(first.Came) != 5 || first.Came[2] != (move.Came{Noun: "errors", Found: 1, Made: 1}) || again.Came[2] != (move.Came{Noun: "errors", Found: 1, Present: 1}) {
		t.Errorf("%+v, then %+v", first.Came, again.Came)
	}
}

func TestImportSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	o, server := newOffice(t), oldServer(t)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--url", server.URL, "--org", "acme"}, "the token is missing"},
		{[]string{"--url", "sentry", "--org", "acme", "--token", "x"}, "--url must be the address"},
		{[]string{"--url", server.URL, "--org", "a/b", "--token", "x"}, "--org must be the slug"},
		{[]string{"--url", server.URL, "--org", "acme", "--token", "hidden"}, "does not accept the token"},
		{[]string{"--url", server.URL, "--org", "others", "--token", oldsentry.Token}, `no organization "others"`},
		{[]string{"--url", server.URL, "--org", "acme", "--token", oldsentry.Token, "--project", "shopp"}, `no project "shopp"`},
		{[]string{"--url", server.URL, "--org", "acme", "--token", oldsentry.Token, "--events", "101"}, "--events must be from 0 to 100"},
		{[]string{"--url", server.URL, "--org", "acme", "--token", oldsentry.Token, "--account", "other"}, "is not the id of an account"},
	} {
		status, _, stderr := try(o.environ, append([]string{"import", "sentry"}, c.args...)...)
		if status != 1 || !strings.Contains(stderr, c.want) || strings.Contains(stderr, "hidden") {
			t.Errorf("%q: status %d, %s", c.args, status, stderr)
		}
	}
}

// A file of Sentry's own export needs no server and no token.
func TestImportOfAnExportOfSentry(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	file := filepath.Join(t.TempDir(), "export.json")
	text := `[{"model":"sentry.organization","pk":1,"fields":{"slug":"acme","status":0}},{"model":"sentry.project","pk":7,"fields":{"slug":"shop","name":"Shop","organization":1,"status":0}},
		{"model":"sentry.projectkey","pk":1,"fields":{"project":7,"label":"Default","public_key":"a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4","status":0}}]`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"import", "sentry", "--url", "https://sentry.example.org", "--org", "acme", "--file", file, "--json"}
	var first, again move.Report
	o.read(&first, args...)
	o.read(&again, args...)
	if !slices.Contains(first.Came, move.Came{Noun: "keys", Found: 1, Made: 1}) || !slices.Contains(again.Came, move.Came{Noun: "projects", Found: 1, Present: 1}) {
		t.Errorf("%+v, then %+v", first.Came, again.Came)
	}
	status, _, stderr := try(o.environ, "import", "sentry", "--url", "https://sentry.example.org", "--org", "acme", "--file", file+"x")
	if status != 1 || !strings.Contains(stderr, "--file cannot be read") {
		t.Errorf("a file that is not there: status %d, %s", status, stderr)
	}
}
