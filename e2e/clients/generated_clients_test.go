package clients

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sett/e2e/rig"
	"sett/internal/setttest/program"
)

// openAPIGenerator is the artifact on Maven Central that writes the clients.
const openAPIGenerator = "org.openapitools:openapi-generator-cli:7.14.0"

// generatedClients are the languages of the clients. generated/<language> has the settings of the generator and a program
// that uses the client. A function here builds the program in a directory with all of this, and returns how to run it.
var generatedClients = map[string]func(t *testing.T, dir string) (program []string){
	"go":         buildGeneratedGo,
	"java":       buildGeneratedJava,
	"python":     installGeneratedPython,
	"typescript": compileGeneratedTypeScript,
}

// generatedStory is what each program does, in this order. It prints what it saw as a JSON object.
//   - It creates a project, changes it with a null, reads it, creates another, deletes it, and lists all.
//   - It reports two errors of the class Alpha and one of Beta with any values in context and params, and lists the
//     faults and their newest notice. It pauses and resolves Alpha, and resolves Beta by a search.
//   - It reads two reports, one from a date on and one from a second on, and the occurrences of a day.
//   - It creates 60 check-ins and lists them, 25 a page, by number and by the cursor of the link to the second page.
//   - It creates a site, resets its frequency, and reads it.
//   - It reports a deploy, lists the deploys and reads it.
//   - It creates a status page with the site, renames it, and reads it.
//   - It lists the audit log of the account, and its users.
//   - It asks for what does not exist, for a site at a wrong address, and reports without a key.
//
// These are the operations of /v2 that it needs.
var generatedStory = []string{
	"DELETE /v2/projects/{project_id}",
	"GET /v2/accounts/{account_id}/audit_log",
	"GET /v2/accounts/{account_id}/status_pages/{status_page_id}",
	"GET /v2/accounts/{account_id}/users",
	"GET /v2/projects",
	"GET /v2/projects/{project_id}",
	"GET /v2/projects/{project_id}/check_ins",
	"GET /v2/projects/{project_id}/deploys",
	"GET /v2/projects/{project_id}/deploys/{deploy_id}",
	"GET /v2/projects/{project_id}/faults",
	"GET /v2/projects/{project_id}/faults/{fault_id}/notices",
	"GET /v2/projects/{project_id}/occurrences",
	"GET /v2/projects/{project_id}/reports/notices_by_class",
	"GET /v2/projects/{project_id}/reports/notices_per_day",
	"GET /v2/projects/{project_id}/sites/{site_id}",
	"POST /v2/accounts/{account_id}/status_pages",
	"POST /v2/accounts/{account_id}/status_pages/{status_page_id}",
	"POST /v2/projects",
	"POST /v2/projects/{project_id}/check_ins",
	"POST /v2/projects/{project_id}/faults/resolve",
	"POST /v2/projects/{project_id}/faults/{fault_id}/pause",
	"POST /v2/projects/{project_id}/sites",
	"PUT /v2/projects/{project_id}",
	"PUT /v2/projects/{project_id}/faults/{fault_id}",
	"PUT /v2/projects/{project_id}/sites/{site_id}",
}

// TestGeneratedClients writes clients in several languages from the document of a running server, compiles a program
// with each, and has each do generatedStory. What it saw must be what the server has.
func TestGeneratedClients(t *testing.T) {
	t.Parallel()
	for name, packages := range map[string]string{
		"java": "default-jdk-headless", "javac": "default-jdk-headless", "mvn": "maven", "node": "nodejs", "npm": "npm", "python3": "python3 python3-pip",
	} {
		rig.NeedCommand(t, name, "apt-get install "+packages)
	}
	s := rig.Start(t, "")
	root := t.TempDir()
	if err := os.CopyFS(root, os.DirFS("generated")); err != nil {
		t.Fatal(err)
	}
	rig.WriteFile(t, filepath.Join(root, "openapi.json"), s.Manage(t).Do(http.MethodGet, "/openapi.json", nil, http.StatusOK))
	generateClients(t, root)
	for language, build := range generatedClients {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(root, language)
			runGeneratedStory(t, dir, build(t, dir))
		})
	}
}

// generateClients writes the clients of all languages from openapi.json, all by one process: most of its time is its start.
func generateClients(t *testing.T, root string) {
	t.Helper()
	runIn(t, root, "mvn", "--batch-mode", "--quiet", "dependency:copy", "-Dartifact="+openAPIGenerator, "-DoutputDirectory=generator")
	jars, err := filepath.Glob(filepath.Join(root, "generator", "*.jar"))
	if err != nil || len(jars) != 1 {
		t.Fatalf("Maven got %v, %v", jars, err)
	}
	arguments := []string{"-jar", jars[0], "batch", "--fail-fast", "--root-dir", root}
	for _, language := range slices.Sorted(maps.Keys(generatedClients)) {
		arguments = append(arguments, filepath.Join(language, "generator.json"))
	}
	runIn(t, root, "java", arguments...)
}

func buildGeneratedGo(t *testing.T, dir string) []string {
	rig.RunGo(t, dir, "build", "-o", "story", ".")
	return []string{"./story"}
}

func buildGeneratedJava(t *testing.T, dir string) []string {
	runIn(t, dir, "mvn", "--batch-mode", "--quiet", "dependency:copy-dependencies", "-DincludeScope=compile", "-DoutputDirectory=lib")
	// The whole client is compiled, also what the program does not use.
	runIn(t, dir, "sh", "-euc", `javac -nowarn -d classes -cp 'lib/*' Story.java $(find src/main -name '*.java')`)
	return []string{"java", "-cp", "lib/*:classes", "Story"}
}

func installGeneratedPython(t *testing.T, dir string) []string {
	runIn(t, dir, "python3", "-m", "pip", "install", "--quiet", "--target", "lib", "--requirement", "locked.txt")
	return []string{"env", "PYTHONPATH=lib", "python3", "story.py"}
}

func compileGeneratedTypeScript(t *testing.T, dir string) []string {
	runIn(t, dir, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	runIn(t, dir, "node_modules/.bin/tsc", "--project", ".")
	return []string{"node", "out/story.js"}
}

// runGeneratedStory runs a program against a server of its own.
func runGeneratedStory(t *testing.T, dir string, client []string) {
	t.Helper()
	s := rig.Start(t, "")
	between := watch(t, s)
	cmd := program.Bounded(client[0], append(client[1:], between.URL, s.AuthToken, s.AccountID)...)
	cmd.Dir, cmd.Env = dir, rig.Environment()
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", client, err, stderr.String())
	}
	var seen map[string]any
	if err := json.Unmarshal(out, &seen); err != nil {
		t.Fatalf("%s printed no JSON: %v\n%s", client, err, out)
	}
	same(t, "what the client saw", wantGeneratedStory(t, s), seen)
	same(t, "operations", generatedStory, between.walked())
}

// wantGeneratedStory is what a client must have seen, where it can be as the server says it now.
func wantGeneratedStory(t *testing.T, s *rig.Server) map[string]any {
	t.Helper()
	m := s.Manage(t)
	var names, entries, users, slugs []any
	project := ""
	for _, p := range rig.List[struct {
		ID   int64
		Name string
	}](m, "/v2/projects") {
		names = append(names, p.Name)
		project = fmt.Sprint("/v2/projects/", p.ID) // the last is that of the story
	}
	for _, e := range rig.List[struct{ Changes any }](m, "/v2/accounts/"+s.AccountID+"/audit_log?action=createProject") {
		entries = append(entries, e.Changes)
	}
	for _, u := range rig.List[struct{ Email string }](m, "/v2/accounts/"+s.AccountID+"/users") {
		users = append(users, u.Email)
	}
	for _, c := range rig.List[struct{ Slug string }](m, project+"/check_ins") {
		slugs = append(slugs, c.Slug)
	}
	if len(slugs) != 60 {
		t.Fatalf("there are %d check-ins, want 60", len(slugs))
	}
	return map[string]any{
		"created":       map[string]any{"name": "Shop", "purge_days": 30.0, "user_url": "https://shop.example.test/[user_id]"},
		"updated":       map[string]any{"name": "Store", "purge_days": 30.0, "user_url": ""},
		"projects":      names,
		"faults":        []any{[]any{"Alpha", 2.0}, []any{"Beta", 1.0}},
		"notice":        noticeOfGeneratedStory(s, m, project),
		"resolved":      []any{"Alpha", "Beta"},
		"by_class":      []any{[]any{"Alpha", 2.0}, []any{"Beta", 1.0}},
		"per_day":       3.0,
		"occurrences":   3.0,
		"pages":         []any{slugs[:25], slugs[25:50], slugs[50:]},
		"behind_cursor": slugs[25:50],
		"site": map[string]any{
			"name": "Health", "url": "http://127.0.0.1:9/health", "active": false, "frequency": []any{15.0, 5.0}, "header": "Accept", "match": nil,
		},
		"deploy":      map[string]any{"environment": "production", "revision": "abc123", "listed": 1.0},
		"status_page": map[string]any{"name": "Store", "sites": 1.0, "domain": nil},
		"audit_log":   entries,
		"users":       users,
		"not_found":   "Project not found",
		"invalid":     "Please correct: url must be a URL that starts with http://, https:// or tcp://.",
		"no_key":      "The API key is missing. Send the key of your project in the X-API-Key header.",
	}
}

// noticeOfGeneratedStory is what a client must have seen of the newest notice of Alpha: as the story sends it, and as
// the server has it.
func noticeOfGeneratedStory(s *rig.Server, m rig.Manager, project string) map[string]any {
	m.T.Helper()
	fault := rig.List[struct{ ID int64 }](m, project+"/faults?q=class:Alpha")[0]
	request := rig.List[struct{ Request map[string]any }](m, fmt.Sprint(project, "/faults/", fault.ID, "/notices"))[0].Request
	want := map[string]any{
		"context": map[string]any{"user_email": "ada@example.test", "list": []any{1.0, "two", nil, map[string]any{"deep": true}}},
		"params":  map[string]any{"price": 1.5, "none": nil},
	}
	same(m.T, "what the client sent", want, map[string]any{"context": request["context"], "params": request["params"]})
	want["newest"] = true
	return want
}
