package test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// standIns are the programs of the manual that a machine of tests does not have, what does their work there, and why. This program is started under
// their names. None ignores an argument that it does not know.
var standIns = map[string]struct {
	instead, why string
	run          func(*standIn) error
}{
	"docker":  {"the image of the release in a root directory of its own; the library of Compose", "needs a daemon", docker},
	"helm":    {"Helm's own library renders the chart; its Secrets must exist", "needs a cluster", helm},
	"kubectl": {"Secrets and claims in a file", "needs a cluster", kubectl},
	"skopeo":  {"reads the images to copy as a registry does", "needs a registry", skopeo},
	"dnf":     {"rpm reads the package", "a machine with apt has no dnf", dnf},
	"editor":  {"writes SETT_BASE_URL into the file", "needs a person", editor},
	"rsync":   {"looks for what it would copy", "needs a second machine", rsync},
}

// stateVariable names the file with what stand-ins know of each other.
const stateVariable = "STAND_INS"

// standIn is a run of a program.
type standIn struct {
	args []string
	out  io.Writer
	file string
	state
}

// state is what the stand-ins of a page know.
type state struct {
	Images     map[string]string          // by name, the archive that each is in
	Containers map[string]ran             // by name
	Projects   map[string]bool            // of Compose, by file
	Secrets    map[string]map[string]bool // keys, by name
	Releases   map[string]map[string]any  // values, by name
	Claims     map[string]bool            // volumes that an uninstalled release leaves
}

// runStandIn does the work of a program and returns its exit status.
func runStandIn(name string, args []string) (status int) {
	s := &standIn{args: args, out: os.Stdout, file: os.Getenv(stateVariable), state: state{
		Images: map[string]string{}, Containers: map[string]ran{}, Projects: map[string]bool{}, Secrets: map[string]map[string]bool{},
		Releases: map[string]map[string]any{}, Claims: map[string]bool{},
	}}
	err := s.load()
	if err == nil {
		err = standIns[name].run(s)
	}
	if err == nil {
		err = s.save()
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s %s: %v\n", name, strings.Join(args, " "), err)
		return 1
	}
	return 0
}

func (s *standIn) load() error {
	data, err := os.ReadFile(s.file)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(data, &s.state)
}

func (s *standIn) save() error {
	data, err := json.Marshal(s.state)
	if err != nil {
		return err
	}
	return os.WriteFile(s.file, data, 0o600)
}

// options are the options of a command by name, each with all its values, and what else it has. Those of switches have no value.
func (s *standIn) options(after int, switches string, valued ...string) (values map[string][]string, words []string, err error) {
	values = map[string][]string{}
	for i := after; i < len(s.args); i++ {
		name, value, inOne := strings.Cut(s.args[i], "=")
		switch {
		case !strings.HasPrefix(name, "-") || name == "-":
			words = append(words, s.args[i])
		case !inOne && slices.Contains(strings.Fields(switches), name):
			values[name] = nil
		case !slices.Contains(valued, name):
			return nil, nil, fmt.Errorf("the option %s is not known", s.args[i])
		case inOne:
			values[name] = append(values[name], value)
		case i+1 == len(s.args):
			return nil, nil, fmt.Errorf("%s has no value", name)
		default:
			i++
			values[name] = append(values[name], s.args[i])
		}
	}
	return values, words, nil
}

func (s *standIn) is(words ...string) bool {
	return len(s.args) >= len(words) && slices.Equal(s.args[:len(words)], words)
}

var errUnknown = errors.New("no page of the manual has used this command before; teach it to the stand-in")

func kubectl(s *standIn) error {
	switch {
	case s.is("create", "secret", "generic"):
		values, words, err := s.options(3, "", "--from-literal", "--from-file")
		if err != nil || len(words) != 1 {
			return fmt.Errorf("names of the secret: %q, %w", words, err)
		}
		keys := map[string]bool{}
		for _, literal := range values["--from-literal"] {
			key, value, _ := strings.Cut(literal, "=")
			if keys[key] = true; value == "" {
				return fmt.Errorf("%s is empty", key)
			}
		}
		for _, file := range values["--from-file"] {
			if about, err := os.Stat(file); err != nil || about.Size() == 0 {
				return fmt.Errorf("%s is empty: %w", file, err)
			}
			keys[filepath.Base(file)] = true
		}
		s.Secrets[words[0]] = keys
		return nil
	case s.is("delete", "secret"):
		return remove(s.Secrets, s.args[2:])
	case s.is("delete", "pvc"):
		return remove(s.Claims, s.args[2:])
	}
	return errUnknown
}

// remove deletes what must be there.
func remove[T any](from map[string]T, names []string) error {
	for _, name := range names {
		if _, ok := from[name]; !ok {
			return fmt.Errorf("there is no %s", name)
		}
		delete(from, name)
	}
	return nil
}

func dnf(s *standIn) error {
	if s.is("remove", "-y", "sett") || s.is("remove", "sett") {
		return nil
	}
	if !s.is("install") || len(s.args) != 2 || !strings.HasPrefix(s.args[1], "./") {
		return errUnknown
	}
	said, err := command("", "/usr/bin/rpm", "--query", "--package", "--queryformat", "%{NAME} %{ARCH}", s.args[1])
	if err == nil && said != "sett x86_64" {
		err = fmt.Errorf("it is the package of %s", said)
	}
	return err
}

func editor(s *standIn) error {
	if len(s.args) != 1 {
		return errUnknown
	}
	text, err := os.ReadFile(s.args[0])
	if err != nil {
		return err
	}
	return os.WriteFile(s.args[0], append(text, "\nSETT_BASE_URL=https://sett.example.org\n"...), 0o600)
}

func rsync(s *standIn) error {
	_, words, err := s.options(0, "-a")
	if err != nil || len(words) != 2 || !strings.Contains(words[1], ":") {
		return fmt.Errorf("it has %q, %w", words, err)
	}
	found, err := os.ReadDir(words[0])
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("%s is empty", words[0])
	}
	return err
}
