package rig

import (
	"context"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"sett/internal/setttest/program"
)

// Repository is where the stories of a folder find the product's own files.
const Repository = "../.."

var (
	// Binary is the program under test, built from the module above.
	Binary string
	// Dir is a directory of this process, which ends with it.
	Dir string
)

// Main is TestMain of every folder of stories.
func Main(m *testing.M) {
	program.UsualSignals()
	var err error
	status := 1
	if Binary, err = shared("sett", func(file string) error { return build(file) }); err == nil {
		Dir, err = os.MkdirTemp("", "sett-e2e-")
	}
	if err == nil {
		status = m.Run()
		err = os.RemoveAll(Dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
	}
	os.Exit(status)
}

// shared returns a program that folders of stories share, which run side by side: one makes it, the others wait. It stays for the next run in
// the same checkout, and go build leaves it as it is unless something has changed.
func shared(name string, build func(file string) error) (file string, err error) {
	root, err := filepath.Abs(Repository)
	if err != nil {
		return "", err
	}
	checkout := fnv.New64a()
	fmt.Fprint(checkout, root)
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("sett-e2e-%d-%x", os.Getuid(), checkout.Sum64()))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	file = filepath.Join(dir, name)
	unlock, err := lock(file + ".lock")
	if err != nil {
		return "", err
	}
	defer unlock()
	return file, build(file)
}

// lock keeps other folders of stories from what this one does, until it unlocks or ends.
func lock(file string) (unlock func(), err error) {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		f.Close()
		return nil, fmt.Errorf("lock %s: %w", file, err)
	}
	return func() { f.Close() }, nil
}

// GoCommand runs the go command in a directory. It collects garbage less often, which saves an eighth of its time.
func GoCommand(ctx context.Context, dir string, arguments ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", arguments...)
	cmd.Dir, cmd.Env = dir, append(Environment(), "GOGC=400")
	return cmd
}

// LittleRun is a flag of go build for packages below a path that run little: without inlining, they take a third less to compile.
func LittleRun(path string) string { return "-gcflags=" + path + "/...=-dwarf=false -l" }

// RunGo runs the go command in the directory of a program of the tests.
func RunGo(t testing.TB, dir string, arguments ...string) {
	t.Helper()
	if out, err := GoCommand(t.Context(), dir, arguments...).CombinedOutput(); err != nil {
		t.Fatalf("go %q: %v\n%s", arguments, err, out)
	}
}

func build(binary string, flags ...string) error {
	cmd := GoCommand(context.Background(), Repository, slices.Concat([]string{"build", "-trimpath", "-o", binary}, flags, []string{"./cmd/sett"})...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build sett: %w\n%s", err, out)
	}
	return nil
}
