package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// settBinary is the program under test, built from the module above for this run.
var settBinary string

func TestMain(m *testing.M) {
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

func build(binary string, flags ...string) error {
	cmd := exec.Command("go", slices.Concat([]string{"build", "-trimpath", "-o", binary}, flags, []string{"./cmd/sett"})...)
	cmd.Dir, cmd.Env = "..", append(os.Environ(), "GOGC=400") // it collects garbage less often
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build sett: %w\n%s", err, out)
	}
	return nil
}
