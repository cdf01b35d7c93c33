package app_test

import (
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"sett/internal/setttest/prose"
)

// Every sentence that the program has for people has at most 25 words: of pages, mails, chats, the API, logs and the command line. Tests that render a
// page read its sentences whole; this reads what no test renders.
func TestSentencesOfTheProgramAreShort(t *testing.T) {
	t.Parallel()
	found := 0
	for _, s := range sources(t) {
		if s.test || strings.HasPrefix(s.room, "setttest") {
			continue
		}
		for _, text := range literals(s.File) {
			if statement.MatchString(text) || strings.HasPrefix(text, " ") && strings.HasSuffix(text, " ") { // a list of words to look up
				continue
			}
			found++
			for _, long := range prose.Long(command.ReplaceAllString(text, "")) {
				t.Errorf("%s: %s", s.path, long)
			}
		}
	}
	if found < 5000 {
		t.Errorf("only %d texts were found in the sources", found)
	}
}

// command finds the lines of a help that are commands.
var command = regexp.MustCompile(`(?m)^  .*$`)

// statement is in the texts that a database reads.
var statement = regexp.MustCompile(`(?m)^\s*--\s|\b(LIKE|SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE TABLE|WITH|WHERE|JOIN|ORDER BY)\b`)

// tagged finds the values in the tag of a field, which documentation and help show.
var tagged = regexp.MustCompile(`[a-z]+:"((?:[^"\\]|\\.)*)"`)

// literals are the texts of a file, those that are put together by + as one. What is computed counts as a word.
func literals(file *ast.File) (texts []string) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch e := n.(type) {
		case *ast.Field:
			if e.Tag != nil {
				for _, value := range tagged.FindAllStringSubmatch(e.Tag.Value, -1) {
					texts = append(texts, value[1])
				}
				return false
			}
		case *ast.BinaryExpr:
			if text, ok := joined(e); ok {
				texts = append(texts, text)
				return false
			}
		case *ast.BasicLit:
			if e.Kind == token.STRING {
				text, _ := strconv.Unquote(e.Value)
				texts = append(texts, text)
			}
		}
		return true
	})
	return texts
}

// joined is the text of an expression, and whether any of it is in the source.
func joined(e ast.Expr) (text string, written bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			left, some := joined(e.X)
			right, more := joined(e.Y)
			return left + right, some || more
		}
	}
	return "x", false
}

// Every sentence of the manual and the README has at most 25 words. Code counts as one word, and so does each cell of a table and each item of a list as a
// text of its own.
func TestSentencesOfTheManualAreShort(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{"README.md", "docs/*.md"} {
		names, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(names), err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, block := range prose.Blocks(string(text)) {
				for _, long := range prose.Long(block) {
					t.Errorf("%s: %s", strings.TrimPrefix(name, root+"/"), long)
				}
			}
		}
	}
}
