package clients

import (
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sett/e2e/rig"
)

// shownSnippet is a snippet of the page about connecting an app.
var shownSnippet = regexp.MustCompile(`(?s)<pre class="code" id="(configure|test)"[^>]*>(.*?)</pre>`)

// openSetup returns the page about connecting an app, as the owner sees it for a language or framework.
func openSetup(t *testing.T, s *rig.Server, word string) string {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := http.Client{Jar: jar}
	answer, err := browser.PostForm(s.Base+"/login", url.Values{"email": {rig.OwnersEmail}, "password": {rig.OwnersPassword}, "next": {s.Project()[len("/v2"):] + "/setup?language=" + word}})
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	page, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// readFramework returns how a framework is configured, and its test, as the page shows them.
func readFramework(t *testing.T, s *rig.Server, word string) (configure, test string) {
	t.Helper()
	shown := map[string]string{}
	for _, m := range shownSnippet.FindAllStringSubmatch(openSetup(t, s, word), -1) {
		shown[m[1]] = html.UnescapeString(m[2]) + "\n"
	}
	if shown["configure"] == "" || shown["test"] == "" {
		t.Fatalf("the page shows no snippets of %s", word)
	}
	return shown["configure"], shown["test"]
}

// frameworksNotRun are the frameworks whose snippets no test runs, with the reason.
var frameworksNotRun = map[string]string{
	"react-native": "needs a phone or an emulator",
	"rails":        "RubyGems is not reached from where these tests run",
	"sidekiq":      "RubyGems is not reached from where these tests run",
	"laravel":      "Packagist is not reached from where these tests run",
	"symfony":      "Packagist is not reached from where these tests run",
	"phoenix":      "Hex is not reached from where these tests run",
	"dotnet":       "NuGet is not reached from where these tests run",
	"flutter":      "pub.dev is not reached from where these tests run",
}

// frameworksRun are those that are run.
var frameworksRun = map[string]func(t *testing.T, configure, test string){
	"django": tryDjango, "flask": tryFlask, "fastapi": tryFastAPI, "celery": tryCelery, "express": tryExpress, "nest": tryNest, "next": tryNext,
	"react": tryReact, "vue": tryVue, "angular": tryAngular, "net-http": tryNetHTTP, "gin": tryGin, "spring-boot": trySpringBoot,
}

// The snippets of each framework report its errors, as the page shows them.
func TestFrameworkSnippets(t *testing.T) {
	t.Parallel()
	for word, run := range frameworksRun {
		t.Run(word, func(t *testing.T) {
			t.Parallel()
			s := rig.Start(t, "")
			configure, test := readFramework(t, s, word)
			if !strings.Contains(configure, dsn(s)) {
				t.Errorf("the snippet lacks %s:\n%s", dsn(s), configure)
			}
			run(t, configure, test)
			for _, f := range s.Faults(s.Manage(t)) {
				if f.Message == "Testing sett" && f.Environment == "production" && f.NoticesCount == 1 {
					return
				}
			}
			t.Errorf("the test error was not reported: %+v", s.Faults(s.Manage(t)))
		})
	}
}

var (
	frameworkTabs = regexp.MustCompile(`(?s)<nav class="tabs" aria-label="Frameworks">(.*?)</nav>`)
	tabLink       = regexp.MustCompile(`\?language=([a-z-]+)"`)
)

// Each framework that the page offers is run, or it is said why not.
func TestEveryFrameworkIsKnown(t *testing.T) {
	t.Parallel()
	s, offered := rig.Start(t, ""), 0
	for _, language := range []string{"js", "node", "ruby", "python", "golang", "php", "elixir", "java", "other"} {
		tabs := tabLink.FindAllStringSubmatch(frameworkTabs.FindString(openSetup(t, s, language)), -1)
		for _, m := range tabs[min(1, len(tabs)):] { // the first is the language
			offered++
			if frameworksRun[m[1]] == nil && frameworksNotRun[m[1]] == "" {
				t.Errorf("no test runs the snippets of %s, and none says why", m[1])
			}
		}
	}
	if want := len(frameworksRun) + len(frameworksNotRun); offered != want {
		t.Errorf("the page offers %d frameworks, want %d", offered, want)
	}
}

// workplaceOf returns a new directory beside the installed programs of an exporter, whose modules it shares.
func workplaceOf(t *testing.T, e exporter) (dir, installed string) {
	t.Helper()
	return t.TempDir(), e.installed(t)
}

// fileOf is the line of a snippet that names the file which the lines below it are of.
var fileOf = regexp.MustCompile(`(?m)^(?://|#) ([\w./-]+\.[a-z]+)\b.*$`)

// writeFiles writes what a snippet says of each file.
func writeFiles(t *testing.T, dir, snippet string) {
	t.Helper()
	texts := map[string]string{}
	named := fileOf.FindAllStringSubmatchIndex(snippet, -1)
	for i, at := range named {
		end := len(snippet)
		if i+1 < len(named) {
			end = named[i+1][0]
		}
		texts[snippet[at[2]:at[3]]] += snippet[at[0]:end]
	}
	for name, text := range texts {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		writeIn(t, dir, name, text)
	}
}

// runPython runs a program with the modules of the frameworks.
func runPython(t *testing.T, files map[string]string, program string) {
	t.Helper()
	dir, installed := workplaceOf(t, exporter{language: "sentry/frameworks", install: installPip})
	for name, text := range files {
		writeIn(t, dir, name, text)
	}
	writeIn(t, dir, "drive.py", program)
	runIn(t, dir, "env", "PYTHONPATH="+filepath.Join(installed, "lib")+":"+dir, "python3", "drive.py")
}

// openWSGI is a program that opens the address of a test of a WSGI app.
const openWSGI = `
import sentry_sdk
import wsgiref.util

environ = {"PATH_INFO": "/sett-test", "HTTP_HOST": "127.0.0.1"}
wsgiref.util.setup_testing_defaults(environ)
list(app(environ, lambda status, headers, exc=None: None))
sentry_sdk.flush(timeout=20)
`

func tryDjango(t *testing.T, configure, test string) {
	files := map[string]string{"settings.py": configure + "ALLOWED_HOSTS = [\"127.0.0.1\"]\nSECRET_KEY = \"for tests only\"\nROOT_URLCONF = \"urls\"\n", "urls.py": test}
	runPython(t, files, "import os\nos.environ[\"DJANGO_SETTINGS_MODULE\"] = \"settings\"\nfrom django.core.wsgi import get_wsgi_application\napp = get_wsgi_application()\n"+openWSGI)
}

func tryFlask(t *testing.T, configure, test string) {
	runPython(t, map[string]string{"app.py": configure + test}, "from app import app\n"+openWSGI)
}

func tryFastAPI(t *testing.T, configure, test string) {
	runPython(t, map[string]string{"main.py": configure + test}, `
import asyncio
import sentry_sdk
from main import app

async def receive():
    return {"type": "http.request", "body": b"", "more_body": False}

async def send(message):
    pass

scope = {"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET", "scheme": "http", "path": "/sett-test", "raw_path": b"/sett-test",
         "root_path": "", "query_string": b"", "headers": [], "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80)}
try:
    asyncio.run(app(scope, receive, send))
    raise SystemExit("the test did not fail")
except RuntimeError:
    pass
sentry_sdk.flush(timeout=20)
`)
}

func tryCelery(t *testing.T, configure, test string) {
	files := map[string]string{"celeryconfig.py": "broker_url = \"memory://\"\nresult_backend = \"cache+memory://\"\n", "tasks.py": configure + test}
	runPython(t, files, `
import sentry_sdk
import tasks
import celery.contrib.testing.worker  # as "celery worker" does: after the tasks

with celery.contrib.testing.worker.start_worker(tasks.app, pool="solo", perform_ping_check=False):
    try:
        tasks.sett_test.delay().get(timeout=20)
        raise SystemExit("the test did not fail")
    except RuntimeError:
        pass
sentry_sdk.flush(timeout=20)
`)
}
