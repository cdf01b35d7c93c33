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
	if err := npmCI(JS, "e2e/rig/js"); err != nil {
		return err
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

// copies holds, by the name of a folder, a function that copies it and installs what it needs, once.
var copies sync.Map

// InstallCopy returns a copy of a folder with what npm installs as its lock file says. All tests of the process share the copy.
func InstallCopy(t testing.TB, folder string) (dir string) {
	t.Helper()
	NeedCommand(t, "npm", "apt-get install nodejs npm")
	install, _ := copies.LoadOrStore(folder, sync.OnceValues(func() (string, error) { return installCopy(folder) }))
	dir, err := install.(func() (string, error))() //nolint:forcetypeassert // what is stored here
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func installCopy(folder string) (dir string, err error) {
	if dir, err = os.MkdirTemp(Dir, "npm-"); err != nil {
		return "", err
	}
	if err := os.CopyFS(dir, os.DirFS(folder)); err != nil {
		return "", err
	}
	return dir, npmCI(dir, folder)
}

// npmCI installs in a directory what its lock file names. The name is of the folder in the source.
func npmCI(dir, name string) error {
	cmd := program.Bounded("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm ci in %s: %w; it needs the npm registry or its cache\n%s", name, err, out)
	}
	return nil
}
