package rig

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"sett/internal/setttest/program"
)

// JS is where the JavaScript client is installed and its programs run.
const JS = "../rig/js"

// installed installs the JavaScript client as its lock file names it, once.
var installed = sync.OnceValue(func() error {
	for _, name := range []string{"node", "npm"} {
		if _, err := exec.LookPath(name); err != nil {
			return fmt.Errorf("%s is missing; install Node.js 20 or later with npm: apt-get install nodejs npm", name)
		}
	}
	unlock, err := lock(filepath.Join(JS, ".lock"))
	if err != nil {
		return err
	}
	defer unlock()
	wanted, err := os.ReadFile(filepath.Join(JS, "package-lock.json"))
	if err != nil {
		return err
	}
	stamp := filepath.Join(JS, "node_modules", ".installed")
	if there, err := os.ReadFile(stamp); err == nil && bytes.Equal(there, wanted) {
		return nil // by another folder of stories, which may use it now
	}
	cmd := program.Bounded("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	cmd.Dir = JS
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm ci in e2e/rig/js: %w; it needs the npm registry or its cache\n%s", err, out)
	}
	return os.WriteFile(stamp, wanted, 0o644)
})

// NeedJavaScript makes the JavaScript client available.
func NeedJavaScript(t testing.TB) {
	t.Helper()
	if err := installed(); err != nil {
		t.Fatal(err)
	}
}
