package web

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"sett/internal/sett"
)

func TestExplainNamesLabels(t *testing.T) {
	t.Parallel()
	form := Fields{{Name: "match", Label: "Text or status"}, {Name: "match_type", Label: "Expected response"}, {Name: "outage_threshold", Label: "Failed checks"}}
	form.Explain(sett.Problems{"match can't be blank when match_type is exact", "outage_threshold must be from 1 to 100, or null"})
	for i, want := range []string{
		"Text or status can't be blank when “Expected response” is exact.", "", "Failed checks must be from 1 to 100, or empty.",
	} {
		if form[i].Problem != want {
			t.Errorf("%s: %q, want %q", form[i].Name, form[i].Problem, want)
		}
	}
}

// No problem that the code has words for names a field of the API, a value of JSON or a noun of the API on a page.
func TestFormsNameNoFieldsOfTheAPI(t *testing.T) {
	t.Parallel()
	internal := regexp.MustCompile(`\b[a-z]+_[a-z]+\b|\bnull\b|\bfaults?\b|\bnotices?\b|\bintegrations?\b`)
	found := 0
	for _, problem := range problemsIn(t, os.DirFS("../")) {
		found++
		if said := plainProblem(problem, nil); internal.MatchString(said) {
			t.Errorf("%q becomes %q, which is in the words of the API", problem, said)
		}
	}
	if found < 150 {
		t.Errorf("only %d problems were found in the source", found)
	}
}

// problemsIn returns the formats of Problems.Add and Refuse in the source.
func problemsIn(t *testing.T, tree fs.FS) (problems []string) {
	t.Helper()
	err := fs.WalkDir(tree, ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && refuses(call) && len(call.Args) > 1 {
				if format, ok := call.Args[1].(*ast.BasicLit); ok && format.Kind == token.STRING {
					text, _ := strconv.Unquote(format.Value)
					problems = append(problems, text)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return problems
}

// refuses reports whether a call adds a problem: p.Add(field, …) or sett.Refuse(field, …).
func refuses(call *ast.CallExpr) bool {
	selector, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	of, _ := selector.X.(*ast.Ident)
	return selector.Sel.Name == "Refuse" || selector.Sel.Name == "Add" && of != nil && (of.Name == "p" || of.Name == "problems")
}
