package app_test

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Each package has a name of its own, so that no import needs another name for it.
func TestPackagesHaveNamesOfTheirOwn(t *testing.T) {
	t.Parallel()
	dirs := map[string]string{} // by name
	for _, s := range sources(t) {
		dir, name := path.Dir(s.path), strings.TrimSuffix(s.Name.Name, "_test")
		if other := dirs[name]; name != "main" && other != "" && other != dir {
			t.Errorf("%s and %s are both package %s", other, dir, name)
		}
		dirs[name] = dir
		for _, i := range s.Imports {
			if i.Name != nil && i.Name.Name != "_" && strings.HasPrefix(i.Path.Value, `"sett/`) {
				t.Errorf("%s imports %s under the name %s: give the package a name that fits everywhere", s.path, i.Path.Value, i.Name)
			}
		}
	}
}

// lastRelease is the file that has the lines of each room at the last release, without tests: a row of a room and a number.
const lastRelease = "testdata/rooms.txt"

// A room that has grown by a quarter since the last release may have got a second reason to change: make rooms lists those. After a release,
// run this test with -rooms, which writes the file anew.
func TestRoomsThatGrew(t *testing.T) {
	t.Parallel()
	lines := map[string]int{}
	for _, s := range sources(t) {
		if !s.test {
			lines[s.room] += s.lines
		}
	}
	if *updateRooms {
		var b strings.Builder
		for _, room := range slices.Sorted(maps.Keys(lines)) {
			fmt.Fprintf(&b, "%s %d\n", room, lines[room])
		}
		if err := os.WriteFile(lastRelease, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(lastRelease)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var room string
		var before int
		if _, err := fmt.Sscan(line, &room, &before); err != nil {
			t.Fatalf("%s: %q: %v", lastRelease, line, err)
		}
		if now := lines[room]; now*4 > before*5 {
			t.Logf("%s has grown from %d to %d lines since the last release: does it have one reason to change?", room, before, now)
		}
	}
}

var updateRooms = flag.Bool("rooms", false, "write the lines of each room to "+lastRelease)

// nameOfStatement finds the comment that begins an SQL statement. Statistics of PostgreSQL and its log show it.
var nameOfStatement = regexp.MustCompile("[`\"]-- ([a-z]+)\\.[A-Za-z]")

func TestStatementsAreNamedAfterTheirPackage(t *testing.T) {
	t.Parallel()
	named := 0
	for _, s := range sources(t) {
		if s.test || !strings.HasPrefix(s.path, "internal/store/") {
			continue
		}
		ast.Inspect(s.File, func(n ast.Node) bool {
			if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING {
				if name := nameOfStatement.FindStringSubmatch(text.Value); name != nil && name[1] != s.Name.Name {
					t.Errorf("%s names a statement after package %s: %.60s", s.path, name[1], text.Value)
				} else if name != nil {
					named++
				}
			}
			return true
		})
	}
	if named < 500 {
		t.Errorf("only %d statements have a name that begins with their package", named)
	}
}

// contextRooms may put values into contexts. A value that a function finds in its context is an argument that its
// signature hides.
var contextRooms = []string{"serve/auth", "serve", "web", "web/statuspage"}

// contextValues are the files beyond that, each with the reason why an argument would be worse.
var contextValues = map[string]string{
	"internal/store/accountdb/audit.go":      "middleware prepares the entry of a request once; the first transaction that commits stores it, and no handler can forget it",
	"internal/store/accountdb/own_change.go": "the same for changes of a user's own account; only the store knows in which accounts it is recorded",
	"internal/api/scim/door.go":              "the library of the protocol passes handlers nothing but the request",
	"internal/store/db/replica.go":           "middleware decides it per request, and database/sql passes nothing else to the connections that choose a server",
	"internal/store/db/pace.go":              "whether work is done at once or in the background decides its caller, and each sweep on the way to a transaction would have to pass it",
	"internal/base/progress/progress.go":     "only who started the work knows where it is shown, and each function on the way to what takes long would have to pass it",
	"internal/store/db/random.go":            "only the demo sets a source of ids, and each function on the way to a new id would have to pass it",
}

func TestContextsCarryNoArguments(t *testing.T) {
	t.Parallel()
	found := map[string]bool{}
	for _, s := range sources(t) {
		if s.test || slices.Contains(contextRooms, s.room) {
			continue
		}
		ast.Inspect(s.File, func(n ast.Node) bool {
			if call, ok := n.(*ast.SelectorExpr); ok && call.Sel.Name == "WithValue" {
				found[s.path] = true
			}
			return true
		})
	}
	for name := range found {
		if contextValues[name] == "" {
			t.Errorf("%s puts a value into a context: pass it as an argument or a field, or give a reason in contextValues", name)
		}
	}
	for name := range contextValues {
		if !found[name] {
			t.Errorf("%s puts no value into a context; delete its line in contextValues", name)
		}
	}
}

// bannedWords are words that no manual of the field uses for what they would mean here; docs/words.md has those to use. The pattern banned
// finds them in texts, and bannedNames as parts of names in camel case.
var (
	bannedWords = []string{"told", "tells", "nobody", "somebody", "whoever", "mend", "mends", "mended", "by the interface"}
	banned      = regexp.MustCompile(`\b(` + strings.Join(append(bannedWords, capitalized(bannedWords)...), "|") + `)\b`)
	bannedNames = regexp.MustCompile(fmt.Sprintf(`([a-z0-9]|\b)(%[1]s)[A-Z]|[a-z0-9](%[1]s)\b|\b(%[2]s)[A-Z]`,
		strings.Join(capitalized(bannedWords), "|"), strings.Join(bannedWords, "|")))
)

func capitalized(words []string) (all []string) {
	for _, word := range words {
		all = append(all, strings.ToUpper(word[:1])+word[1:])
	}
	return all
}

// usedWords are how many of them a room, its tests or some pages keep, because they mean something else there: "nobody" is a word of the
// search language, and the name of a Unix user.
var usedWords = map[string]int{
	"docs/*.md":               1, // assignee:nobody
	"e2e/*/*.go":              8, // the Unix user, a wrong API key, and the message of an exception in e2e/rig/js
	"event/query":             2,
	"setttest":                2, // the user that PostgreSQL runs as in tests
	"store/searchdb":          1,
	"tests of store/searchdb": 2,
}

func TestPlainWords(t *testing.T) {
	t.Parallel()
	found := map[string]int{}
	read := func(name string) string {
		t.Helper()
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lower := bytes.ToLower(text) // a search for plain words takes a tenth of the time of the patterns
		if !slices.ContainsFunc(bannedWords, func(word string) bool { return bytes.Contains(lower, []byte(word)) }) {
			return ""
		}
		return string(text)
	}
	for _, s := range sources(t) {
		if s.path == "internal/app/house_test.go" {
			continue
		}
		text, where := read(filepath.Join(root, s.path)), s.room
		if s.test {
			where = "tests of " + s.room
		}
		found[where] += len(banned.FindAllString(text, -1))
		if names := bannedNames.FindAllString(text, -1); len(names) > 0 {
			t.Errorf("%s has names with banned words: %q. See docs/words.md", s.path, names)
		}
	}
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/decisions/*.md", "internal/*/page/*.html", "internal/*/*/page/*.html", "internal/notify/mail/*", "e2e/*/*.go", "e2e/*/*/*.go", "deploy/*.go", "deploy/*/*.go", "deploy/*/*.yaml"} {
		names, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			text := read(name)
			found[pattern] += len(banned.FindAllString(text, -1))
			if names := bannedNames.FindAllString(text, -1); len(names) > 0 && path.Ext(name) == ".go" {
				t.Errorf("%s has names with banned words: %q. See docs/words.md", name, names)
			}
		}
	}
	for where, n := range found {
		if n != usedWords[where] {
			t.Errorf("%s: %d banned words, and usedWords has %d. Write what the field writes; see docs/words.md", where, n, usedWords[where])
		}
	}
}
