package job

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// trial is a job that was run, and what came of it.
type trial struct {
	status         int
	stdout, stderr string
	outcome        Outcome
}

func try(stdin string, command ...string) (t trial) {
	var out, errs bytes.Buffer
	t.status = Job{
		Command: command, Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &errs,
		Report: func(_ context.Context, o Outcome) error { t.outcome = o; return nil },
	}.Run()
	t.stdout, t.stderr = out.String(), errs.String()
	return t
}

func shell(script string) []string { return []string{"/bin/sh", "-c", script} }

func TestRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, []byte("no program"), 0o600); err != nil {
		t.Fatal(err)
	}
	noCommand := plain + "x: command not found; write the path of its file, or correct PATH"
	noName := "sett-no-such-command: command not found; write the path of its file, or correct PATH"
	noProgram := plain + " cannot be run: permission denied"
	for name, tt := range map[string]struct {
		command []string
		want    trial
	}{
		"success":    {shell("echo out; echo err >&2"), trial{0, "out\n", "err\n", Outcome{Stdout: "out\n", Stderr: "err\n"}}},
		"failure":    {shell("echo half; exit 3"), trial{3, "half\n", "", Outcome{Status: 3, Stdout: "half\n"}}},
		"signal":     {shell("echo x; kill -9 $$"), trial{137, "x\n", "", Outcome{Status: 137, Stdout: "x\n"}}},
		"stdin":      {shell("read line; echo $line"), trial{0, "given\n", "", Outcome{Stdout: "given\n"}}},
		"bytes":      {shell(`printf '\377\000\r\n'`), trial{0, "\xff\x00\r\n", "", Outcome{Stdout: "\uFFFD\x00\r\n"}}},
		"no file":    {[]string{plain + "x"}, trial{127, "", "sett: " + noCommand + "\n", Outcome{Status: 127, Stderr: noCommand}}},
		"no name":    {[]string{"sett-no-such-command"}, trial{127, "", "sett: " + noName + "\n", Outcome{Status: 127, Stderr: noName}}},
		"no program": {[]string{plain}, trial{126, "", "sett: " + noProgram + "\n", Outcome{Status: 126, Stderr: noProgram}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := try("given\n", tt.command...)
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(trial{}), cmpopts.IgnoreFields(Outcome{}, "Duration")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if started := got.status != 126 && got.status != 127; started != (got.outcome.Duration > 0) {
				t.Errorf("it took %v", got.outcome.Duration)
			}
		})
	}
}

func TestRunPassesBigOutputWhole(t *testing.T) {
	t.Parallel()
	const lines = 200_000
	got := try("", shell("i=0; while [ $i -lt 200000 ]; do echo $i; i=$((i+1)); done | tee /dev/stderr")...)
	for name, text := range map[string]string{"stdout": got.stdout, "stderr": got.stderr} {
		if n := strings.Count(text, "\n"); n != lines || !strings.HasSuffix(text, "\n199999\n") {
			t.Errorf("%s: %d lines", name, n)
		}
	}
	for name, text := range map[string]string{"stdout": got.outcome.Stdout, "stderr": got.outcome.Stderr} {
		if len(text) > mostTail || len(text) < mostTail-4 || !strings.HasSuffix(text, "\n199999\n") {
			t.Errorf("%s is reported with %d bytes: …%q", name, len(text), text[max(0, len(text)-20):])
		}
	}
}

type closed struct{}

func (closed) Write([]byte) (int, error) { return 0, syscall.EPIPE }

// A command notices that its output has no reader, as it would alone.
func TestRunWithoutAReader(t *testing.T) {
	t.Parallel()
	var o Outcome
	status := Job{
		Command: []string{"/bin/sh", "-c", "while :; do echo y; done"}, Stdout: closed{}, Stderr: io.Discard,
		Report: func(_ context.Context, got Outcome) error { o = got; return nil },
	}.Run()
	if status != 128+int(syscall.SIGPIPE) && status != 1 && status != 2 || o.Status != status {
		t.Errorf("status %d, reported %d", status, o.Status)
	}
}

func TestRunSaysThatItWasNotReported(t *testing.T) {
	t.Parallel()
	var errs bytes.Buffer
	status := Job{
		Command: shell("exit 4"), Stdout: io.Discard, Stderr: &errs,
		Report: func(context.Context, Outcome) error { return errors.New("https://sett.test does not respond") },
	}.Run()
	want := "sett: the check-in was not reported: https://sett.test does not respond; the command itself exited with status 4\n"
	if status != 4 || errs.String() != want {
		t.Errorf("status %d, stderr %q", status, errs.String())
	}
}
