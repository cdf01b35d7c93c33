package clients

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/e2e/rig"
	"sett/internal/setttest/program"
)

// installBugsink installs Bugsink and Sentry's SDK. Where no package can be had, the test is skipped.
func installBugsink(t *testing.T, dir string) {
	rig.NeedCommand(t, "python3", "apt-get install python3 python3-pip")
	cmd := program.Bounded("python3", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-compile", "--target", "lib", "--requirement", "locked.txt")
	cmd.Dir, cmd.Env = dir, rig.Environment()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("pip cannot install Bugsink here: %v\n%s", err, out)
	}
}

// bugsink is a running Bugsink, on SQLite.
type bugsink struct {
	t        *testing.T
	dir      string
	env      []string
	base     string
	dsn, key string // of its project
	token    string // that sees everything
}

func startBugsink(t *testing.T) *bugsink {
	t.Helper()
	e := exporter{language: "bugsink", install: installBugsink}
	b := &bugsink{t: t, dir: e.installed(t)}
	address := rig.FreeAddress(t)
	b.base = "http://" + address
	b.env = append(rig.Environment(), "PYTHONPATH=.:lib", "DJANGO_SETTINGS_MODULE=bugsink_conf", "BUGSINK_ADDRESS="+address, "BUGSINK_DATA="+t.TempDir())
	b.run(nil, "lib/bin/bugsink-manage", "migrate", "--verbosity=0")
	script, err := os.Open(filepath.Join(b.dir, "make.py"))
	if err != nil {
		t.Fatal(err)
	}
	defer script.Close()
	out := b.run(script, "lib/bin/bugsink-manage", "shell")
	_, made, _ := strings.Cut(out, "made ")
	if _, err := fmt.Sscan(made, &b.dsn, &b.token); err != nil {
		t.Fatalf("make.py: %v: %s", err, out)
	}
	b.key, _, _ = strings.Cut(strings.TrimPrefix(b.dsn, "http://"), "@")
	cmd := program.Bounded("lib/bin/gunicorn", "--bind", address, "--threads", "4", "--no-control-socket", "bugsink.wsgi")
	cmd.Dir, cmd.Env = b.dir, b.env
	var log strings.Builder
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt) // it has exited, or ends its workers
		_ = cmd.Wait()
		if t.Failed() {
			t.Log(log.String())
		}
	})
	rig.Await(t, "Bugsink answers", func() bool {
		answer, err := http.Get(b.base + "/health/ready")
		if err != nil {
			return false
		}
		_ = answer.Body.Close()
		return answer.StatusCode == http.StatusOK
	})
	return b
}

func (b *bugsink) run(in io.Reader, name string, args ...string) string {
	b.t.Helper()
	cmd := program.Bounded(name, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = b.dir, b.env, in
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
	return string(out)
}

// report has the errors of the shop sent to a DSN, by Sentry's SDK.
func (b *bugsink) report(dsn string) { b.run(nil, "python3", "shop.py", dsn) }

// send changes something by the API.
func (b *bugsink) send(path, body string) {
	b.t.Helper()
	status := rig.Send(http.DefaultClient, http.MethodPost, b.base+"/api/canonical/0/"+path, body, func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+b.token) })
	if status/100 != 2 {
		b.t.Fatalf("%s is answered with %d", path, status)
	}
}

// issue returns the id of the issue with a class.
func (b *bugsink) issue(class string) string {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, b.base+"/api/canonical/0/issues/?project=1", nil)
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+b.token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer answer.Body.Close()
	var list struct {
		Results []struct {
			ID   string `json:"id"`
			Type string `json:"calculated_type"`
		} `json:"results"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&list); err != nil {
		b.t.Fatal(err)
	}
	for _, i := range list.Results {
		if i.Type == class {
			return i.ID
		}
	}
	b.t.Fatalf("Bugsink has no issue of the class %s, but %+v", class, list.Results)
	return ""
}

// What a real Bugsink has comes, and the same program finds its errors in sett: it changes the host of its DSN, and makes no new error.
func TestMoveFromBugsink(t *testing.T) {
	t.Parallel()
	b := startBugsink(t)
	b.report(b.dsn)
	carts := b.issue("ValueError")
	b.send("issue-comments/", `{"issue":"`+carts+`","comment":"Cards of two banks."}`)
	b.send("issues/"+b.issue("RuntimeError")+"/resolve/", "")
	b.send("issues/"+b.issue("Log Message")+"/resolve-next/", "")

	s := rig.Start(t, "")
	var report struct {
		Came []struct {
			Noun  string `json:"noun"`
			Found int64  `json:"found"`
			Made  int64  `json:"made"`
		} `json:"came"`
	}
	s.Sett(t, &report, "import", "bugsink", "--url", b.base, "--token", b.token)
	came := map[string]int64{}
	for _, c := range report.Came {
		came[c.Noun] = c.Made
	}
	if diff := cmp.Diff(map[string]int64{"projects": 1, "keys": 1, "teams": 1, "errors": 4, "releases": 1, "events": 9, "comments": 1}, came); diff != "" {
		t.Errorf("what came (-want +got):\n%s", diff)
	}

	m := s.Manage(t)
	for _, p := range rig.List[struct {
		ID   int64  `json:"id"`
		Name string `json:"name"`
	}](m, "/v2/projects") {
		if p.Name == "Shop" {
			s.ProjectID = p.ID
		}
	}
	if diff := cmp.Diff([]string{
		"ConnectionError: carrier does not answer 2 false", "Message: stock is low 2 false", "RuntimeError: nothing to pack 2 true", "ValueError: order 43 cannot be paid 6 false",
	}, faultsOf(s, m)); diff != "" {
		t.Errorf("errors after the import (-want +got):\n%s", diff)
	}
	b.report("http://" + b.key + "@" + strings.TrimPrefix(s.Base, "http://") + "/1")
	want := []string{
		"ConnectionError: carrier does not answer 4 false", "Message: stock is low 4 false", "RuntimeError: nothing to pack 4 false", "ValueError: order 43 cannot be paid 12 false",
	}
	var got []string
	rig.Await(t, "all reports are stored", func() bool {
		got = faultsOf(s, m)
		return len(got) > len(want) || slices.Equal(got, want)
	})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("errors after the same reports (-want +got):\n%s", diff)
	}
}

// faultsOf returns the errors of the project with their counts, and whether they are resolved.
func faultsOf(s *rig.Server, m rig.Manager) (all []string) {
	for _, f := range s.Faults(m) {
		all = append(all, fmt.Sprintf("%s: %s %d %t", f.Klass, f.Message, f.NoticesCount, f.Resolved))
	}
	slices.Sort(all)
	return all
}
