package ascode

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"sett/internal/base/phrase"
)

// Source is a file with its text.
type Source struct {
	Name string // as people know it
	Text []byte
}

// What aliases of YAML can blow up, and how deep values may be.
const (
	mostNodes = 500_000
	mostDepth = 50
)

// reader reads files into one root.
type reader struct {
	root     *Thing
	file     string
	nodes    int
	depth    int // of the value that is read
	problems []Problem
}

// Read returns what files say, as one: a thing may be in several of them, each of its fields in one. Problems are all that is wrong.
func Read(files []Source) (root *Thing, problems []Problem) {
	r := &reader{root: &Thing{Kind: Root()}}
	for _, f := range files {
		r.read(f)
	}
	if len(r.problems) == 0 {
		r.check()
	}
	return r.root, r.problems
}

// read reads the documents of a file.
func (r *reader) read(f Source) {
	r.file = f.Name
	documents := yaml.NewDecoder(bytes.NewReader(f.Text))
	for {
		var document yaml.Node
		switch err := documents.Decode(&document); {
		case errors.Is(err, io.EOF):
			return
		case err != nil:
			r.unreadable(err)
			return
		}
		if top := document.Content[0]; top.Tag != "!!null" {
			r.inside(r.root, top)
		}
	}
}

var yamlLine = regexp.MustCompile(`line (\d+): `)

// unreadable notes text that is no YAML.
func (r *reader) unreadable(err error) {
	text, line := strings.TrimPrefix(err.Error(), "yaml: "), 1
	if found := yamlLine.FindStringSubmatch(text); found != nil {
		line, _ = strconv.Atoi(found[1])
		text = strings.Replace(text, found[0], "", 1)
	}
	r.problems = append(r.problems, Problem{Place{r.file, line, 1}, "this is not YAML: " + text + "; correct the line or the one before it"})
}

func (r *reader) place(n *yaml.Node) Place { return Place{r.file, n.Line, n.Column} }

func (r *reader) add(n *yaml.Node, format string, args ...any) {
	r.problems = append(r.problems, Problem{r.place(n), fmt.Sprintf(format, args...)})
}

// real follows an alias. It is nil when there are too many nodes.
func (r *reader) real(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if r.nodes++; r.nodes > mostNodes {
		if r.nodes == mostNodes+1 {
			r.add(n, "the files have more than %d values; use fewer aliases", mostNodes)
		}
		return nil
	}
	return n
}

// entries calls f for each entry of a mapping; what names the mapping in a problem.
func (r *reader) entries(n *yaml.Node, what string, f func(key, value *yaml.Node)) {
	if n = r.real(n); n == nil {
		return
	}
	if n.Kind != yaml.MappingNode {
		r.add(n, "%s must be a mapping of keys to values, as in key: value", what)
		return
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if line, twice := seen[key.Value]; twice {
			r.add(key, "%s is here twice, first in line %d; keep one of them", key.Value, line)
			continue
		}
		seen[key.Value] = key.Line
		f(key, n.Content[i+1])
	}
}

// inside reads the fields of a thing and what is in it.
func (r *reader) inside(t *Thing, n *yaml.Node) {
	what := "the file"
	if t.Parent != nil {
		what = t.Called()
	}
	r.entries(n, what, func(key, value *yaml.Node) {
		if field := t.Kind.field(key.Value); field != nil {
			r.field(t, field, key, value)
			return
		}
		if kind := t.Kind.sub(key.Value); kind != nil {
			r.section(t, kind, key, value)
			return
		}
		r.add(key, "%s", unknown(key.Value, what, t.Kind.names()))
	})
}

// names returns all that may be in a thing.
func (k *Kind) names() (names []string) {
	for _, f := range k.Fields {
		names = append(names, f.Name)
	}
	for _, inside := range k.Kinds {
		names = append(names, inside.Name)
	}
	return names
}

// unknown says that a name is no part of something, and which was meant.
func unknown(name, of string, names []string) string {
	if near, ok := phrase.Nearest(name, names); ok {
		return fmt.Sprintf("%s is no part of %s; did you mean %s?", name, of, near)
	}
	return fmt.Sprintf("%s is no part of %s; there are %s", name, of, strings.Join(names, ", "))
}

var keyForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// section reads the things of a kind.
func (r *reader) section(parent *Thing, kind *Kind, key, n *yaml.Node) {
	if n.Tag == "!!null" {
		return
	}
	if kind.Single {
		r.inside(r.thing(parent, kind, kind.Name, key), n)
		return
	}
	r.entries(n, kind.Name, func(key, value *yaml.Node) {
		if !keyForm.MatchString(key.Value) {
			r.add(key, "the key %q must have only letters, digits, -, _ and ., at most 100; change it, and set the name inside", key.Value)
			return
		}
		r.inside(r.thing(parent, kind, key.Value, key), value)
	})
}

// thing returns the thing with a key, which may have begun in another file.
func (r *reader) thing(parent *Thing, kind *Kind, key string, n *yaml.Node) *Thing {
	t := parent.find(kind, key)
	if t == nil {
		t = &Thing{Kind: kind, Key: key, Parent: parent, Place: r.place(n), Fields: map[string]any{}, places: map[string]Place{}}
		parent.Things = append(parent.Things, t)
	}
	return t
}

func (r *reader) field(t *Thing, f *Field, key, n *yaml.Node) {
	if first, twice := t.places[f.Name]; twice {
		r.add(key, "%s of %s is set in %s too; keep one of them", f.Name, t.Called(), first)
		return
	}
	t.places[f.Name] = r.place(n)
	before := len(r.problems)
	v := r.value(n, f.Secret, f.Type == text || f.Type == texts || f.Type == keys || f.Secret)
	if len(r.problems) > before {
		return
	}
	if problem := f.wrong(v); problem != "" {
		r.add(n, "%s of %s %s", f.Name, t.Called(), problem)
		return
	}
	if f.Name == "starts_at" || f.Name == "ends_at" {
		v = utc(v)
	}
	t.Fields[f.Name] = v
}

// wrong says what is wrong with a value, or returns "".
func (f Field) wrong(v any) string {
	switch {
	case v == nil:
		return "has no value; write one, or remove the line to leave it as it is"
	case !f.fits(v):
		return "must be " + string(f.Type)
	case f.Name == "when":
		if _, ok := ParseWhen(v.(string)); !ok {
			return `must be a comparison, one of > >= < <= = != and a whole number, such as "> 10"`
		}
	}
	items, isList := v.([]any)
	if !isList {
		items = []any{v}
	}
	for _, item := range items {
		if word, ok := item.(string); ok && len(f.Enum) > 0 && !slices.Contains(f.Enum, word) {
			if near, ok := phrase.Nearest(word, f.Enum); ok {
				return fmt.Sprintf("cannot be %s; did you mean %s?", word, near)
			}
			return fmt.Sprintf("cannot be %s; it is one of %s", word, strings.Join(f.Enum, ", "))
		}
		if f.items != nil {
			if problem := f.items(item); problem != "" {
				return problem
			}
		}
	}
	return ""
}

// fits reports whether a value is of the type of the field.
func (f Field) fits(v any) bool {
	_, isReference := v.(Reference)
	_, isText := v.(string)
	items, isList := v.([]any)
	switch f.Type {
	case text:
		return isText || f.Secret && isReference
	case number:
		n, ok := v.(float64)
		return ok && n == float64(int64(n))
	case flag:
		_, ok := v.(bool)
		return ok
	case texts, keys:
		return isList && !slices.ContainsFunc(items, func(item any) bool { _, ok := item.(string); return !ok })
	case object:
		_, ok := v.(map[string]any)
		return ok
	case list:
		return isList && !slices.ContainsFunc(items, func(item any) bool { _, ok := item.(map[string]any); return !ok })
	}
	return false
}

// value reads a value: a mapping with env or file alone is a reference where there may be one, and numbers are texts where they must be.
func (r *reader) value(n *yaml.Node, references, asText bool) any {
	if n = r.real(n); n == nil {
		return nil
	}
	r.depth++
	defer func() { r.depth-- }()
	if r.depth > mostDepth {
		r.add(n, "a value is more than %d levels deep; an alias must not be a part of what it names", mostDepth)
		r.nodes = mostNodes + 1 // that is enough
		return nil
	}
	switch n.Kind {
	case yaml.SequenceNode:
		all := []any{}
		for _, item := range n.Content {
			all = append(all, r.value(item, references, asText))
		}
		return all
	case yaml.MappingNode:
		all := map[string]any{}
		r.entries(n, "this", func(key, value *yaml.Node) { all[key.Value] = r.value(value, references, asText) })
		if ref, ok := r.reference(n, all); ok && references {
			return ref
		}
		return all
	case yaml.ScalarNode:
		return r.scalar(n, asText)
	}
	return nil
}

func (r *reader) reference(n *yaml.Node, v map[string]any) (Reference, bool) {
	env, isEnv := v["env"].(string)
	file, isFile := v["file"].(string)
	return Reference{env, file, r.place(n)}, len(v) == 1 && (isEnv && env != "" || isFile && file != "")
}

func (r *reader) scalar(n *yaml.Node, asText bool) any {
	switch tag := n.ShortTag(); {
	case tag == "!!null":
		return nil
	case asText || tag == "!!str" || tag == "!!timestamp" || tag == "!!binary":
		return n.Value
	case tag == "!!bool":
		return n.Value == "true" || n.Value == "True" || n.Value == "TRUE"
	}
	var number float64
	if err := n.Decode(&number); err != nil {
		r.add(n, "%q is neither a text nor a number; put it in quotes if it is a text", n.Value)
	}
	return number
}
