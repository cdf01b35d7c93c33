package clients

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/e2e/rig"
	"sett/internal/event/sourcemap"
	"sett/internal/ingest/unminify"
	"sett/internal/setttest/program"
	"sett/internal/store"
	"sett/internal/store/db"
)

// workshop is where programs are built, with a server that they are uploaded to. Requests pass a proxy, which notes them.
type workshop struct {
	*rig.Server
	t   *testing.T
	dir string
	url string // of the proxy

	stopped bool

	mu   sync.Mutex
	seen []string // methods and last parts of paths, such as "POST chunk-upload"
}

func newWorkshop(t *testing.T) *workshop {
	t.Helper()
	installed := rig.InstallCopy(t, filepath.Join("exporters", "sentry", "build"))
	w := &workshop{t: t, dir: t.TempDir(), Server: rig.Prepare(t, "")}
	if err := os.CopyFS(w.dir, os.DirFS(filepath.Join("exporters", "sentry", "build"))); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(installed, "node_modules"), filepath.Join(w.dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: w.pass})
	t.Cleanup(proxy.Close)
	w.url = proxy.URL
	w.Flags = append(w.Flags, "--base-url", "http://sett.invalid") // which the tools cannot reach: they know the server by the name of the proxy
	w.Restart(t)
	w.Base = "http://" + w.Log.Listen
	t.Cleanup(w.end)
	return w
}

// end stops the server, unless it is stopped.
func (w *workshop) end() {
	if !w.stopped {
		w.stopped = true
		w.Stop(w.t)
	}
}

func (w *workshop) pass(r *httputil.ProxyRequest) {
	parts := strings.Split(strings.Trim(r.In.URL.Path, "/"), "/")
	w.mu.Lock()
	w.seen = append(w.seen, r.In.Method+" "+parts[len(parts)-1])
	w.mu.Unlock()
	if to, err := url.Parse(w.Base); err == nil {
		r.SetURL(to)
		r.Out.Host = r.In.Host
	}
}

// requests returns what was requested since it was called last, each once.
func (w *workshop) requests() (seen []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	seen, w.seen = w.seen, nil
	slices.Sort(seen)
	return slices.Compact(seen)
}

// run runs a program with the variables of Sentry's tools, and returns its output and status.
func (w *workshop) run(release, name string, args ...string) (output string, status int) {
	w.t.Helper()
	cmd := program.Bounded(name, args...)
	cmd.Dir = w.dir
	cmd.Env = append(rig.Environment(), "RELEASE="+release, "SENTRY_URL="+w.url, "SENTRY_ORG="+w.AccountID, fmt.Sprintf("SENTRY_PROJECT=%d", w.ProjectID),
		"SENTRY_AUTH_TOKEN="+w.AuthToken, "SENTRY_DSN="+dsn(w.Server), "SETT_KEY="+w.APIKey, "SETT_BASE="+w.url, "HOME="+w.dir, "CI=1")
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		w.t.Fatalf("%s: %v", cmd, err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// must is run for a program that must succeed.
func (w *workshop) must(release, name string, args ...string) (output string) {
	w.t.Helper()
	output, status := w.run(release, name, args...)
	if status != 0 {
		w.t.Fatalf("%s %q: status %d\n%s", name, args, status, output)
	}
	return output
}

const sentryCLI = "node_modules/.bin/sentry-cli"

// wantDeploys fails the test unless these revisions were deployed to production, the newest first.
func (w *workshop) wantDeploys(revisions ...string) {
	w.t.Helper()
	var got []string
	for _, d := range rig.List[struct{ Revision, Environment string }](w.Manage(w.t), w.Project()+"/deploys") {
		if d.Environment == "production" {
			got = append(got, d.Revision)
		}
	}
	if diff := cmp.Diff(revisions, got); diff != "" {
		w.t.Errorf("deploys (-want +got):\n%s", diff)
	}
}

// minified is a file that was built, as an SDK would report it.
type minified struct {
	file     string // below the directory of the build
	debugID  string // "": as the file says
	revision string
	url      string // as a browser reports it
}

var writtenDebugID = regexp.MustCompile(`(?://# debugId=|sentry-dbid-)([0-9a-f-]{36})`)

// wantOriginal stops the server and fails the test unless the store has the map of each file, and finds with it where the error is
// thrown.
func (w *workshop) wantOriginal(files ...minified) {
	w.t.Helper()
	w.end()
	s, err := store.Open(w.t.Context(), db.Options{Dir: w.Data})
	if err != nil {
		w.t.Fatal(err)
	}
	defer s.Close()
	for _, f := range files {
		code, err := os.ReadFile(filepath.Join(w.dir, f.file))
		if err != nil {
			w.t.Fatal(err)
		}
		if written := writtenDebugID.FindSubmatch(code); f.url == "" && written != nil {
			f.debugID = string(written[1])
		}
		found, ok, err := s.SourceMaps.Find(w.t.Context(), w.ProjectID, f.debugID, f.revision, f.url)
		if err != nil || !ok {
			w.t.Errorf("%+v: no map, %v", f, err)
			continue
		}
		text, err := s.SourceMaps.File(w.t.Context(), w.ProjectID, found.FileID)
		if err != nil {
			w.t.Fatal(err)
		}
		wantThrow(w.t, f, code, text)
		w.wantCallback(s, f, code)
	}
}

// wantCallback looks up a callback in total, which the build may have put into another function.
func (w *workshop) wantCallback(s *store.Store, f minified, code []byte) {
	w.t.Helper()
	maps := unminify.New(s.SourceMaps, time.Now)
	defer maps.Close()
	url := f.url
	if url == "" {
		url = "https://shop.test/any.js"
	}
	before, _, _ := strings.Cut(string(code), ".price")
	at := unminify.Frame{File: url, Line: 1 + strings.Count(before, "\n"), Column: len(before) - strings.LastIndexByte(before, '\n')}
	build := unminify.Build{ProjectID: w.ProjectID, Revision: f.revision, DebugIDs: map[string]string{sourcemap.CleanURL(url): f.debugID}}
	origins, err := maps.Lookup(build).Origins(w.t.Context(), []unminify.Frame{at})
	if err != nil || origins[0].Method != "total" || origins[0].Line != 3 {
		w.t.Errorf("%+v has a callback in %+v, %v", f, origins, err)
	}
}

// wantThrow looks up where the code throws.
func wantThrow(t *testing.T, f minified, code, text []byte) {
	t.Helper()
	m, err := sourcemap.Parse(text, sourcemap.Largest)
	if err != nil {
		t.Fatal(err)
	}
	before, _, ok := strings.Cut(string(code), "empty cart")
	if !ok {
		t.Fatalf("%s throws nothing", f.file)
	}
	line := 1 + strings.Count(before, "\n")
	p, ok := m.Lookup(line, len(before)-1-strings.LastIndexByte(before, '\n'))
	if content, contained := m.Content(p); !ok || !strings.HasSuffix(p.Source, "src/cart.js") || p.Line != 2 || !contained || !strings.Contains(content, "'empty cart'") {
		t.Errorf("%+v throws at %+v, %t", f, p, ok)
	}
}

// Sentry's plugins build, create the release and its deploy, and upload. A second build of the same uploads nothing.
func TestSentryBuilds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file    string
		program []string
	}{
		"webpack": {"webpack-out/main.js", []string{"node", "build.mjs", "webpack.config.mjs"}},
		"vite":    {"vite-out/index.mjs", []string{"node_modules/.bin/vite", "build"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorkshop(t)
			w.must("shop@1.2.3", c.program[0], c.program[1:]...)
			seen := w.requests()
			for _, want := range []string{"POST releases", "PUT shop@1.2.3", "POST deploys", "GET chunk-upload", "POST chunk-upload", "POST assemble"} {
				if !slices.Contains(seen, want) {
					t.Errorf("%q is not among the requests, %q", want, seen)
				}
			}
			w.wantDeploys("shop@1.2.3")
			w.must("shop@1.2.3", c.program[0], c.program[1:]...)
			if seen := w.requests(); slices.Contains(seen, "POST chunk-upload") || !slices.Contains(seen, "POST assemble") {
				t.Errorf("the second build sends %q", seen)
			}
			w.wantOriginal(minified{file: c.file})
		})
	}
}

// sentry-cli creates a release with its commits and a deploy, injects debug IDs, uploads and waits, and reports with the DSN.
func TestSentryCLI(t *testing.T) {
	t.Parallel()
	const release = "shop@2.0.0"
	w := newWorkshop(t)
	cli := func(args ...string) string { return w.must(release, sentryCLI, args...) }
	if out := cli("info"); !strings.Contains(out, "project:releases") {
		t.Errorf("info: %s", out)
	}
	w.must("shop@1.0.0", "node", "build.mjs", "honeybadger.config.mjs")
	w.requests()
	for _, args := range [][]string{{"init", "--quiet"}, {"add", "src"}, {"-c", "user.name=Ann", "-c", "user.email=ann@example.test", "commit", "--quiet", "--message", "Sell pears"}} {
		w.must("", "git", args...)
	}
	cli("releases", "new", release)
	cli("releases", "set-commits", release, "--auto")
	cli("releases", "finalize", release)
	w.wantDeploys("shop@1.0.0")
	if out := cli("releases", "list"); !strings.Contains(out, release) {
		t.Errorf("the releases are %s", out)
	}
	cli("deploys", "new", "--release", release, "--env", "production", "--name", "web")
	w.wantDeploys(release, "shop@1.0.0")
	cli("sourcemaps", "inject", "honeybadger-out")
	upload := []string{"sourcemaps", "upload", "--release", release, "--wait", "--url-prefix", "~/assets", "honeybadger-out"}
	if out := cli(upload...); !strings.Contains(out, "Uploaded files") {
		t.Errorf("the first upload: %s", out)
	}
	w.requests()
	if out := cli(upload...); !strings.Contains(out, "Nothing to upload") || slices.Contains(w.requests(), "POST chunk-upload") {
		t.Errorf("the second upload: %s", out)
	}
	if out, status := w.run(release, sentryCLI, "releases", "info", "nowhere"); status == 0 {
		t.Errorf("a release that is not there: %s", out)
	}
	cli("send-event", "--message", "till is empty", "--no-environ")
	wantNotices(t, w.Server, w.Manage(t), map[string]int64{"Message: till is empty": 1})
	if out, status := w.run(release, sentryCLI, "monitors", "run", "nightly-import", "--schedule", "0 1 * * *", "--", "sh", "-c", "exit 3"); status != 3 {
		t.Errorf("monitors run: status %d\n%s", status, out)
	}
	w.wantFailedCheckIn("nightly-import")
	for list, wants := range map[string][]string{
		"organizations": {w.AccountID}, "projects": {fmt.Sprint(w.ProjectID), "my-project"}, "monitors": {"nightly-import"},
		"issues": {"Message: till is empty", "unresolved", "MY-PROJECT-"}, "events": {"Message: till is empty"},
	} {
		out := cli(list, "list")
		for _, want := range wants {
			if !strings.Contains(out, want) {
				t.Errorf("%s list lacks %q:\n%s", list, want, out)
			}
		}
	}
	if out := cli("issues", "list", "--query", "is:resolved"); strings.Contains(out, "till is empty") {
		t.Errorf("resolved issues are %s", out)
	}
	cli("releases", "delete", release)
	if status := w.status("/api/0/organizations/" + w.AccountID + "/releases/" + release + "/"); status != http.StatusNotFound {
		t.Errorf("a release that was deleted: status %d", status)
	}
	w.wantOriginal(minified{file: "honeybadger-out/main.js"}, minified{"honeybadger-out/main.js", "", release, "https://shop.test/assets/main.js"})
}

// status returns with which status a path is answered.
func (w *workshop) status(path string) int {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, w.Base+path, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+w.AuthToken)
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	defer got.Body.Close()
	return got.StatusCode
}

// wantFailedCheckIn fails the test unless the last ping of a check-in says that its job failed.
func (w *workshop) wantFailedCheckIn(slug string) {
	w.t.Helper()
	m := w.Manage(w.t)
	type ping struct{ Payload *struct{ Status string } }
	for _, c := range rig.List[struct{ ID, Slug string }](m, w.Project()+"/check_ins") {
		if c.Slug != slug {
			continue
		}
		events := rig.List[ping](m, w.Project()+"/check_ins/"+c.ID+"/events")
		if !slices.ContainsFunc(events, func(p ping) bool { return p.Payload != nil && p.Payload.Status == "error" }) {
			w.t.Errorf("the check-in %s has %d events, and none is a failed ping", slug, len(events))
		}
		return
	}
	w.t.Errorf("there is no check-in %s", slug)
}

// Honeybadger's plugins build, upload to /v1/source_maps, and report the deploy.
func TestHoneybadgerBuilds(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t)
	w.must("1", "node", "build.mjs", "honeybadger.config.mjs")
	w.must("2", "node_modules/.bin/rollup", "--config", "rollup.config.mjs")
	w.wantDeploys("1")
	w.wantOriginal(minified{"honeybadger-out/main.js", "", "1", "https://shop.test/assets/main.js"}, minified{"rollup-out/index.js", "", "2", "https://shop.test/assets/index.js?v=7"})
}
