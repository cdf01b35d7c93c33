package app_test

import (
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"sett/internal/setttest/prose"
)

// Operators read the log without the source: its lines are short sentences in the words of the manual, warnings and errors say what to do, and every
// key is in the table of the manual, which has no other.
func TestLogLinesCanBeReadByOperators(t *testing.T) {
	t.Parallel()
	manual, used := keysInManual(t), map[string]bool{}
	lines := 0
	for _, s := range sources(t) {
		if s.test || strings.HasPrefix(s.room, "setttest") {
			continue
		}
		ast.Inspect(s.File, func(n ast.Node) bool {
			keys := keysOf(n)
			for _, key := range keys {
				used[key] = true
				if !manual[key] {
					t.Errorf("%s: the key %q is not in the table of docs/administration.md", s.path, key)
				}
			}
			if call, ok := n.(*ast.CallExpr); ok && lineOf(call) != "" {
				lines++
				checkLine(t, s.path, lineOf(call), warns(call), keys)
			}
			return true
		})
	}
	if lines < 60 {
		t.Errorf("only %d lines of the log were found", lines)
	}
	for key := range manual {
		if !used[key] {
			t.Errorf("docs/administration.md explains %q, which no line has", key)
		}
	}
}

func checkLine(t *testing.T, path, line string, warns bool, keys []string) {
	t.Helper()
	first, _ := utf8.DecodeRuneInString(line)
	if !unicode.IsLower(first) && first != '/' || strings.HasSuffix(line, ".") {
		t.Errorf("%s: a line of the log begins in lower case and ends without a full stop: %q", path, line)
	}
	for _, long := range prose.Long(line) {
		t.Errorf("%s: %s", path, long)
	}
	if names := append(prose.Names(line), integrations.FindAllString(line, -1)...); len(names) > 0 {
		t.Errorf("%s: %q is in %q", path, names, line)
	}
	if warns && !slices.Contains(keys, "hint") {
		t.Errorf("%s: a warning or error lacks a hint that says what to do: %q", path, line)
	}
}

var integrations = regexp.MustCompile(`(?i)\b(integrations?|loops?|nodes?|lease)\b`)

// lineOf is the sentence of a call that writes to the log; "" if it is no such call, or computes the sentence.
func lineOf(call *ast.CallExpr) string {
	at := firstKey(call) - 1
	if at < 0 || at >= len(call.Args) {
		return ""
	}
	if text, written := joined(call.Args[at]); written {
		return text
	}
	return ""
}

// firstKey is the place of the first key in a call that writes to the log, 0 for other calls.
func firstKey(call *ast.CallExpr) int {
	to, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || !isLog(to.X) {
		return 0
	}
	switch to.Sel.Name {
	case "Debug", "Info", "Warn", "Error":
		return 1
	case "Log", "LogAttrs":
		return 3
	}
	return 0
}

func isLog(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return strings.EqualFold(e.Name, "log")
	case *ast.SelectorExpr:
		return strings.EqualFold(e.Sel.Name, "log")
	}
	return false
}

// warns reports whether a call writes a warning or an error; one whose level is computed counts.
func warns(call *ast.CallExpr) bool {
	name := call.Fun.(*ast.SelectorExpr).Sel.Name
	return name != "Info" && name != "Debug"
}

// keysOf are the keys that a part of the source adds to a line of the log: a call that writes one, or what is gathered for it in attrs.
func keysOf(n ast.Node) []string {
	if set, ok := n.(*ast.AssignStmt); ok && isAttrs(set.Lhs[0]) {
		if all, ok := set.Rhs[0].(*ast.CompositeLit); ok {
			return keysIn(all.Elts)
		}
	}
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return nil
	}
	if len(call.Args) > 1 && isAttrs(call.Args[0]) {
		return keysIn(call.Args[1:])
	}
	if to, ok := call.Fun.(*ast.SelectorExpr); ok && len(call.Args) == 2 {
		if of, ok := to.X.(*ast.Ident); ok && of.Name == "slog" {
			return keysIn(call.Args[:1])
		}
	}
	if from := firstKey(call); from > 0 && from <= len(call.Args) {
		return keysIn(call.Args[from:])
	}
	return nil
}

func isAttrs(e ast.Expr) bool {
	name, ok := e.(*ast.Ident)
	return ok && name.Name == "attrs"
}

// keysIn are the keys among arguments: every second one, also of those that are appended to others.
func keysIn(args []ast.Expr) (keys []string) {
	for i := 0; i < len(args); i += 2 {
		if call, ok := args[i].(*ast.CallExpr); ok && len(call.Args) > 1 {
			keys = append(keys, keysIn(call.Args[1:])...)
		}
		if text, written := joined(args[i]); written {
			keys = append(keys, text)
		}
	}
	return keys
}

// keysInManual are the keys in the first cells of the table about the log.
func keysInManual(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs/administration.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "\n| keys | value |\n")
	table, _, found := strings.Cut(table, "\n\n")
	if !found {
		t.Fatal("docs/administration.md has no table of keys")
	}
	keys := map[string]bool{}
	for row := range strings.Lines(table) {
		for _, key := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(strings.Split(row, "|")[1], -1) {
			keys[key[1]] = true
		}
	}
	return keys
}
