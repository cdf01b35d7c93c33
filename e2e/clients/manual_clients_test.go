package clients

import (
	"fmt"
	"html"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sett/e2e/rig"
	"sett/internal/setttest/program"
)

// snippet is an example of the manual: its language, and its text as the page shows it.
type snippet struct{ language, text string }

// manual is what a chapter shows, by its headings.
type manual map[string][]snippet

var (
	manualSection = regexp.MustCompile(`(?s)<h2[^>]*>(.*?)</h2>(.*?)(?:$|<h2|</article>)`)
	manualSnippet = regexp.MustCompile(`(?s)<pre[^>]*><code class="language-([a-z]+)">(.*?)</code></pre>`)
)

// readClients returns the examples of the chapter about clients, as the server at base shows it, with the key of a project.
func readClients(t testing.TB, base, key string) (page manual) {
	t.Helper()
	answer, err := http.Get(base + "/docs/clients")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("the chapter is answered with %s, %v", answer.Status, err)
	}
	page, text := manual{}, strings.ReplaceAll(string(body), "YOUR_API_KEY", key)
	for {
		found := manualSection.FindStringSubmatchIndex(text)
		if found == nil {
			return page
		}
		for _, s := range manualSnippet.FindAllStringSubmatch(text[found[4]:found[5]], -1) {
			heading := text[found[2]:found[3]]
			page[heading] = append(page[heading], snippet{s[1], html.UnescapeString(s[2])})
		}
		text = text[found[5]:]
	}
}

// of returns the examples in a language under a heading.
func (m manual) of(heading, language string) (texts []string) {
	for _, s := range m[heading] {
		if s.language == language {
			texts = append(texts, s.text)
		}
	}
	return texts
}

// notTried are the clients that no test runs, with the reason.
var notTried = map[string]string{
	"Ruby":        "RubyGems is not reached from where these tests run; internal/ingest replays what this client sent",
	"PHP":         "Packagist is not reached from where these tests run; internal/ingest replays what this client sent",
	"Crystal":     "GitHub is not reached from where these tests run; internal/ingest replays what this client sent",
	"Elixir":      "Hex is not reached from where these tests run",
	"Sentry SDKs": "TestSentry runs programs with these SDKs, set up as the examples are",
	".NET":        "NuGet is not reached from where these tests run",
}

// Every client is set up and reports as the manual says, letter by letter.
func TestClientsOfTheManual(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, "")
	page := readClients(t, s.Base, s.APIKey)
	tried := map[string]func(*testing.T, *rig.Server, manual){
		"curl": tryCurl, "JavaScript": tryBrowserModule, "Node.js": tryNode, "Python": tryPython, "Go": tryGo, "Java": tryJava,
	}
	for _, heading := range slices.Sorted(maps.Keys(page)) {
		run, reason := tried[heading], notTried[heading]
		switch {
		case run != nil:
			t.Run(heading, func(t *testing.T) { run(t, s, page) })
		case reason != "":
			t.Logf("%s is not tried: %s", heading, reason)
		default:
			t.Errorf("the manual has %s, which is neither tried nor in notTried", heading)
		}
	}
	if len(page) != len(tried)+len(notTried) {
		t.Errorf("the manual has %d clients, want %d", len(page), len(tried)+len(notTried))
	}
}

// wantTesting fails the test unless a client has reported the test of the manual, once.
func wantTesting(t testing.TB, s *rig.Server, m rig.Manager, class string) {
	t.Helper()
	for _, f := range s.Faults(m) {
		if f.Klass == class && f.Message == "Testing sett" && f.Environment == "production" && f.NoticesCount == 1 {
			return
		}
	}
	t.Errorf("there is no fault of the class %s: %+v", class, s.Faults(m))
}

// runIn runs a command in a directory; it must succeed.
func runIn(t testing.TB, dir, name string, args ...string) {
	t.Helper()
	cmd := program.Bounded(name, args...)
	cmd.Dir, cmd.Env = dir, rig.Environment()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
}

// writeIn writes a file of a client's program.
func writeIn(t testing.TB, dir, name string, parts ...string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.Join(parts, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
}

func tryCurl(t *testing.T, s *rig.Server, page manual) {
	runIn(t, t.TempDir(), "sh", "-euc", page.of("curl", "sh")[0])
	wantTesting(t, s, s.Manage(t), "Test")
}

// tryBrowserModule runs the module as a bundler takes it, on Node: what browsers do is TestJavaScriptInBrowser's.
func tryBrowserModule(t *testing.T, s *rig.Server, page manual) {
	rig.NeedJavaScript(t)
	tryJavaScript(t, "JavaScript", "manual.mjs")
}

func tryNode(t *testing.T, s *rig.Server, page manual) {
	rig.NeedJavaScript(t)
	tryJavaScript(t, "Node.js", "manual.cjs")
}

// tryJavaScript runs a program of the manual of a server that is reached at port 80, as the manual asks for.
func tryJavaScript(t *testing.T, heading, file string) {
	s := rig.Prepare(t, "")
	listener, address := listenAt80(t)
	s.Flags = append(s.Flags, "--report-url", address)
	s.Restart(t)
	t.Cleanup(func() { s.Stop(t) })
	forwardAll(listener, s.Base)

	page := readClients(t, s.Base, s.APIKey)
	if install := page.of(heading, "sh"); len(install) != 1 || install[0] != "npm install @honeybadger-io/js\n" {
		t.Errorf("the manual installs something else than e2e/js/package.json: %q", install)
	}
	dir := t.TempDir()
	modules, err := filepath.Abs(filepath.Join(rig.JS, "node_modules"))
	if err == nil {
		err = os.Symlink(modules, filepath.Join(dir, "node_modules"))
	}
	if err != nil {
		t.Fatal(err)
	}
	writeIn(t, dir, file, page.of(heading, "js")...)
	runIn(t, dir, "env", "-u", "NODE_ENV", "node", file)
	wantTesting(t, s, s.Manage(t), "Error")
}

func tryPython(t *testing.T, s *rig.Server, page manual) {
	rig.NeedCommand(t, "python3", "apt-get install python3 python3-pip")
	dir := t.TempDir()
	args := strings.Fields(page.of("Python", "sh")[0])
	runIn(t, dir, "python3", append([]string{"-m", args[0], args[1], "--quiet", "--target", "lib"}, args[2:]...)...)
	writeIn(t, dir, "app.py", page.of("Python", "python")...)
	runIn(t, dir, "env", "PYTHONPATH=lib", "python3", "app.py")
	wantTesting(t, s, s.Manage(t), "Test")
}

func tryGo(t *testing.T, s *rig.Server, page manual) {
	dir := t.TempDir()
	source := page.of("Go", "go")
	program := strings.TrimSuffix(strings.TrimSpace(source[0]), "}") + source[1] + "}\n"
	writeIn(t, dir, "main.go", "package main\n", program)
	rig.RunGo(t, dir, "mod", "init", "shop.example.test")
	runIn(t, dir, "sh", "-euc", page.of("Go", "sh")[0])
	rig.RunGo(t, dir, "run", ".")
	wantTesting(t, s, s.Manage(t), "*errors.errorString")
}

func tryJava(t *testing.T, s *rig.Server, page manual) {
	for _, name := range []string{"java", "jar", "javac", "mvn"} {
		rig.NeedCommand(t, name, "apt-get install default-jdk-headless maven")
	}
	dir := t.TempDir()
	writeIn(t, dir, "pom.xml", `<project><modelVersion>4.0.0</modelVersion><groupId>test</groupId><artifactId>shop</artifactId><version>1</version><dependencies>`,
		page.of("Java", "xml")[0], `</dependencies></project>`)
	runIn(t, dir, "mvn", "--batch-mode", "--quiet", "dependency:copy-dependencies", "-DoutputDirectory=lib")
	writeIn(t, dir, "Shop.java", "import io.honeybadger.reporter.*;\npublic class Shop { public static void main(String[] of) {", page.of("Java", "java")[0], "}}")
	runIn(t, dir, "javac", "-cp", "lib/*", "Shop.java")
	jars, err := filepath.Glob(filepath.Join(dir, "lib", "*.jar"))
	if err != nil || len(jars) == 0 {
		t.Fatalf("no jar was installed: %v", err)
	}
	var path strings.Builder // lines that go on in the next one, which then begins with a space
	for _, jar := range jars {
		fmt.Fprintf(&path, "\n  lib/%s", filepath.Base(jar))
	}
	writeIn(t, dir, "manifest", "Main-Class: Shop", "Class-Path: ."+path.String(), "")
	runIn(t, dir, "jar", "--create", "--file", "app.jar", "--manifest", "manifest", "Shop.class")
	runIn(t, dir, "sh", "-euc", page.of("Java", "sh")[0])
	wantTesting(t, s, s.Manage(t), "java.lang.RuntimeException")
}

// listenAt80 listens at port 80 of a loopback address that no other test has, and returns its address.
func listenAt80(t testing.TB) (listener net.Listener, address string) {
	t.Helper()
	for last := 2; last < 9; last++ {
		host := fmt.Sprint("127.0.0.", last)
		if l, err := net.Listen("tcp", host+":80"); err == nil {
			t.Cleanup(func() { _ = l.Close() })
			return l, "http://" + host
		}
	}
	t.Fatal("no loopback address has port 80 free, which the JavaScript client on Node reports to; run the test as root, or allow it: sysctl net.ipv4.ip_unprivileged_port_start=80")
	return nil, ""
}
