package app

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"reflect"
	"slices"
	"strings"

	"sett/internal/base/phrase"
)

// Setting is one thing that an operator can set, as the tags of a field of Config describe it:
//
//	flag     its name as a flag, without dashes; the variable's name follows from it
//	is       what its values are (see parse)
//	of       the values to choose from, separated by spaces
//	default  its value when it is not set
//	group    the heading that it is listed under
//	secret   "yes" when no one may read it in a log; it may then be in a file as well
//	hidden   "yes" when only the manual lists it
//	help     what it does, as a phrase that fits on one line of --help
//	more     what the manual says besides, as phrases
type Setting struct {
	Flag    string   // "listen"
	Env     string   // "SETT_LISTEN"
	Default string   // as it would be written; "" for none
	Choices []string // nil when it is not a choice
	Group   string
	Help    string
	Secret  bool
	Hidden  bool // the help does not list it
	Switch  bool // true or false: as a flag it needs no value

	is    string
	more  string
	field []int
}

// Settings returns every setting in the order of the documentation.
func Settings() []Setting { return settingsOf(reflect.TypeFor[Config](), nil) }

// Summary returns the setting's help text with the values to choose from, for one line.
func (s Setting) Summary() string {
	if len(s.Choices) > 1 {
		return s.Help + ": " + strings.Join(s.Choices, ", ")
	}
	return s.Help
}

// Describe returns all that the manual says of the setting.
func (s Setting) Describe() string {
	if s.more == "" {
		return s.Summary()
	}
	return s.Summary() + "; " + s.more
}

// Value returns the word for its values in the help: "size" in "--spool-bytes size".
func (s Setting) Value() string {
	if word, ok := valueWords[s.is]; ok {
		return word
	}
	return s.is
}

// valueWords are the words for the kinds of values that are not named by one.
var valueWords = map[string]string{
	"address": "host:port", "listener": "host:port", "nameserver": "host:port", "postgres": "url", "objects": "url", "smtp": "url", "issuer": "url", "directory": "url",
	"level": "choice", "count": "number", "days": "number", "contact": "email", "securitycontact": "address", "mailbox": "email", "domain": "host", "header": "name",
}

func settingsOf(t reflect.Type, above []int) (all []Setting) {
	for i := range t.NumField() {
		f, index := t.Field(i), append(slices.Clip(above), i)
		flag, ok := f.Tag.Lookup("flag")
		if !ok {
			all = append(all, settingsOf(f.Type, index)...)
			continue
		}
		all = append(all, Setting{
			Flag:    flag,
			Env:     "SETT_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_")),
			Default: f.Tag.Get("default"),
			Choices: strings.Fields(f.Tag.Get("of")),
			Group:   f.Tag.Get("group"),
			Help:    f.Tag.Get("help"),
			Secret:  f.Tag.Get("secret") == "yes",
			Hidden:  f.Tag.Get("hidden") == "yes",
			Switch:  f.Type.Kind() == reflect.Bool,
			is:      f.Tag.Get("is"),
			more:    f.Tag.Get("more"),
			field:   index,
		})
	}
	return all
}

// given is the text of a setting and where it was found.
type given struct {
	text   string
	from   string // "--listen", "SETT_LISTEN", "SETT_DATABASE_FILE"
	hidden bool
}

// complain says that the text cannot be used. A secret is not repeated.
func (g given) complain(why error) error {
	if g.hidden {
		return fmt.Errorf("%s %w", g.from, why)
	}
	return fmt.Errorf("%s=%q %w", g.from, g.text, why)
}

// find returns the setting's text from the first source that has it. A variable that is set to nothing counts as not
// set, which is how compose files pass on what their user left out.
func (src Sources) find(s Setting, env map[string]string) (given, error) {
	if text, ok := src.Flags[s.Flag]; ok {
		return given{text, "--" + s.Flag, s.Secret}, nil
	}
	if text := env[s.Env]; text != "" {
		return given{text, s.Env, s.Secret}, nil
	}
	file := env[s.Env+"_FILE"]
	if !s.Secret || file == "" {
		return given{s.Default, "default of --" + s.Flag, s.Secret}, nil
	}
	text, err := src.ReadFile(file)
	if err != nil {
		why := err
		if p, ok := errors.AsType[*fs.PathError](err); ok {
			why = p.Err
		}
		return given{}, fmt.Errorf("%s_FILE=%q cannot be read: %w", s.Env, file, why)
	}
	return given{strings.TrimSpace(string(text)), s.Env + "_FILE", true}, nil
}

// environment returns the variables that begin with SETT_, without those of tests.
func environment(environ []string) map[string]string {
	env := map[string]string{}
	for _, line := range environ {
		name, text, _ := strings.Cut(line, "=")
		if strings.HasPrefix(name, "SETT_") && !strings.HasPrefix(name, "SETT_TEST_") {
			env[name] = text
		}
	}
	return env
}

// unknownVariables lists every variable that is not a setting, most likely a typo.
func unknownVariables(settings []Setting, env map[string]string) (problems []error) {
	var known []string
	for _, s := range settings {
		known = append(known, s.Env)
		if s.Secret {
			known = append(known, s.Env+"_FILE")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if !slices.Contains(known, name) {
			meant := name
			if whole := strings.TrimSuffix(name, "_FILE"); slices.Contains(known, whole) {
				meant = whole // only secrets are read from files
			}
			problems = append(problems, fmt.Errorf("%s is not a setting; %s", name, Suggest(meant, known, "sett serve --help lists those of the server")))
		}
	}
	return problems
}

// Suggest asks whether the nearest of the known words was meant, or gives other advice when none is near.
func Suggest(word string, known []string, otherwise string) string {
	if near, ok := phrase.Nearest(word, known); ok {
		return "did you mean " + near + "?"
	}
	return otherwise
}
