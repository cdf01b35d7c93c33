package app_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// sett must build on systems that the tests do not run on. The types of the whole program are checked for each of them, but only our own
// function bodies: that takes a fortieth of the time of a build.
func TestTypesOnOtherSystems(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short leaves out tests that take seconds")
	}
	top, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	for name, of := range map[string]struct {
		system   string
		tests    bool
		packages []string
	}{
		"darwin":  {"darwin", false, []string{"./cmd/sett"}},
		"windows": {"windows", false, []string{"./cmd/sett"}},
		// Agents and jobs are supported there (decision 77), so their tests compile too.
		"tests on windows": {"windows", true, []string{"./internal/monitor/agent", "./internal/monitor/job", "./internal/monitor/probe", "./internal/monitor/prober"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			loaded, err := packages.Load(&packages.Config{
				Mode:      packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedTypes | packages.NeedSyntax,
				Dir:       top,
				Tests:     of.tests,
				Env:       append(os.Environ(), "GOOS="+of.system, "GOARCH=amd64", "CGO_ENABLED=0"),
				ParseFile: ownBodies(top),
			}, of.packages...)
			if err != nil {
				t.Fatal(err)
			}
			checked := 0
			packages.Visit(loaded, nil, func(p *packages.Package) {
				if p.PkgPath != "sett" && !strings.HasPrefix(p.PkgPath, "sett/") {
					return // bodies are missing there
				}
				if strings.HasSuffix(p.PkgPath, ".test") {
					return // what go test writes is not ours
				}
				checked++
				for _, err := range p.Errors {
					t.Error(err)
				}
			})
			if checked < 20 {
				t.Errorf("only %d packages were checked", checked)
			}
		})
	}
}

// ownBodies parses a file without the bodies of its functions, unless the file is under a directory.
func ownBodies(top string) func(*token.FileSet, string, []byte) (*ast.File, error) {
	return func(files *token.FileSet, name string, source []byte) (*ast.File, error) {
		file, err := parser.ParseFile(files, name, source, parser.SkipObjectResolution)
		if err == nil && !strings.HasPrefix(name, top+string(filepath.Separator)) {
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok {
					f.Body = nil
				}
			}
		}
		return file, err
	}
}
