package program

import (
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A program that never ends is killed, and does not take the tests with it.
func TestProgramsEnd(t *testing.T) {
	t.Parallel()
	cmd := within(time.Millisecond, "sleep", "1000")
	if err := cmd.Run(); err == nil {
		t.Error("it ended by itself")
	}
	if out, err := Bounded("echo", "done").Output(); err != nil || string(out) != "done\n" {
		t.Errorf("%q, %v", out, err)
	}
}

// What a process ignores, its programs do not once it has called UsualSignals.
func TestSignalsAreUsual(t *testing.T) {
	const hangUp = "kill -HUP $$; echo survived"
	signal.Ignore(syscall.SIGHUP)
	defer signal.Reset(syscall.SIGHUP)
	if out, err := exec.CommandContext(t.Context(), "/bin/sh", "-c", hangUp).Output(); err != nil || string(out) != "survived\n" {
		t.Skipf("a shell does not inherit what this process ignores: %q, %v", out, err)
	}
	UsualSignals()
	out, err := exec.CommandContext(t.Context(), "/bin/sh", "-c", hangUp).Output()
	if err == nil || strings.Contains(string(out), "survived") {
		t.Errorf("%q, %v: it ignores what this process ignored", out, err)
	}
}
