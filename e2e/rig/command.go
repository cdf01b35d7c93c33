package rig

import (
	"errors"
	"os"
	"os/exec"
	"testing"

	"sett/internal/setttest/program"
)

// RunCommand runs a program to its end, which must be a success.
func RunCommand(t testing.TB, name string, args ...string) {
	t.Helper()
	if out, err := program.Bounded(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %q: %v: %s", name, args, err, out)
	}
}

// WriteFile makes a file.
func WriteFile(t testing.TB, file string, text []byte) {
	t.Helper()
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// NeedCommand fails the test when a command is missing.
func NeedCommand(t testing.TB, name, install string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Fatalf("%s is missing; install it: %s", name, install)
	}
}

// RunSett runs a command of a sett to its end.
func RunSett(binary string, args ...string) (out string, status int) {
	cmd := program.Bounded(binary, args...)
	cmd.Env = Environment()
	text, err := cmd.CombinedOutput()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		return string(text), failed.ExitCode()
	}
	if err != nil {
		return err.Error(), -1
	}
	return string(text), 0
}
