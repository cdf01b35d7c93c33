package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"sett/internal/setttest/program"
)

// settBinary is the program under test, built from the module above for this run.
var settBinary string

func TestMain(m *testing.M) {
	program.UsualSignals()
	dir, err := os.MkdirTemp("", "sett-e2e-")
	if err == nil {
		settBinary = filepath.Join(dir, "sett")
		err = build(settBinary)
	}
	status := 1
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
	} else {
		status = m.Run()
	}
	if err := os.RemoveAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
	}
	os.Exit(status)
}

// goCommand runs the go command in a directory. It collects garbage less often, which saves an eighth of its time.
func goCommand(ctx context.Context, dir string, arguments ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", arguments...)
	cmd.Dir, cmd.Env = dir, append(environment(), "GOGC=400")
	return cmd
}

// littleRun is a flag of go build for packages below a path that run little: without inlining, they take a third less to compile.
func littleRun(path string) string { return "-gcflags=" + path + "/...=-dwarf=false -l" }

// runGo runs the go command in the directory of a program of the tests.
func runGo(t testing.TB, dir string, arguments ...string) {
	t.Helper()
	if out, err := goCommand(t.Context(), dir, arguments...).CombinedOutput(); err != nil {
		t.Fatalf("go %q: %v\n%s", arguments, err, out)
	}
}

func build(binary string, flags ...string) error {
	cmd := goCommand(context.Background(), "..", slices.Concat([]string{"build", "-trimpath", "-o", binary}, flags, []string{"./cmd/sett"})...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build sett: %w\n%s", err, out)
	}
	return nil
}
