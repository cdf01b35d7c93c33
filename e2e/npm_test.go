package e2e

import (
	"fmt"
	"os/exec"
	"sync"
	"testing"

	"sett/internal/setttest/program"
)

// jsDir is where the JavaScript client is installed and its programs run.
const jsDir = "js"

// installed installs the JavaScript client as its lock file names it, once.
var installed = sync.OnceValue(func() error {
	for _, name := range []string{"node", "npm"} {
		if _, err := exec.LookPath(name); err != nil {
			return fmt.Errorf("%s is missing; install Node.js 20 or later with npm: apt-get install nodejs npm", name)
		}
	}
	cmd := program.Bounded("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	cmd.Dir = jsDir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm ci in e2e/js: %w; it needs the npm registry or its cache\n%s", err, out)
	}
	return nil
})

// needJavaScript makes the JavaScript client available.
func needJavaScript(t testing.TB) {
	t.Helper()
	if err := installed(); err != nil {
		t.Fatal(err)
	}
}
