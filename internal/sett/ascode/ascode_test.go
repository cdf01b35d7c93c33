package ascode

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"
)

// Any text that is written into a file is read from it again.
func TestTextsStayThemselves(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-z0-9 :#'"{}\[\],&*!|>%@\n\t-]{0,40}`)).Draw(t, "text")
		query := rapid.StringMatching(`([a-z:# |"-]{0,9}\n?){0,4}`).Draw(t, "query")
		project := &Thing{Kind: Root().sub("projects"), Key: "web", Fields: map[string]any{"name": text, "user_url": query}}
		alarm := &Thing{Kind: project.Kind.sub("alarms"), Key: "1e3", Parent: project, Fields: map[string]any{"name": text, "query": query}}
		project.Things = []*Thing{alarm}
		file, _ := Write(&Thing{Kind: Root(), Things: []*Thing{project}}, "")
		root, problems := Read([]Source{{"a.yaml", []byte(file)}})
		if len(problems) > 0 {
			t.Fatalf("%v\n%s", problems, file)
		}
		var got []any
		for _, thing := range root.All() {
			got = append(got, thing.Fields)
		}
		if diff := cmp.Diff([]any{project.Fields, alarm.Fields}, got); diff != "" {
			t.Fatalf("(-want +got):\n%s\n%s", diff, file)
		}
	})
}

const sample = `
teams:
  night: {name: Night}
projects:
  web:
    name: Web
    teams: [night]
    sites:
      front: {name: 404, url: {env: URL}, frequency: 5, request_headers: [{key: A, value: b}]}
status_pages:
  public: {name: Web, sites: [{site: web/front, group: A}], password: {file: p.txt}}
`

// Editors accept what sett accepts, and see what is wrong.
func TestSchemaAgreesWithFiles(t *testing.T) {
	t.Parallel()
	compiler := jsonschema.NewCompiler()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema("https://sett.example.org/schema.json")))
	if err != nil {
		t.Fatal(err)
	}
	if err := compiler.AddResource("https://sett.example.org/schema.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("https://sett.example.org/schema.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		change []string
		valid  bool
	}{
		{[]string{"", ""}, true},
		{[]string{"frequency: 5", "frequency: 7"}, false},
		{[]string{"frequency", "frequenzy"}, false},
		{[]string{"front:", "a b:"}, false},
		{[]string{"{env: URL}", "{env: URL, file: x}"}, false},
	} {
		text := strings.ReplaceAll(sample, tt.change[0], tt.change[1])
		var v any
		if err := yaml.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		asJSON, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(asJSON))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(parsed); (err == nil) != tt.valid {
			t.Errorf("%q: the schema says %v", tt.change, err)
		}
	}
}

// A thing may be in several files, each of its fields in one, in any order of the files.
func TestFilesMerge(t *testing.T) {
	t.Parallel()
	files := []Source{
		{"a.yaml", []byte("projects:\n  web:\n    name: Web\n    teams: [night]\n---\nteams:\n")},
		{"b.yaml", []byte("teams:\n  night: {name: Night}\nprojects:\n  web:\n    purge_days: 7\n")},
	}
	root, problems := Read(files)
	if len(problems) > 0 || len(root.Things) != 2 {
		t.Fatalf("%v %v", problems, root.Things)
	}
	if diff := cmp.Diff(map[string]any{"name": "Web", "teams": []any{"night"}, "purge_days": 7.0}, root.Things[0].Fields); diff != "" {
		t.Error(diff)
	}
	_, problems = Read(append(files, Source{"c.yaml", []byte("projects:\n  web:\n    name: Shop\n")}))
	if len(problems) != 1 || problems[0].Error() != "c.yaml:3:5: name of project web is set in a.yaml:3:11 too; keep one of them" {
		t.Errorf("a field that is set twice: %v", problems)
	}
}

// Aliases of YAML cannot make a small file large.
func TestAliasesAreBounded(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for _, n := range []string{"1", "2", "3", "4", "5", "6", "7", "8"} {
		last := string(n[0] - 1)
		b.WriteString("a" + n + ": &a" + n + " [" + strings.Repeat("*a"+last+", ", 9) + "*a" + last + "]\n")
	}
	b.WriteString("projects: {web: {name: Web, sites: {a: {request_headers: *a8}}}}\n")
	if _, problems := Read([]Source{{"a.yaml", []byte(b.String())}}); len(problems) == 0 {
		t.Error("the file is taken")
	}
	itself := "projects: {web: {name: Web, sites: {a: {request_headers: &a [*a, *a]}}}}\n"
	if _, problems := Read([]Source{{"a.yaml", []byte(itself)}}); len(problems) != 1 || !strings.Contains(problems[0].What, "levels deep") {
		t.Errorf("an alias in itself: %v", problems)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte("projects: &a\n  web: *a\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		root, problems := Read([]Source{{"a.yaml", text}})
		if len(problems) == 0 {
			Write(root, "")
		}
	})
}
