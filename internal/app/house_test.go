package app_test

import (
	"go/ast"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The largest that a package may be, without its tests.
const (
	mostLines = 8_000
	mostFiles = 60
)

// larger are packages beyond that, with what they may not exceed. An entry that is not needed any more fails the test.
var larger = map[string]struct{ lines, files int }{}

func TestPackagesAreSmall(t *testing.T) {
	t.Parallel()
	lines, files := map[string]int{}, map[string]int{}
	for _, s := range sources(t) {
		if !s.test {
			lines[path.Dir(s.path)] += s.lines
			files[path.Dir(s.path)]++
		}
	}
	for dir, n := range lines {
		is := n > mostLines || files[dir] > mostFiles
		may, listed := larger[dir]
		switch {
		case is && !listed:
			t.Errorf("%s has %d lines in %d files; beyond %d lines or %d files it holds more than one kind of work", dir, n, files[dir], mostLines, mostFiles)
		case is && (n > may.lines || files[dir] > may.files):
			t.Errorf("%s has grown to %d lines in %d files; it is to become smaller", dir, n, files[dir])
		case listed && !is:
			t.Errorf("%s is small by now; delete its line in larger", dir)
		}
	}
}

// contextRooms may put values into contexts. A value that a function finds in its context is an argument that its
// signature hides.
var contextRooms = []string{"auth", "serve", "web", "statuspage"}

// contextValues are the files beyond that, each with the reason why an argument would be worse.
var contextValues = map[string]string{
	"internal/store/account/audit.go":      "middleware prepares the entry of a request once; the first transaction that commits stores it, and no handler can forget it",
	"internal/store/account/own_change.go": "the same for changes of a user's own account; only the store knows in which accounts it is recorded",
	"internal/store/db/random.go":          "only the demo sets a source of ids, and each function on the way to a new id would have to pass it",
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

// banned are words that no manual of the field uses for what they would mean here; docs/words.md has those to use.
var banned = regexp.MustCompile(`\b([Tt]old|[Tt]ells|[Nn]obody|[Ss]omebody|[Ww]hoever|[Mm]end|[Mm]ended|[Mm]ends|by the interface)\b`)

// leftOver is how many of them the text of each room still has. It only shrinks: a commit that rewrites a text lowers its
// number.
var leftOver = map[string]int{
	"notify":          1,
	"store/db":        2,
	"store/delivery":  46,
	"store/status":    11,
	"store/storetest": 1,
}

// usedWords are how many of them a text keeps, because they mean something else there: "nobody" is a word of the search
// language, and the name of a Unix user.
var usedWords = map[string]int{
	"docs/*.md":   1, // assignee:nobody
	"query":       1,
	"setttest":    2, // the user that PostgreSQL runs as in tests
	"store/fault": 1,
}

// unreadTests are the rooms whose tests, and names in camel case, still have such words.
var unreadTests = []string{"notify", "store/db", "store/delivery", "store/outbox", "store/status"}

// keptInTests are how many of them the tests of other rooms keep.
var keptInTests = map[string]int{
	"store/fault":  1,  // assignee:nobody
	"store/uptime": 13, // Desk.Tells, which tests of store/status call too
}

// bannedNames are the same words as parts of names in camel case.
var bannedNames = regexp.MustCompile(`([a-z0-9]|\b)(Told|Tells|Nobody|Somebody|Whoever|Mends|Mended)[A-Z]|[a-z0-9](Told|Tells|Nobody|Somebody|Whoever|Mends|Mended)\b|\b(told|tells|nobody|somebody|whoever|mends|mended)[A-Z]`)

func TestPlainNames(t *testing.T) {
	t.Parallel()
	found := map[string]int{}
	for _, s := range sources(t) {
		if slices.Contains(unreadTests, s.room) || s.path == "internal/app/house_test.go" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, s.path))
		if err != nil {
			t.Fatal(err)
		}
		n := len(bannedNames.FindAll(text, -1))
		if n > 0 {
			t.Errorf("%s has %d names with words that TestPlainNames bans", s.path, n)
		}
		if s.test {
			found[s.room] += len(banned.FindAll(text, -1))
		}
	}
	for room, n := range found {
		if n != keptInTests[room] {
			t.Errorf("the tests of %s have %d words that TestPlainWords bans, and keptInTests has %d", room, n, keptInTests[room])
		}
	}
}

func TestPlainWords(t *testing.T) {
	t.Parallel()
	found := map[string]int{}
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, s.path))
		if err != nil {
			t.Fatal(err)
		}
		found[s.room] += len(banned.FindAllString(string(text), -1))
	}
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/decisions/*.md", "internal/*/page/*.html", "internal/*/*/page/*.html", "internal/notify/mail/*"} {
		names, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			found[pattern] += len(banned.FindAllString(string(text), -1))
		}
	}
	for where, n := range found {
		n -= usedWords[where]
		if n > leftOver[where] {
			t.Errorf("%s has %d words that TestPlainWords bans; it had %d. Write what the field writes; see docs/words.md", where, n, leftOver[where])
		}
		if n < leftOver[where] {
			t.Errorf("%s has only %d words that readers stumble over: write so in leftOver, which has %d", where, n, leftOver[where])
		}
	}
	for where := range leftOver {
		if _, there := found[where]; !there && !strings.Contains(where, "*") {
			t.Errorf("leftOver has %s, which does not exist", where)
		}
	}
}
