package app_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/api"
	"sett/internal/api/apiv3"
)

// Where the tables of operations are in docs/compatibility.md.
const (
	operationsFrom = "<!-- Operations: written by go test ./internal/app -run Operations -update from the tables of routes. -->\n"
	operationsTo   = "<!-- End of the operations. -->\n"
)

// published is an operation that clients may know.
type published struct{ api, name, method, path, scope string }

// publishedOperations reads testdata/operations.txt.
func publishedOperations(t *testing.T) (all []published) {
	t.Helper()
	text, err := os.ReadFile("testdata/operations.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); !strings.HasPrefix(line, "#") {
			all = append(all, published{f[0], f[1], f[2], f[3], strings.Trim(f[4], "-")})
		}
	}
	return all
}

var inBraces = regexp.MustCompile(`\{[a-z_]*\}`)

// shape is a request without the names of what is in its path.
func shape(method, path string) string { return method + " " + inBraces.ReplaceAllString(path, "{}") }

// operationsTables are the tables of docs/compatibility.md.
func operationsTables(t *testing.T) string {
	t.Helper()
	routes := api.New(api.Options{}).Routes()
	served := map[string]string{}
	for _, rt := range routes {
		served[shape(rt.Method, rt.Path)] = rt.Name
	}
	served["GET /v2/projects/{}/reports/{}"] = served["GET /v2/projects/{}/reports/notices_by_class"]
	ours := map[string]apiv3.Listed{}
	for _, op := range apiv3.New(apiv3.Options{Routes: routes}).Operations() {
		ours[shape(op.Method, op.Path)] = op
	}
	var two, three strings.Builder
	for _, p := range publishedOperations(t) {
		if p.api == "v2" {
			state := "there"
			if served[shape(p.method, p.path)] == "" {
				state = "not there yet"
			}
			fmt.Fprintf(&two, "| `%s %s` | %s |\n", p.method, p.path, state)
			continue
		}
		op, ok := ours[shape(p.method, p.path)]
		if p.path == "/openapi.json" {
			ok, op.Name = true, p.name
		}
		if ok && (op.Name != p.name || op.Scope != p.scope) {
			t.Errorf("%s is %s with the scope %s, and published with %s", p.name, op.Name, op.Scope, p.scope)
		}
		fmt.Fprintf(&three, "| %s | `%s %s` | %s | %s |\n", p.name, p.method, cmpPath(op.Path, p.path), codeOrNone(p.scope), stateOf(op, ok))
	}
	return "\n## Operations of /v3\n\n| operation | request below `/v3` | scope | state |\n|---|---|---|---|\n" + three.String() +
		"\n## Operations of /v2\n\n| request | state |\n|---|---|\n" + two.String() + "\n"
}

func cmpPath(ours, theirs string) string {
	if ours == "" {
		return theirs
	}
	return ours
}

func codeOrNone(scope string) string {
	if scope == "" {
		return "none"
	}
	return code(scope)
}

func stateOf(op apiv3.Listed, there bool) string {
	switch {
	case !there:
		return "not there yet"
	case op.Missing != "":
		return "not there yet"
	case op.Not != "":
		return "refused: " + op.Not
	case op.Differs != "":
		return "answers otherwise: " + op.Differs
	default:
		return "there"
	}
}

func TestOperationsOfTheManualAreCurrent(t *testing.T) {
	t.Parallel()
	file := filepath.Join(root, "docs/compatibility.md")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(text), operationsFrom)
	_, after, ends := strings.Cut(rest, operationsTo)
	if !begins || !ends {
		t.Fatal("docs/compatibility.md lacks the lines between which the tables of operations are")
	}
	want := before + operationsFrom + operationsTables(t) + operationsTo + after
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		text = []byte(want)
	}
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("docs/compatibility.md is stale; run go test ./internal/app -run Operations -update (-want +got):\n%s", diff)
	}
}

// Every operation of /v3 that the table has is published, or is another path of one that is.
func TestOperationsAreKnown(t *testing.T) {
	t.Parallel()
	known := publishedOperations(t)
	for _, op := range apiv3.New(apiv3.Options{Routes: api.New(api.Options{}).Routes()}).Operations() {
		other := strings.HasSuffix(op.Name, "ProjectKey") || strings.HasSuffix(op.Name, "ProjectKeys") || op.Name == "replaceCheckInsShort"
		if !other && !slices.ContainsFunc(known, func(p published) bool { return p.name == op.Name }) {
			t.Errorf("%s is no published operation", op.Name)
		}
	}
}
