// Package test makes a release and tries all that people install sett with, as far as a machine without Docker and Kubernetes can: the
// image, compose files, the chart, the systemd unit, packages, alert rules and the dashboard. It never publishes anything.
package test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sett/internal/setttest/program"
)

// version is that of the releases under test. It is not that of the source, nor of a tag, so that all files must take it from the command.
const version = "0.10.0"

// owner is who publishes the releases under test. One field has a placeholder.
const owner = `name: Ada's shop
email: ada@example.org
home: https://example.org/sett
file: https://code.example.org/sett/tree/v{version}/{file}
icon: https://sett.invalid/icon.svg
image: ` + imageName + "\n"

// imageName is where the owner pushes the images.
const imageName = "registry.example.org/ada/sett"

// The releases under test, made twice from the same commit in different directories, and the temporary directory of all tests.
var (
	dist, again string
	said        string // by the release about itself
	temp        string
	publicKey   []byte // of the key that signed them
)

func TestMain(m *testing.M) {
	if name := filepath.Base(os.Args[0]); standIns[name].run != nil {
		os.Exit(runStandIn(name, os.Args[1:]))
	}
	program.UsualSignals()
	if os.Getenv(insideVariable) != "" {
		os.Exit(m.Run())
	}
	status, err := runAll(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "deploy:", err)
		status = 1
	}
	os.Exit(status)
}

func runAll(m *testing.M) (status int, err error) {
	if err := os.Chdir(".."); err != nil { // where all of it is
		return 1, err
	}
	if temp, err = os.MkdirTemp("", "sett-deploy-"); err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	if err := os.Chmod(temp, 0o755); err != nil { // the user of the image and of the service enters it
		return 1, err
	}
	key := filepath.Join(temp, "key")
	if _, err := command(temp, "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "release", "-f", key); err != nil {
		return 1, err
	}
	if publicKey, err = os.ReadFile(key + ".pub"); err != nil {
		return 1, err
	}
	if dist, err = release("first", key); err != nil {
		return 1, err
	}
	if again, err = release("elsewhere/second", key); err != nil {
		return 1, err
	}
	return m.Run(), nil
}

// release copies the checkout, with what is not committed yet, into a new repository, and makes a release of it there.
func release(name, key string) (string, error) {
	dir := filepath.Join(temp, name)
	err := copyCheckout(dir)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "deploy", "owner.yaml"), []byte(owner), 0o600)
	}
	if err != nil {
		return "", err
	}
	commit := `git init -q && git add -A && git -c user.name=t -c user.email=t@example.org commit -qm x --date=2026-11-26T00:00:00Z`
	if _, err := command(dir, "sh", "-c", "export GIT_COMMITTER_DATE=2026-11-26T00:00:00Z; "+commit); err != nil {
		return "", err
	}
	said, err = command(filepath.Join(dir, "deploy"), "sh", "-c", `RELEASE_KEY="$1" go run ./release -systems linux -version "$2" 2>&1`, "sh", key, version)
	return filepath.Join(dir, "dist"), err
}

func copyCheckout(dir string) error {
	list, err := command("..", "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if err != nil {
		return err
	}
	for _, name := range strings.Split(strings.TrimSuffix(list, "\x00"), "\x00") {
		from, to := filepath.Join("..", name), filepath.Join(dir, name)
		data, err := os.ReadFile(from)
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted, and not committed yet
		}
		info, statErr := os.Stat(from)
		if err := errors.Join(err, statErr, os.MkdirAll(filepath.Dir(to), 0o755)); err != nil {
			return err
		}
		if err := os.WriteFile(to, data, info.Mode().Perm()); err != nil {
			return err
		}
	}
	return nil
}

// command runs a program in a directory and returns what it prints.
func command(dir, name string, args ...string) (string, error) {
	cmd := program.Bounded(name, args...)
	cmd.Dir = dir
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("%s %s: %w\n%s%s", name, strings.Join(args, " "), err, out.String(), problems.String())
	}
	return out.String(), nil
}

// must runs a program that succeeds.
func must(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	out, err := command(dir, name, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// needRoot skips tests that need namespaces or owners of files, except in CI, which runs as root.
func needRoot(t *testing.T) {
	t.Helper()
	if os.Getuid() == 0 {
		return
	}
	if os.Getenv("CI") != "" {
		t.Fatal("CI runs as root, so that this can be tried")
	}
	t.Skip("run as root: it tries the release in a root directory of its own")
}
