package ascode

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"sett/internal/base/phrase"
	"sett/internal/sett/checks"
)

// check looks at what only all files together show: what is missing, keys of other things, and secrets in the open.
func (r *reader) check() {
	for _, t := range r.root.All() {
		for _, f := range t.Kind.Fields {
			v := t.Fields[f.Name]
			switch {
			case f.Type == keys:
				r.checkKeys(t, f, v)
			case f.Name == "sites" || f.Name == "check_ins":
				r.checkShown(t, f, v)
			case f.Secret:
				r.checkOpen(t, f, v)
			}
		}
	}
}

// sample returns a value that a field may have.
func (f Field) sample() string {
	switch {
	case f.Example != "":
		return quoted(f.Example)
	case f.Type == list:
		return "[]"
	}
	return "…"
}

func (r *reader) checkKeys(t *Thing, f Field, v any) {
	items, _ := v.([]any)
	for _, key := range items {
		r.checkTarget(t, f, f.target(t, key.(string)), key.(string))
	}
}

func (r *reader) checkShown(t *Thing, f Field, v any) {
	items, _ := v.([]any)
	for _, entry := range items {
		for of := range shownKinds {
			if key, ok := entry.(map[string]any)[of].(string); ok {
				r.checkTarget(t, f, shownPath(of, key), key)
			}
		}
	}
}

// checkTarget notes a key of a thing that no file has.
func (r *reader) checkTarget(t *Thing, f Field, path, key string) {
	kind := path[:strings.LastIndexByte(path, '/')+1]
	var known []string
	for _, other := range r.root.All() {
		if other.Path() == path {
			return
		}
		if rest, ok := strings.CutPrefix(other.Path(), kind); ok && !strings.Contains(rest, "/") {
			known = append(known, key[:strings.LastIndexByte(key, '/')+1]+rest)
		}
	}
	advice := "add " + path + " to the files"
	if near, ok := phrase.Nearest(key, known); ok {
		advice = "did you mean " + near + "?"
	}
	r.problems = append(r.problems, Problem{t.placeOf(f.Name), fmt.Sprintf("%s of %s names %s, which the files do not have; %s", f.Name, t.Called(), key, advice)})
}

// checkOpen notes a secret that is in a file itself.
func (r *reader) checkOpen(t *Thing, f Field, v any) {
	open := false
	switch v := v.(type) {
	case string:
		open = f.Name == "password" || f.Name == "url" && checks.ShownAddress(v) != v
	case []any:
		for _, h := range v {
			key, _ := h.(map[string]any)["key"].(string)
			value, isText := h.(map[string]any)["value"].(string)
			open = open || checks.IsSecretHeader(key) && isText && value != ""
		}
	}
	if open {
		r.problems = append(r.problems, openSecret(t, f.Name))
	}
}

func openSecret(t *Thing, path string) Problem {
	field, _, _ := strings.Cut(path, ".")
	return Problem{t.placeOf(field), fmt.Sprintf("%s of %s has a secret; write where it is, as in {env: %s} or {file: secret.txt}", path, t.Called(), variable(t, path))}
}

// ChannelOption is an option that channels of a type have.
type ChannelOption struct {
	Name   string
	Secret bool
}

// CheckChannels notes what is wrong with the types and options of channels, among the types of a server: what is unknown, and secrets that are in a
// file itself.
func CheckChannels(root *Thing, types map[string][]ChannelOption) (problems []Problem) {
	for _, t := range root.All() {
		name, _ := t.Fields["type"].(string)
		if t.Kind.Name != "channels" || name == "" {
			continue
		}
		options, known := types[name]
		if !known {
			problems = append(problems, Problem{t.placeOf("type"), unknown(name, "the types of channels", slices.Sorted(maps.Keys(types)))})
			continue
		}
		problems = append(problems, t.checkOptions(options)...)
	}
	return problems
}

func (t *Thing) checkOptions(options []ChannelOption) (problems []Problem) {
	said, _ := t.Fields["options"].(map[string]any)
	var names []string
	for _, o := range options {
		names = append(names, o.Name)
		if value, open := said[o.Name].(string); open && o.Secret && value != "" {
			problems = append(problems, openSecret(t, "options."+o.Name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(said)) {
		if !slices.Contains(names, name) {
			problems = append(problems, Problem{t.placeOf("options"), unknown(name, "the options of "+t.Called(), names)})
		}
	}
	return problems
}
