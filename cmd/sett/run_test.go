package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// received is a request to a check-in.
type received struct {
	Path    string
	CheckIn struct {
		Status, Stdout, Stderr string
		Duration               int64
		ExitCode               int `json:"exit_code"`
	} `json:"check_in"`
}

// listener is a server that check-ins report to.
func listener(t *testing.T) (address string, reports <-chan received) {
	t.Helper()
	c := make(chan received, 10)
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		got := received{Path: r.URL.Path}
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
			t.Error(err)
		}
		c <- got
	}))
	t.Cleanup(s.Close)
	return s.URL, c
}

// next returns the next report, or fails the test.
func next(t *testing.T, reports <-chan received) received {
	t.Helper()
	select {
	case got := <-reports:
		return got
	case <-time.After(processLasts):
		t.Fatal("nothing was reported")
		return received{}
	}
}

func TestRunPassesEverythingThrough(t *testing.T) {
	t.Parallel()
	address, reports := listener(t)
	environ := []string{"SETT_SERVER=" + address, "SETT_API_KEY=sett_p_x"}
	for _, tt := range []struct {
		args   []string
		status int
		stdout string
		path   string
	}{
		{[]string{"--check-in", "nightly", "--", "/bin/sh", "-c", "echo done"}, 0, "done\n", "/v1/check_in/sett_p_x/nightly"},
		{[]string{"--check-in=nightly", "/bin/sh", "-c", "exit 7"}, 7, "", "/v1/check_in/sett_p_x/nightly"},
		{[]string{"--check-in=nightly", "echo", "--check-in", "--no-flag-of-ours"}, 0, "--check-in --no-flag-of-ours\n", "/v1/check_in/sett_p_x/nightly"},
	} {
		status, stdout, stderr := try(environ, append([]string{"run"}, tt.args...)...)
		if status != tt.status || stdout != tt.stdout || stderr != "" {
			t.Errorf("%v: status %d, stdout %q, stderr %q", tt.args, status, stdout, stderr)
		}
		if got := next(t, reports); got.Path != tt.path || got.CheckIn.ExitCode != tt.status || got.CheckIn.Stdout != tt.stdout {
			t.Errorf("%v: reported %+v", tt.args, got)
		}
	}
}

func TestRunRefuses(t *testing.T) {
	t.Parallel()
	const noCheckIn = "sett: --check-in (SETT_CHECK_IN) is missing; write the id of the check-in, or its slug with --api-key\n"
	const noCommand = "sett: the command to run is missing; write it after --, as in sett run --check-in nightly-backup -- ./backup.sh\n"
	for line, want := range map[string]string{
		"run":                                 noCommand,
		"run --check-in aB3":                  noCommand,
		"run --check-in aB3 --":               noCommand,
		"run -- echo":                         noCheckIn,
		"run --chek-in aB3 -- echo":           "sett: unknown flag --chek-in; did you mean --check-in?\n",
		"run --check-in a --server x -- echo": `sett: --server="x" is not a web address; write one such as https://sett.example.org` + "\n",
	} {
		if status, stdout, stderr := try(nil, strings.Fields(line)...); status != 1 || stdout != "" || stderr != want {
			t.Errorf("sett %s: status %d, stdout %q, stderr %q", line, status, stdout, stderr)
		}
	}
}

// start runs sett as a process of its own, whose streams are pipes.
func start(t *testing.T, args ...string) (cmd *exec.Cmd, stdout *bufio.Reader, stderr io.Reader) {
	t.Helper()
	cmd = process(t, os.Args[0], args...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if stderr, err = cmd.StderrPipe(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // fails only when it has ended
	return cmd, bufio.NewReader(out), stderr
}

func TestRunPassesSignalsOn(t *testing.T) {
	t.Parallel()
	address, reports := listener(t)
	for name, s := range map[string]syscall.Signal{
		"TERM": syscall.SIGTERM, "INT": syscall.SIGINT, "HUP": syscall.SIGHUP, "QUIT": syscall.SIGQUIT, "USR1": syscall.SIGUSR1, "USR2": syscall.SIGUSR2,
	} {
		t.Run(name, func(t *testing.T) {
			// No background child: one that is forked but not yet begun would lose the TERM meant to end it.
			script := "trap 'echo got " + name + "; exit 9' " + name + "; echo ready; while :; do sleep 0.1; done"
			cmd, stdout, _ := start(t, "run", "--check-in", "aB3", "--server", address, "--", "/bin/sh", "-c", script)
			if line, err := stdout.ReadString('\n'); line != "ready\n" {
				t.Fatalf("%q, %v", line, err)
			}
			if err := cmd.Process.Signal(s); err != nil {
				t.Fatal(err)
			}
			rest, _ := io.ReadAll(stdout)
			_ = cmd.Wait()
			got := next(t, reports)
			if cmd.ProcessState.ExitCode() != 9 || !strings.HasSuffix(string(rest), "got "+name+"\n") || got.CheckIn.Status != "error" || got.CheckIn.ExitCode != 9 {
				t.Errorf("%v, then %q, reported %+v", cmd.ProcessState, rest, got)
			}
		})
	}
}

// What ignores signals, as nohup and scripts in the background do, may start these tests.
func TestSignalsThatAreIgnored(t *testing.T) {
	t.Parallel()
	cmd := process(t, "/bin/sh", "-c", "trap '' HUP INT QUIT; exec \"$@\"", "sh", os.Args[0], "-test.run=^TestRunPassesSignalsOn$")
	cmd.Env = slices.DeleteFunc(cmd.Env, func(line string) bool { return strings.HasPrefix(line, actVariable) })
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// A command that is killed by a signal that was passed on ends with the status that a shell reports.
func TestRunReportsADeathBySignal(t *testing.T) {
	t.Parallel()
	address, reports := listener(t)
	cmd, stdout, _ := start(t, "run", "--check-in", "aB3", "--server", address, "--", "/bin/sh", "-c", "echo ready; exec sleep 600")
	if line, err := stdout.ReadString('\n'); line != "ready\n" {
		t.Fatalf("%q, %v", line, err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if got := next(t, reports); cmd.ProcessState.ExitCode() != 143 || got.CheckIn.ExitCode != 143 || got.CheckIn.Stdout != "ready\n" {
		t.Errorf("%v, reported %+v", cmd.ProcessState, got)
	}
}

// While no server answers, the job is done all the same; a signal then ends the wait for one.
func TestRunWhileTheServerIsAway(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	asked := make(chan struct{}, 1)
	go func() { // takes the call and says nothing
		if conn, err := l.Accept(); err == nil {
			_, _ = conn.Read(make([]byte, 1))
			asked <- struct{}{}
			t.Cleanup(func() { conn.Close() })
		}
	}()
	t.Cleanup(func() { l.Close() })
	server := "http://" + l.Addr().String()
	cmd, stdout, stderr := start(t, "run", "--check-in", "aB3", "--server", server, "--", "/bin/sh", "-c", "echo done; exit 6")
	<-asked
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	out, _ := io.ReadAll(stdout)
	errs, _ := io.ReadAll(stderr)
	_ = cmd.Wait()
	want := "sett: the check-in was not reported: a signal arrived before " + server + " responded; the command itself exited with status 6\n"
	if cmd.ProcessState.ExitCode() != 6 || string(out) != "done\n" || !cmp.Equal(want, string(errs)) {
		t.Errorf("%v, stdout %q, stderr %q", cmd.ProcessState, out, errs)
	}
}

// nohup has a hang-up ignored, which the command then does too.
func TestRunLeavesIgnoredSignalsIgnored(t *testing.T) {
	t.Parallel()
	address, _ := listener(t)
	cmd := process(t, "/bin/sh", "-c", "trap '' HUP; exec \"$@\"", "sh", os.Args[0], "run", "--check-in", "aB3", "--server", address, "--",
		"/bin/sh", "-c", "kill -HUP $$; echo alive")
	if out, err := cmd.Output(); err != nil || string(out) != "alive\n" {
		t.Errorf("%q, %v", out, err)
	}
}

// A reader that has enough ends the command as it would without us, and that is reported.
func TestRunWithoutAReader(t *testing.T) {
	t.Parallel()
	address, reports := listener(t)
	cmd := process(t, "/bin/sh", "-c", "\"$@\" | head -n 1", "sh", os.Args[0], "run", "--check-in", "aB3", "--server", address, "--",
		"/bin/sh", "-c", "while echo y; do :; done; exit 3")
	if out, err := cmd.Output(); err != nil || string(out) != "y\n" {
		t.Errorf("%q, %v", out, err)
	}
	if got := next(t, reports); got.CheckIn.Status != "error" || !strings.HasSuffix(got.CheckIn.Stdout, "y\ny\n") {
		t.Errorf("reported %+v", got)
	}
}
