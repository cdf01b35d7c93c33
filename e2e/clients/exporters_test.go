package clients

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"sett/e2e/rig"
)

// twice passes each request on to a server two times, as if the exporter had not received the first answer and tried again.
type twice struct {
	t    *testing.T
	base string

	mu   sync.Mutex
	seen map[string]bool // paths, media types and encodings of the requests
}

// ServeHTTP answers as the server does the second time; the first answer must be the same.
func (p *twice) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	sent, err := io.ReadAll(r.Body)
	if err != nil {
		p.t.Errorf("read a request of the exporter: %v", err)
	}
	p.mu.Lock()
	p.seen[strings.TrimSpace(r.URL.Path+" "+r.Header.Get("Content-Type")+" "+r.Header.Get("Content-Encoding"))] = true
	p.mu.Unlock()
	first, _ := p.pass(r, sent)
	status, body := p.pass(r, sent)
	if first != http.StatusOK || status != http.StatusOK {
		p.t.Errorf("%s is answered with %d, and then with %d %s", r.URL.Path, first, status, body)
	}
	w.Header().Set("Content-Type", r.Header.Get("Content-Type"))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

func (p *twice) pass(r *http.Request, sent []byte) (status int, body []byte) {
	again, err := http.NewRequestWithContext(r.Context(), r.Method, p.base+r.URL.Path, bytes.NewReader(sent))
	if err != nil {
		p.t.Errorf("pass a request on: %v", err)
		return http.StatusBadGateway, nil
	}
	again.Header = r.Header.Clone()
	answer, err := http.DefaultClient.Do(again)
	if err != nil {
		p.t.Errorf("pass a request on: %v", err)
		return http.StatusBadGateway, nil
	}
	defer answer.Body.Close()
	body, err = io.ReadAll(answer.Body)
	if err != nil {
		p.t.Errorf("read the answer: %v", err)
	}
	return answer.StatusCode, body
}

// exporter is how a program is installed and run that reports with OpenTelemetry or Airbrake.
type exporter struct {
	language string                         // its directory below exporters
	install  func(t *testing.T, dir string) // there
	program  []string                       // with its arguments
	seen     []string                       // what its requests are
	check    func(*testing.T, *rig.Server, rig.Manager)
}

// workplace is where the programs of a directory below exporters are installed, for all tests.
type workplace struct {
	mu  sync.Mutex
	dir string // "": they are not installed
}

var workplaces sync.Map // of *workplace, by exporter.language

// installed returns a copy of the directory of an exporter in which all that it needs is installed. The first test that asks installs it.
func (e exporter) installed(t *testing.T) (dir string) {
	t.Helper()
	shared, _ := workplaces.LoadOrStore(e.language, &workplace{})
	w, _ := shared.(*workplace)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.dir != "" {
		return w.dir
	}
	dir, err := os.MkdirTemp(rig.Dir, "exporter-")
	if err == nil {
		err = os.CopyFS(dir, os.DirFS(filepath.Join("exporters", e.language)))
	}
	if err != nil {
		t.Fatal(err)
	}
	e.install(t, dir)
	w.dir = dir
	return dir
}

// installPip installs what locked.txt lists, which is all that the program needs.
func installPip(t *testing.T, dir string) {
	rig.NeedCommand(t, "python3", "apt-get install python3 python3-pip")
	runIn(t, dir, "python3", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-compile", "--target", "lib", "--requirement", "locked.txt")
}

func installNPM(t *testing.T, dir string) {
	rig.NeedCommand(t, "npm", "apt-get install nodejs npm")
	runIn(t, dir, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
}

// installGo builds the program and its clients without -trimpath, which go has from make here, as most people do: reports name files by where they
// were compiled. The standard library is that of all other programs of the tests; its names without -trimpath are in recorded reports.
func installGo(t *testing.T, dir string) {
	const asCompiled = "/...=-trimpath="
	rig.RunGo(t, dir, "build", "-gcflags=sett"+asCompiled, "-gcflags=github.com"+asCompiled, "-gcflags=go.opentelemetry.io"+asCompiled, "-o", "bin/", "./...")
}

// installJars gets the libraries that pom.xml names.
func installJars(t *testing.T, dir string) {
	for _, name := range []string{"java", "javac", "mvn"} {
		rig.NeedCommand(t, name, "apt-get install default-jdk-headless maven")
	}
	runIn(t, dir, "mvn", "--batch-mode", "--quiet", "dependency:copy-dependencies", "-DoutputDirectory=lib")
}

func installMaven(t *testing.T, dir string) {
	installJars(t, dir)
	runIn(t, dir, "javac", "-nowarn", "-d", "classes", "-cp", "lib/*", "Exceptions.java")
}

// run runs the program of an exporter that sends to an address with the key of the server's project.
func (e exporter) run(t *testing.T, s *rig.Server, dir, address string) {
	t.Helper()
	e.runTo(t, s, dir, address, address+"/otlp")
}

// runTo runs it with another address for OpenTelemetry.
func (e exporter) runTo(t *testing.T, s *rig.Server, dir, address, endpoint string) {
	t.Helper()
	runIn(t, dir, "env", append([]string{
		"PYTHONPATH=lib", "SETT_BASE=" + address, "SETT_KEY=" + s.APIKey, "SENTRY_DSN=" + dsn(s), fmt.Sprintf("SETT_PROJECT=%d", s.ProjectID),
		"OTEL_EXPORTER_OTLP_ENDPOINT=" + endpoint, "OTEL_EXPORTER_OTLP_HEADERS=x-api-key=" + s.APIKey, "OTEL_EXPORTER_OTLP_COMPRESSION=gzip",
		"OTEL_RESOURCE_ATTRIBUTES=service.name=shop,service.version=4f2a9c1,deployment.environment.name=staging,host.name=web-1",
	}, e.program...)...)
}

var (
	protobufGzip = []string{"/otlp/v1/logs application/x-protobuf gzip", "/otlp/v1/traces application/x-protobuf gzip"}
	jsonGzip     = []string{"/otlp/v1/logs application/json gzip", "/otlp/v1/traces application/json gzip"}
)

// Exporters of OpenTelemetry report an error as a log record and as an event of a span, each in a request that arrives twice. It is one
// notice, with the frames of its language.
func TestOpenTelemetry(t *testing.T) {
	t.Parallel()
	for name, e := range map[string]exporter{
		"Python":       {"python", installPip, []string{"python3", "exceptions.py"}, protobufGzip, checkPythonExceptions},
		"Node.js":      {"node", installNPM, []string{"node", "exceptions.js", "proto"}, protobufGzip, checkNodeExceptions},
		"Node.js JSON": {"node", installNPM, []string{"node", "exceptions.js", "http"}, jsonGzip, checkNodeExceptions},
		"Go":           {"go", installGo, []string{"bin/exceptions"}, protobufGzip, checkGoExceptions},
		"Java":         {"java", installMaven, []string{"java", "-cp", "lib/*:classes", "Exceptions"}, protobufGzip, checkJavaExceptions},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := rig.Start(t, "")
			proxy := &twice{t: t, base: s.Base, seen: map[string]bool{}}
			between := httptest.NewServer(proxy)
			t.Cleanup(between.Close)
			e.run(t, s, e.installed(t), between.URL)
			if got := slices.Sorted(maps.Keys(proxy.seen)); !slices.Equal(got, e.seen) {
				t.Errorf("the requests are %q, want %q", got, e.seen)
			}
			e.check(t, s, s.Manage(t))
		})
	}
}

// The same exporters report by gRPC to a port of its own.
func TestOpenTelemetryByGRPC(t *testing.T) {
	t.Parallel()
	s := rig.Prepare(t, "")
	port := rig.FreeAddress(t)
	s.Flags = append(s.Flags, "--otlp-grpc-listen", port)
	s.Restart(t)
	t.Cleanup(func() { s.Stop(t) })
	calls := &relayed{to: port, seen: map[string]bool{}}
	e := exporter{"go", installGo, []string{"bin/exceptions", "grpc"}, []string{
		"/opentelemetry.proto.collector.logs.v1.LogsService/Export gzip, answered 0", "/opentelemetry.proto.collector.trace.v1.TraceService/Export gzip, answered 0",
	}, checkGoExceptions}
	e.runTo(t, s, e.installed(t), s.Base, "http://"+calls.listen(t))
	if got := slices.Sorted(maps.Keys(calls.seen)); !slices.Equal(got, e.seen) {
		t.Errorf("the calls are %q, want %q", got, e.seen)
	}
	e.check(t, s, s.Manage(t))
}

// relayed passes calls by gRPC on, and notes them with their compression and status.
type relayed struct {
	to string

	mu   sync.Mutex
	seen map[string]bool
}

// listen returns the address that takes the calls.
func (r *relayed) listen(t *testing.T) (address string) {
	t.Helper()
	plain := new(http.Protocols)
	plain.SetUnencryptedHTTP2(true)
	proxy := &httputil.ReverseProxy{
		Transport: &http.Transport{Protocols: plain},
		Rewrite:   func(p *httputil.ProxyRequest) { p.SetURL(&url.URL{Scheme: "http", Host: r.to}) },
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, call *http.Request) {
		proxy.ServeHTTP(w, call)
		r.mu.Lock()
		defer r.mu.Unlock()
		status := w.Header().Get(http.TrailerPrefix+"Grpc-Status") + w.Header().Get("Grpc-Status")
		r.seen[fmt.Sprintf("%s %s, answered %s", call.URL.Path, call.Header.Get("Grpc-Encoding"), status)] = true
	}))
	server.Config.Protocols = plain
	server.Start()
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

// wantTop fails the test unless a notice has a message, and its first application frame a method and the end of a file's name.
func wantTop(t testing.TB, n rig.Notice, message, method, file string) {
	t.Helper()
	if n.Message != message {
		t.Errorf("the message is %q, want %q", n.Message, message)
	}
	if len(n.ApplicationTrace) == 0 {
		t.Fatalf("there are no application frames among %+v", n.Backtrace)
	}
	if top := n.ApplicationTrace[0]; top.Method != method || !strings.HasSuffix(top.File, file) || top.Number == "" {
		t.Errorf("the first application frame is %+v, want %s in %s", top, method, file)
	}
}

// wantFaults fails the test unless there are so many faults, each with one notice.
func wantFaults(t testing.TB, s *rig.Server, m rig.Manager, count int) {
	t.Helper()
	all := s.Faults(m)
	for _, f := range all {
		if f.NoticesCount != 1 {
			t.Errorf("%s has %d notices, want 1", f.Klass, f.NoticesCount)
		}
	}
	if len(all) != count {
		t.Errorf("there are %d faults, want %d: %+v", len(all), count, all)
	}
}

// wantResource fails the test unless a notice has what the resource says of its origin.
func wantResource(t testing.TB, n rig.Notice) {
	t.Helper()
	if e := n.Environment; e.EnvironmentName != "staging" || e.Revision != "4f2a9c1" || e.Hostname != "web-1" {
		t.Errorf("the environment is %+v", e)
	}
}

func checkPythonExceptions(t *testing.T, s *rig.Server, m rig.Manager) {
	_, n := s.Only(m, "Refused")
	wantTop(t, n, "payment refused for order 42", "charge", "exceptions.py")
	wantResource(t, n)
	if len(n.Causes) != 1 || n.Causes[0].Class != "KeyError" || len(n.Causes[0].Backtrace) != 2 {
		t.Errorf("the causes are %+v", n.Causes)
	}
	_, n = s.Only(m, "TimeoutError")
	wantTop(t, n, "the database does not respond", "<module>", "exceptions.py")
	if n.Request.Action != "GET /cart" {
		t.Errorf("the error that left two spans is of %q, want the outer one", n.Request.Action)
	}
	wantFaults(t, s, m, 2)
}

func checkNodeExceptions(t *testing.T, s *rig.Server, m rig.Manager) {
	_, n := s.Only(m, "TypeError")
	wantTop(t, n, "payment refused for order 42", "charge", "exceptions.js")
	wantFaults(t, s, m, 1)
}

func checkGoExceptions(t *testing.T, s *rig.Server, m rig.Manager) {
	_, n := s.Only(m, "*fmt.wrapError")
	wantTop(t, n, "charge order 42: card gateway is down", "main.pay", "main.go")
	wantResource(t, n)
	wantFaults(t, s, m, 1)
}

func checkJavaExceptions(t *testing.T, s *rig.Server, m rig.Manager) {
	_, n := s.Only(m, "Exceptions$Refused")
	wantTop(t, n, "payment refused for order 42", "Exceptions.charge", "Exceptions.java")
	if len(n.Causes) != 1 || n.Causes[0].Class != "java.lang.NumberFormatException" {
		t.Errorf("the causes are %+v", n.Causes)
	}
	wantFaults(t, s, m, 1)
}
