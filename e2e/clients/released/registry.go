package released

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// client is what a registry has of a client.
type client struct {
	registry string // "go", "npm" or "pypi"
	name     string
}

// watched are the clients that report to sett or manage it.
var watched = []client{
	{"go", "github.com/honeybadger-io/api-go"},
	{"go", "github.com/honeybadger-io/honeybadger-go"},
	{"npm", "@honeybadger-io/core"},
	{"npm", "@honeybadger-io/js"},
	{"npm", "@honeybadger-io/plugin-core"},
	{"pypi", "honeybadger"},
}

// Look looks up each client and reads what it calls, into an empty directory. Problems are versions that are newer than those in what was known
// before, and clients that cannot be looked up: what was known of them is kept.
func Look(ctx context.Context, dir string, before []Call, w io.Writer) (now []Call, problems []error) {
	for _, c := range watched {
		was := slices.DeleteFunc(slices.Clone(before), func(old Call) bool { return old.Client != c.name })
		version, source, err := c.fetch(ctx, filepath.Join(dir, strings.NewReplacer("/", "-", "@", "").Replace(c.name)), w)
		var found []Address
		if err == nil {
			found, err = callsIn(source)
		}
		if err == nil && len(found) == 0 {
			err = errors.New("no address is in its source")
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("%s could not be looked up: %w", c.name, err))
			now = append(now, was...)
			continue
		}
		if len(was) > 0 && was[0].Version != version {
			problems = append(problems, fmt.Errorf("%s %s is out, and %s was tried: try it, and say so in docs/compatibility.md", c.name, version, was[0].Version))
		}
		for _, a := range found {
			now = append(now, Call{c.name, version, a})
		}
		fmt.Fprintf(w, "%s %s calls %d addresses\n", c.name, version, len(found))
	}
	return now, problems
}

// fetch gets the newest release with the registry's own tool, and returns its version and the directory or archive with its source.
func (c client) fetch(ctx context.Context, dir string, w io.Writer) (version, source string, err error) {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", "", err
	}
	switch c.registry {
	case "go":
		return c.fetchModule(ctx, w)
	case "npm":
		out, err := output(ctx, dir, "npm", "pack", "--json", "--ignore-scripts", c.name+"@latest")
		var packed []struct{ Version, Filename string }
		if err == nil {
			err = json.Unmarshal(out, &packed)
		}
		if err != nil || len(packed) != 1 {
			return "", "", fmt.Errorf("npm pack: %w", errors.Join(err, fmt.Errorf("%d packages", len(packed))))
		}
		return packed[0].Version, dir, nil
	default:
		if _, err := output(ctx, dir, "python3", "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", c.name); err != nil {
			return "", "", err
		}
		files, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil || len(files) != 1 {
			return "", "", fmt.Errorf("pip has fetched %q", files)
		}
		return strings.Split(strings.TrimSuffix(filepath.Base(files[0]), ".tar.gz"), "-")[1], dir, nil
	}
}

// fetchModule gets a Go module: the newest version, or, where the proxy does not tell it, the one that e2e is built with.
func (c client) fetchModule(ctx context.Context, w io.Writer) (version, source string, err error) {
	out, err := output(ctx, "", "go", "mod", "download", "-json", c.name+"@latest")
	if err != nil {
		fmt.Fprintf(w, "%s: the proxy does not tell the newest version, so that of e2e/go.mod is read\n", c.name)
		out, err = output(ctx, "", "go", "mod", "download", "-json", c.name)
	}
	var module struct{ Version, Dir string }
	if err == nil {
		err = json.Unmarshal(out, &module)
	}
	return module.Version, module.Dir, err
}

// output runs a command.
func output(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	var failure bytes.Buffer
	cmd.Dir, cmd.Stderr = dir, &failure
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, strings.TrimSpace(failure.String()))
	}
	return out, nil
}
