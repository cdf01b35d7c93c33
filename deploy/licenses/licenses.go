// Package licenses reads under which licenses the parts of a program may be passed on. What comes in is a checkout and the platforms of a
// release; what comes out are the modules that the linker takes on any of them, with the texts that their authors ask us to pass on. It never
// guesses: a text that is not known, or a license that is not on the list, is an error.
package licenses

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// Module is a module that a program contains, or the standard library.
type Module struct {
	Path, Version string
	IDs           []string // of its licenses in SPDX's list, sorted
	Texts         []Text
}

// Text is a file of a module.
type Text struct{ Name, Body string }

// onList are the licenses of what a program under Apache 2.0 may contain without changing its own license.
var onList = []string{"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", Patents, "ISC", "MIT", "MIT-0", "Unlicense", "Zlib", "blessing"}

// known are texts that no tool recognizes, with what they are in SPDX's list; "" is what covers nothing of the program.
var known = map[string]string{
	"modernc.org/memory/LICENSE-LOGO":   "", // where the picture of its logo is from
	"modernc.org/sqlite/LICENSE-SQLITE": "blessing",
}

// elsewhere are licenses of what a module has and the program does not contain, with the package that it would come with.
var elsewhere = map[string]string{
	"github.com/alecthomas/chroma/v2 OFL-1.1":          "formatters/svg", // a font
	"github.com/modelcontextprotocol/go-sdk CC-BY-4.0": "docs",           // documentation
	"modernc.org/sqlite MPL-2.0":                       "no package",     // of a tool that go.sum names
}

// allowed is an error if a license is not on the list.
func (m Module) allowed() error {
	for _, id := range m.IDs {
		if !slices.Contains(onList, id) {
			return fmt.Errorf("%s %s is under %s, which is not on the list in deploy/licenses: use another module, or add the license if sett may contain what it covers", m.Path, m.Version, id)
		}
	}
	if len(m.IDs) == 0 {
		return fmt.Errorf("%s %s has no license that is known: use another module", m.Path, m.Version)
	}
	return nil
}

// Of returns the modules that the program of a checkout contains on any of some platforms, such as linux/amd64, by their paths. It is an error if one
// of them may not be passed on so.
func Of(ctx context.Context, source string, platforms []string) ([]Module, error) {
	dirs := map[string]*found{}
	for _, p := range platforms {
		if err := list(ctx, source, p, dirs); err != nil {
			return nil, fmt.Errorf("list what the program contains on %s: %w", p, err)
		}
	}
	var modules []Module
	for _, path := range slices.Sorted(maps.Keys(dirs)) {
		m, err := dirs[path].module(path)
		if err == nil {
			err = m.allowed()
		}
		if err != nil {
			return nil, err
		}
		modules = append(modules, m)
	}
	return modules, nil
}

// found is a module with the directories of its packages that the program contains.
type found struct {
	version, root string
	dirs          map[string]bool
}

// Standard is the path of the standard library among the modules. Patents is the grant of rights beside the license of Go, which SPDX does not list.
const (
	Standard = "stdlib"
	Patents  = "GooglePatentsFile"
)

func list(ctx context.Context, source, platform string, into map[string]*found) error {
	system, machine, _ := strings.Cut(platform, "/")
	cmd := exec.CommandContext(ctx, "go", "list", "-deps", "-json=Dir,Standard,Module,Root", "./cmd/sett")
	cmd.Dir = source
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+machine, "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off")
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%w\n%s", err, problems.String())
	}
	packages := json.NewDecoder(bytes.NewReader(out))
	for {
		var p struct {
			Dir, Root string
			Standard  bool
			Module    *struct {
				Path, Version, Dir string
				Main               bool
			}
		}
		if err := packages.Decode(&p); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		switch {
		case p.Standard:
			into[Standard] = &found{root: p.Root, dirs: map[string]bool{p.Root: true}}
		case p.Module != nil && !p.Module.Main:
			if into[p.Module.Path] == nil {
				into[p.Module.Path] = &found{p.Module.Version, p.Module.Dir, map[string]bool{p.Module.Dir: true}}
			}
			for dir := p.Dir; len(dir) > len(p.Module.Dir); dir = filepath.Dir(dir) {
				into[p.Module.Path].dirs[dir] = true
			}
		}
	}
}

// passedOn matches the names of files that authors ask us to pass on, and license those that say what may be done.
var (
	passedOn = regexp.MustCompile(`(?i)^(licen[cs]e|copying|unlicense|notice|copyright|patents)[^/]*$`)
	license  = regexp.MustCompile(`(?i)^(licen[cs]e|copying|unlicense)`)
)

func (f *found) module(path string) (Module, error) {
	m := Module{Path: path, Version: f.version}
	for _, dir := range slices.Sorted(maps.Keys(f.dirs)) {
		files, err := os.ReadDir(dir)
		if err != nil {
			return m, err
		}
		for _, file := range files {
			if file.IsDir() || !passedOn.MatchString(file.Name()) || strings.HasSuffix(file.Name(), ".go") {
				continue
			}
			if err := m.add(f, filepath.Join(dir, file.Name())); err != nil {
				return m, err
			}
		}
	}
	slices.Sort(m.IDs)
	m.IDs = slices.Compact(m.IDs)
	return m, nil
}

// add reads a file of the module.
func (m *Module) add(f *found, file string) error {
	body, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	name, err := filepath.Rel(f.root, file)
	if err != nil {
		return err
	}
	m.Texts = append(m.Texts, Text{filepath.ToSlash(name), tidied(body)})
	matches := licensecheck.Scan(body).Match
	id, ok := known[m.Path+"/"+filepath.ToSlash(name)]
	if license.MatchString(filepath.Base(name)) && len(matches) == 0 && !ok {
		return fmt.Errorf("%s of %s %s is no license that is known: read it, and add it to those in deploy/licenses, or use another module", name, m.Path, m.Version)
	}
	if id != "" {
		m.IDs = append(m.IDs, id)
	}
	for _, match := range matches {
		if with, ok := elsewhere[m.Path+" "+match.ID]; !ok || f.dirs[filepath.Join(f.root, filepath.FromSlash(with))] {
			m.IDs = append(m.IDs, match.ID)
		}
	}
	return nil
}

// tidied returns a text without the blanks at the ends of its lines, so that equal texts are equal.
func tidied(body []byte) string {
	var b strings.Builder
	for line := range strings.Lines(strings.TrimSpace(string(body))) {
		b.WriteString(strings.TrimRight(line, " \t\r\n"))
		b.WriteByte('\n')
	}
	return b.String()
}
