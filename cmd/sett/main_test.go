package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net"
	"os"
	"os/exec"
	"regexp"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// actVariable makes this test binary the sett command, for tests that send it signals.
const actVariable = "SETT_TEST_ACT"

func TestMain(m *testing.M) {
	if os.Getenv(actVariable) != "" {
		main()
	}
	os.Exit(m.Run())
}

// try runs a command line in this process.
func try(environ []string, args ...string) (status int, stdout, stderr string) {
	var out, err bytes.Buffer
	status = run(args, environ, &out, &err)
	return status, out.String(), err.String()
}

func TestWrongCommandLines(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		args, environ []string
		stderr        string
	}{
		"unknown command":      {args: []string{"sevre"}, stderr: "unknown command \"sevre\" for \"sett\""},
		"unknown flag":         {args: []string{"serve", "--listne", ":1"}, stderr: "unknown flag: --listne"},
		"flag of another":      {args: []string{"migrate", "--listen", ":1"}, stderr: "unknown flag: --listen"},
		"argument too many":    {args: []string{"serve", "now"}, stderr: "unknown command \"now\" for \"sett serve\""},
		"misspelt variable":    {args: []string{"migrate"}, environ: []string{"SETT_DTAA=x"}, stderr: "SETT_DTAA is no setting; did you mean SETT_DATA?"},
		"everything at once":   {args: []string{"serve", "--plan=gold"}, environ: []string{"SETT_DTAA=x"}, stderr: "did you mean SETT_DATA?\nsett: --plan=\"gold\" is not one of"},
		"setup's own values":   {args: []string{"setup", "--email=olga", "--account= "}, stderr: "--email must be an email address such as you@example.org; --account can't be blank"},
		"setup checks as well": {args: []string{"setup"}, environ: []string{"SETT_DATABASE=mysql://u:hush@h"}, stderr: "SETT_DATABASE is no PostgreSQL address"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status, stdout, stderr := try(tt.environ, tt.args...)
			if status != 1 || stdout != "" || !strings.HasPrefix(stderr, "sett: ") || !strings.Contains(stderr, tt.stderr) {
				t.Errorf("status %d, stdout %q, stderr %q; want 1, nothing, and %q", status, stdout, stderr, tt.stderr)
			}
			if strings.Contains(stderr, "hush") {
				t.Error("the message shows a password")
			}
		})
	}
}

func TestHelpNamesFlagsAndVariables(t *testing.T) {
	t.Parallel()
	for command, wants := range map[string][]string{
		"serve":   {"--listen string", "(SETT_LISTEN)", `(default "127.0.0.1:8080")`, "text, json (SETT_LOG_FORMAT)"},
		"setup":   {"--email string", "(SETT_PASSWORD)", "--json", "--data string"},
		"migrate": {"--database string"},
	} {
		status, stdout, stderr := try(nil, command, "--help")
		if status != 0 || stderr != "" {
			t.Errorf("%s --help: status %d, stderr %q", command, status, stderr)
		}
		for _, want := range wants {
			if !strings.Contains(stdout, want) {
				t.Errorf("%s --help does not say %q:\n%s", command, want, stdout)
			}
		}
	}
}

func TestMigrate(t *testing.T) {
	t.Parallel()
	data := "--data=" + t.TempDir()
	for _, want := range []string{`^The schema went from version 0 to \d+\.\n$`, `^The schema is up to date, at version \d+\.\n$`} {
		status, stdout, stderr := try(nil, "migrate", data)
		if status != 0 || !regexp.MustCompile(want).MatchString(stdout) {
			t.Errorf("status %d, stdout %q, stderr %q; want stdout like %s", status, stdout, stderr, want)
		}
	}
}

func TestSetup(t *testing.T) {
	t.Parallel()
	environ := []string{"SETT_DATA=" + t.TempDir(), "SETT_EMAIL=olga@example.test"}
	var first, again map[string]any
	for _, into := range []*map[string]any{&first, &again} {
		status, stdout, stderr := try(environ, "setup", "--json", "--project", "Shop")
		if status != 0 {
			t.Fatalf("status %d, stderr %q", status, stderr)
		}
		if err := json.Unmarshal([]byte(stdout), into); err != nil {
			t.Fatalf("%v: %s", err, stdout)
		}
	}
	for _, key := range []string{"account_id", "user_id", "auth_token", "project_id", "api_key"} {
		if first[key] == nil || first[key] == "" {
			t.Errorf("%s is missing: %v", key, first)
		}
	}
	if first["auth_token"] == again["auth_token"] {
		t.Error("the second run printed the same token; only its hash should be left")
	}
	first["auth_token"] = again["auth_token"]
	if diff := cmp.Diff(first, again); diff != "" {
		t.Errorf("the second run made something else (-first +second):\n%s", diff)
	}

	status, stdout, _ := try(environ, "setup")
	if key, ok := first["api_key"].(string); status != 0 || !ok || !strings.Contains(stdout, "API key     "+key+"\n") {
		t.Errorf("status %d, readable form:\n%s", status, stdout)
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	if status, stdout, _ := try(nil, "version"); status != 0 || !strings.HasPrefix(stdout, "sett ") {
		t.Errorf("status %d, stdout %q", status, stdout)
	}
	tests := map[string]struct {
		settings []debug.BuildSetting
		want     string
	}{
		"outside of a repository": {nil, "sett v1\ncommit unknown\ndate unknown\nbuilt with go1.26\n"},
		"release":                 {[]debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.time", Value: "2026-11-20T10:00:00Z"}, {Key: "vcs.modified", Value: "false"}}, "sett v1\ncommit abc\ndate 2026-11-20T10:00:00Z\nbuilt with go1.26\n"},
		"changed":                 {[]debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.time", Value: "2026-11-20T10:00:00Z"}, {Key: "vcs.modified", Value: "true"}}, "sett v1\ncommit abc with changes\ndate 2026-11-20T10:00:00Z\nbuilt with go1.26\n"},
	}
	for name, tt := range tests {
		var out strings.Builder
		if err := printVersion(&out, "v1", &debug.BuildInfo{GoVersion: "go1.26", Settings: tt.settings}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, out.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// server is a sett serve in a process of its own.
type server struct {
	cmd  *exec.Cmd
	log  *json.Decoder
	addr string
	key  string // of a project
}

func startServer(t *testing.T) *server {
	t.Helper()
	data := "--data=" + t.TempDir()
	status, stdout, stderr := try(nil, "setup", "--json", data)
	var credentials struct {
		Key string `json:"api_key"`
	}
	if err := json.Unmarshal([]byte(stdout), &credentials); err != nil {
		t.Fatalf("setup: status %d, %v: %s%s", status, err, stdout, stderr)
	}
	s := &server{cmd: exec.Command(os.Args[0], "serve", "--listen=127.0.0.1:0", "--log-format=json", data), key: credentials.Key}
	s.cmd.Env = append(os.Environ(), actVariable+"=1")
	log, err := s.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.cmd.Process.Kill() }) // fails only when it has ended
	s.log = json.NewDecoder(log)
	s.addr = s.await(t, "sett is ready")["listen"]
	return s
}

// await reads the log up to a message and returns that line's texts.
func (s *server) await(t *testing.T, message string) map[string]string {
	t.Helper()
	for {
		var line map[string]any
		if err := s.log.Decode(&line); err != nil {
			t.Fatalf("the log ended before %q: %v", message, err)
		}
		if line["msg"] != message {
			continue
		}
		texts := map[string]string{}
		for k, v := range line {
			if text, ok := v.(string); ok {
				texts[k] = text
			}
		}
		return texts
	}
}

// hold opens a request whose body never comes, so that the server cannot finish.
func (s *server) hold(t *testing.T) {
	t.Helper()
	conn, err := net.Dial("tcp", s.addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	request := "POST /v1/notices HTTP/1.1\r\nHost: sett\r\nX-API-Key: " + s.key + "\r\nExpect: 100-continue\r\nContent-Length: 100\r\n\r\n"
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	answer, err := bufio.NewReader(conn).ReadString('\n')
	if want := "HTTP/1.1 100 Continue\r\n"; answer != want {
		t.Fatalf("answer %q, %v; want %q, which the handler sends when it reads the body", answer, err, want)
	}
}

func (s *server) signal(t *testing.T, sig syscall.Signal) {
	t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
}

func TestServeStopsOnSignal(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			s := startServer(t)
			s.signal(t, sig)
			s.await(t, "stopping")
			if err := s.cmd.Wait(); err != nil {
				t.Errorf("exit: %v, want status 0", err)
			}
			if conn, err := net.Dial("tcp", s.addr); err == nil {
				conn.Close()
				t.Error("it still listens")
			}
		})
	}
}

func TestServeEndsAtOnceOnSecondSignal(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	s.hold(t)
	s.signal(t, syscall.SIGTERM)
	s.await(t, "stopping")
	began := time.Now()
	s.signal(t, syscall.SIGTERM)
	err := s.cmd.Wait()
	if s.cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("exit: %v, want status 1", err)
	}
	if took := time.Since(began); took > grace/2 {
		t.Errorf("it took %v to end", took)
	}
}

func TestServeSaysWhyItCannotListen(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	status, _, stderr := try(nil, "serve", "--data="+t.TempDir(), "--listen="+taken.Addr().String())
	if status != 1 || !strings.Contains(stderr, "address already in use") {
		t.Errorf("status %d, stderr %q", status, stderr)
	}
}
