package released

import (
	"archive/tar"
	"archive/zip"
	"cmp"
	"compress/gzip"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Address is a method and a path; the method is "*" where the source does not say it, and {} stands for a part that is filled in.
type Address struct{ Method, Path string }

// callsIn lists the addresses that the source in a directory calls: of Go, by its syntax; of what is in archives there, by the texts.
func callsIn(dir string) ([]Address, error) {
	found := map[Address]bool{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), "."):
			return filepath.SkipDir
		case d.IsDir():
			return callsOfPackage(path, found)
		case strings.HasSuffix(path, ".tgz"), strings.HasSuffix(path, ".tar.gz"):
			return inTar(path, found)
		case strings.HasSuffix(path, ".whl"):
			return inZip(path, found)
		default:
			return nil
		}
	})
	all := make([]Address, 0, len(found))
	for a := range found {
		all = append(all, a)
	}
	slices.SortFunc(all, func(a, b Address) int { return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Method, b.Method)) })
	return all, err
}

// callsOfPackage adds what the Go files of a directory call.
func callsOfPackage(dir string, found map[Address]bool) error {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return err
	}
	var files []*ast.File
	prefix := ""
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, file)
		ast.Inspect(file, func(n ast.Node) bool {
			if m := versionPrefix.FindStringSubmatch(literal(n)); m != nil {
				prefix = m[1]
			}
			return true
		})
	}
	for _, file := range files {
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
				callsOfFunction(f, prefix, found)
			}
		}
	}
	return nil
}

// versionPrefix is how a client puts the version of the API before all paths.
var versionPrefix = regexp.MustCompile(`^%s(/v[0-9])%s$`)

// callsOfFunction adds the requests that a function makes: newRequest(ctx, "GET", path, …) with a path that is made in it, and addresses with a
// version wherever they are.
func callsOfFunction(f *ast.FuncDecl, prefix string, found map[Address]bool) {
	made := map[string]string{}
	ast.Inspect(f, func(n ast.Node) bool {
		if as, ok := n.(*ast.AssignStmt); ok && len(as.Lhs) == 1 && as.Tok != token.ADD_ASSIGN {
			if name, ok := as.Lhs[0].(*ast.Ident); ok && made[name.Name] == "" {
				made[name.Name] = pathOf(as.Rhs[0], nil)
			}
		}
		if text, ok := n.(ast.Expr); ok {
			if path := pathOf(text, nil); versioned.MatchString(path) {
				found[Address{"*", clean(path)}] = true
				return false
			}
		}
		call, ok := n.(*ast.CallExpr)
		if !ok || !strings.EqualFold(calledName(call), "newRequest") || len(call.Args) < 3 {
			return true
		}
		if method, path := literal(call.Args[1]), pathOf(call.Args[2], made); method != "" && strings.HasPrefix(path, "/") {
			found[Address{method, clean(prefix + path)}] = true
		}
		return true
	})
}

// versioned is an address of an API that is in a text by itself.
var versioned = regexp.MustCompile(`^/?v[0-9]/[a-z{]`)

// pathOf returns a path as an expression makes it, with {} for what is filled in; "" for any other expression.
func pathOf(e ast.Expr, made map[string]string) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		return literal(e)
	case *ast.Ident:
		return made[e.Name]
	case *ast.BinaryExpr:
		if left := pathOf(e.X, made); left != "" {
			if right := pathOf(e.Y, made); right != "" {
				return left + right
			}
			return left + "{}"
		}
	case *ast.CallExpr:
		if calledName(e) == "Sprintf" && len(e.Args) > 0 {
			return verb.ReplaceAllString(pathOf(e.Args[0], made), "{}")
		}
	}
	return ""
}

var verb = regexp.MustCompile(`%[a-z]`)

func calledName(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.SelectorExpr:
		return f.Sel.Name
	case *ast.Ident:
		return f.Name
	}
	return ""
}

func literal(n ast.Node) string {
	if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
		text, err := strconv.Unquote(lit.Value)
		if err == nil {
			return text
		}
	}
	return ""
}

// clean returns a path without a query and without a slash at its end.
func clean(path string) string {
	path, _, _ = strings.Cut(path, "?")
	return "/" + strings.Trim(path, "/")
}

// inText is an address in a text of JavaScript or Python. What is filled in is ${…}, {…} or %s.
var (
	inText = regexp.MustCompile("/?\\bv[12](?:/(?:[a-z_]+|\\$?\\{[^}\"'`]*\\}|%s))+")
	filled = regexp.MustCompile(`\$?\{[^}]*\}|%s`)
)

// textOf adds the addresses in the source of a file of a package.
func textOf(name string, r io.Reader, found map[Address]bool) error {
	ext := filepath.Ext(name)
	if ext != ".js" && ext != ".ts" && ext != ".py" || strings.Contains(name, "test") || strings.HasSuffix(name, ".d.ts") {
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(r, 16<<20))
	if err != nil {
		return err
	}
	for _, m := range inText.FindAllString(string(text), -1) {
		found[Address{"*", clean(filled.ReplaceAllString(m, "{}"))}] = true
	}
	return nil
}

func inTar(path string, found map[Address]bool) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	for t := tar.NewReader(z); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = textOf(h.Name, t, found)
		}
		if err != nil {
			return err
		}
	}
}

func inZip(path string, found map[Address]bool) error {
	z, err := zip.OpenReader(path)
	if err != nil {
		return err
	}
	defer z.Close()
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			return err
		}
		if err := errors.Join(textOf(f.Name, r, found), r.Close()); err != nil {
			return err
		}
	}
	return nil
}
