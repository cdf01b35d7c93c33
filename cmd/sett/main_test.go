package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/app"
	"sett/internal/base/about"
	"sett/internal/setttest/program"
)

// actVariable makes this test binary the sett command, for tests that send it signals.
const actVariable = "SETT_TEST_ACT"

func TestMain(m *testing.M) {
	if os.Getenv(actVariable) != "" {
		main()
	}
	program.UsualSignals()
	os.Exit(m.Run())
}

// processLasts is how long a process of a test may take.
const processLasts = 2 * time.Minute

// process returns a command that has not begun: this test binary as sett, or a shell that runs it. It is killed with all that it has started when
// it takes too long. With -short the test is skipped.
func process(t testing.TB, name string, args ...string) *exec.Cmd {
	t.Helper()
	if testing.Short() {
		t.Skip("-short leaves out tests that start processes")
	}
	ctx, cancel := context.WithTimeout(t.Context(), processLasts)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), actVariable+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	return cmd
}

// try runs a command line in this process.
func try(environ []string, args ...string) (status int, stdout, stderr string) {
	return tryWith("", environ, args...)
}

// tryWith runs a command line in this process, with something on its standard input.
func tryWith(stdin string, environ []string, args ...string) (status int, stdout, stderr string) {
	var out, err bytes.Buffer
	status = run(args, environ, strings.NewReader(stdin), &out, &err)
	return status, out.String(), err.String()
}

func TestWrongCommandLines(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		line, variable string
		want           string
	}{
		"command":                   {line: "sevre", want: `unknown command "sevre"; did you mean serve?`},
		"command with flags":        {line: "sevre --listen :1", want: `unknown command "sevre"; did you mean serve?`},
		"an unknown command":        {line: "frobnicate", want: `unknown command "frobnicate"; sett --help lists all commands`},
		"command of a command":      {line: "token revok", want: `unknown command "revok"; did you mean revoke?`},
		"command of cobra's":        {line: "completion bsah", want: `unknown command "bsah"; did you mean bash?`},
		"help for a command":        {line: "help sevre", want: `unknown command "sevre"; did you mean serve?`},
		"argument":                  {line: "serve now", want: `unknown argument "now"; sett serve takes only flags, which sett serve --help lists`},
		"flag":                      {line: "serve --lisen :1", want: `unknown flag --lisen; did you mean --listen?`},
		"flag with its value":       {line: "serve --lisen=:1", want: `unknown flag --lisen; did you mean --listen?`},
		"flag with one dash":        {line: "serve -listen :1", want: `unknown flag -listen; did you mean --listen?`},
		"flag of no setting":        {line: "maintenance start --resaon x", want: `unknown flag --resaon; did you mean --reason?`},
		"flag of another command":   {line: "migrate --listen :1", want: `unknown flag --listen; sett migrate --help lists the valid flags`},
		"flag without a command":    {line: "--listen :1", want: `unknown flag --listen; write flags after a command; sett --help lists the commands`},
		"flag without its value":    {line: "serve --listen", want: `--listen needs a value; sett serve --help describes it`},
		"flag with a wrong value":   {line: "backup --keep=few", want: `--keep="few" is not valid; write a value such as 7`},
		"switch with a wrong value": {line: "setup --json=perhaps", want: `--json="perhaps" is not valid; write a value such as false`},
		"variable":                  {line: "migrate", variable: "SETT_DTAA=x", want: `SETT_DTAA is not a setting; did you mean SETT_DATA?`},
		"everything at once": {line: "serve --plan=gold", variable: "SETT_DTAA=x", want: "SETT_DTAA is not a setting; did you mean SETT_DATA?\n" +
			`sett: --plan="gold" is not one of self-hosted, developer, team, business, enterprise; write one of them`},
		"setup's own values": {line: "setup --email=olga", want: "--email must be an email address such as you@example.org"},
		"setup checks as well": {line: "setup", variable: "SETT_DATABASE=mysql://u:hush@h", want: "SETT_DATABASE is not a PostgreSQL URL; " +
			"write postgres://user:password@host:5432/name, with special characters of the password percent-encoded, or remove it for SQLite"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status, stdout, stderr := try([]string{tt.variable}, strings.Fields(tt.line)...)
			if diff := cmp.Diff("sett: "+tt.want+"\n", stderr); diff != "" {
				t.Errorf("stderr (-want +got):\n%s", diff)
			}
			if status != 1 || stdout != "" {
				t.Errorf("status %d, stdout %q; want 1 and nothing", status, stdout)
			}
		})
	}
}

func TestCommandsOfCommandsAloneShowTheirHelp(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{"": "  sett [command]", "token": "  revoke ", "help": "  serve ", "help serve": "--listen host:port", "help token add": "--scope string"} {
		status, stdout, stderr := try(nil, strings.Fields(line)...)
		if status != 0 || stderr != "" || !strings.Contains(stdout, want) {
			t.Errorf("sett %s: status %d, stderr %q, stdout without %q:\n%s", line, status, stderr, want, stdout)
		}
	}
}

func TestHelpNamesFlagsAndVariables(t *testing.T) {
	t.Parallel()
	for command, wants := range map[string][]string{
		"serve":   {"--listen host:port", "is SETT_SECRET_KEY_FILE", "(default 127.0.0.1:8080)", "text, json (default text)", "--spool-bytes size", "(default 1GiB)", "--migration-copy  "},
		"setup":   {"--email text", "--json", "--data dir", "is SETT_"},
		"migrate": {"--database url", "--spool-bytes size"},
		"backup":  {"--blocks url", "Flags:\n", "--keep int"},
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

// The help of serve lists every setting once, in a line below the heading of its group.
func TestHelpOfAServerIsInGroups(t *testing.T) {
	t.Parallel()
	_, stdout, _ := try(nil, "serve", "--help")
	heading, headings := "", map[string]string{}
	for line := range strings.Lines(stdout) {
		line = strings.TrimRight(line, "\n")
		if name, is := strings.CutSuffix(line, ":"); is {
			heading = name
		} else if flag, is := strings.CutPrefix(line, "      --"); is {
			headings[strings.Fields(flag)[0]] += heading
		}
		if len(line) > 135 {
			t.Errorf("the help has the line %q", line)
		}
	}
	for _, s := range app.Settings() {
		want := s.Group
		if s.Hidden || !slices.Contains(ofServer, s.Group) {
			want = ""
		}
		if headings[s.Flag] != want {
			t.Errorf("--%s is below %q, want %q", s.Flag, headings[s.Flag], want)
		}
	}
}

// Flags that the help of a command leaves out are taken all the same.
func TestHelpLeavesOutWhatFewNeed(t *testing.T) {
	t.Parallel()
	for command, hidden := range map[string]string{"serve": "--plan", "setup": "--spool-bytes", "token add": "--blocks", "user list": "--database-read"} {
		if _, stdout, _ := try(nil, append(strings.Fields(command), "--help")...); strings.Contains(stdout, hidden) {
			t.Errorf("%s --help lists %s", command, hidden)
		}
	}
	if status, _, stderr := try(nil, "setup", "--data="+t.TempDir(), "--spool-bytes=20MB", "--plan=team"); status != 1 || stderr != "sett: unknown flag --plan; sett setup --help lists the valid flags\n" {
		t.Errorf("status %d, stderr %q", status, stderr)
	}
	if status, _, stderr := try(nil, "setup", "--data="+t.TempDir(), "--spool-bytes=20MB"); status != 0 {
		t.Errorf("status %d, stderr %q", status, stderr)
	}
}

func TestMigrate(t *testing.T) {
	t.Parallel()
	data := "--data=" + t.TempDir()
	for _, want := range []string{`^The schema was migrated from version 0 to \d+\.\n$`, `^The schema is up to date, at version \d+\.\n$`} {
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

	status, stdout, stderr := try(environ, "setup")
	if key, ok := first["api_key"].(string); status != 0 || !ok || !strings.Contains(stdout, "API key     "+key+"\n") {
		t.Errorf("status %d, readable form:\n%s", status, stdout)
	}
	if !strings.Contains(stderr, "olga@example.test has no password yet") || !strings.Contains(stderr, "sett user password olga@example.test --generate\n") {
		t.Errorf("for an owner who cannot sign in, setup prints %q", stderr)
	}
	if status, _, stderr := try(environ, "user", "password", "olga@example.test", "--generate"); status != 0 {
		t.Fatal(stderr)
	}
	if status, _, stderr := try(environ, "setup"); status != 0 || stderr != "" {
		t.Errorf("with a password: status %d, stderr %q", status, stderr)
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"version", "--version"} {
		if status, stdout, stderr := try(nil, command); status != 0 || stderr != "" || !strings.HasPrefix(stdout, "sett "+about.Current().Version+"\n") {
			t.Errorf("sett %s: status %d, stdout %q, stderr %q", command, status, stdout, stderr)
		}
	}
	built := about.Build{Version: "0.11.0", Commit: "abc", Date: "2026-11-20T10:00:00Z", Go: "go1.26", OS: "linux", Arch: "arm64"}
	changed, without := built, built
	changed.Changed, without.Commit, without.Date = true, "", ""
	tests := map[string]struct {
		build  about.Build
		asJSON bool
		want   string
	}{
		"release":                    {built, false, "sett 0.11.0\ncommit abc\ndate 2026-11-20T10:00:00Z\nbuilt with go1.26 for linux/arm64\n"},
		"changed":                    {changed, false, "sett 0.11.0\ncommit abc with changes\ndate 2026-11-20T10:00:00Z\nbuilt with go1.26 for linux/arm64\n"},
		"outside of version control": {without, false, "sett 0.11.0\ncommit not recorded: built outside of version control\ndate not recorded\nbuilt with go1.26 for linux/arm64\n"},
		"as JSON":                    {built, true, `{"version":"0.11.0","commit":"abc","date":"2026-11-20T10:00:00Z","modified":false,"go":"go1.26","os":"linux","arch":"arm64"}` + "\n"},
	}
	for name, tt := range tests {
		var out strings.Builder
		if err := printVersion(&out, tt.build, tt.asJSON); err != nil {
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

	token string // of the user
}

func startServer(t *testing.T) *server {
	t.Helper()
	data := "--data=" + t.TempDir()
	status, stdout, stderr := try(nil, "setup", "--json", data)
	var credentials struct {
		Key   string `json:"api_key"`
		Token string `json:"auth_token"`
	}
	if err := json.Unmarshal([]byte(stdout), &credentials); err != nil {
		t.Fatalf("setup: status %d, %v: %s%s", status, err, stdout, stderr)
	}
	s := &server{cmd: process(t, os.Args[0], "serve", "--listen=127.0.0.1:0", "--log-format=json", data), key: credentials.Key, token: credentials.Token}
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
			s.await(t, "sett is stopping, and finishes running requests")
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
	s.await(t, "sett is stopping, and finishes running requests")
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
