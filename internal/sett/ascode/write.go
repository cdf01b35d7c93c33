package ascode

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Write returns a file that says what root has, and the names of the variables that it needs. schema is the address of the JSON Schema; "" for none.
func Write(root *Thing, schema string) (text string, variables []string) {
	w := &writer{}
	if schema != "" {
		w.b.WriteString("# yaml-language-server: $schema=" + schema + "\n")
	}
	w.things(root, "")
	if len(w.variables) > 0 {
		w.b.WriteString("# Secrets are not exported. Set these variables before sett plan and sett apply, or name files by {file: PATH}:\n")
		for _, name := range w.variables {
			w.b.WriteString("#   " + name + "\n")
		}
	}
	return w.b.String(), w.variables
}

type writer struct {
	b         strings.Builder
	variables []string
}

func (w *writer) things(parent *Thing, indent string) {
	for _, kind := range parent.Kind.Kinds {
		var inside []*Thing
		for _, t := range parent.Things {
			if t.Kind == kind && (!kind.Single || len(t.Fields) > 0) {
				inside = append(inside, t)
			}
		}
		if len(inside) == 0 {
			continue
		}
		w.b.WriteString(indent + kind.Name + ":\n")
		for _, t := range inside {
			deeper := indent + "  "
			if !kind.Single {
				w.b.WriteString(deeper + quoted(t.Key) + ":")
				if len(t.Fields) == 0 && len(t.Things) == 0 {
					w.b.WriteString(" {}")
				}
				w.b.WriteString("\n")
				deeper += "  "
			}
			w.fields(t, deeper)
			w.things(t, deeper)
		}
	}
}

func (w *writer) fields(t *Thing, indent string) {
	for _, f := range t.Kind.Fields {
		v, set := t.Fields[f.Name]
		if !set {
			continue
		}
		if f.Secret {
			v = w.referTo(t, f.Name, v)
		}
		w.entry(indent, f.Name, v)
	}
}

// referTo puts references in the places of what is masked.
func (w *writer) referTo(t *Thing, path string, v any) any {
	switch v := v.(type) {
	case []any:
		all := []any{}
		for i, item := range v {
			all = append(all, w.referTo(t, path+"."+strconv.Itoa(i), item))
		}
		return all
	case map[string]any:
		all := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			all[name] = w.referTo(t, path+"."+name, v[name])
		}
		return all
	}
	if !isMasked(v) {
		return v
	}
	name := variable(t, path)
	w.variables = append(w.variables, name)
	return map[string]any{"env": name}
}

// entry writes a key with its value.
func (w *writer) entry(indent, key string, v any) {
	w.b.WriteString(indent + quoted(key) + ":")
	w.value(indent+"  ", v)
}

// value writes a value after a colon or a dash.
func (w *writer) value(indent string, v any) {
	switch v := v.(type) {
	case []any:
		w.list(indent, v)
	case map[string]any:
		if len(v) == 0 {
			w.b.WriteString(" {}\n")
			return
		}
		w.b.WriteString("\n")
		for _, name := range slices.Sorted(maps.Keys(v)) {
			w.entry(indent, name, v[name])
		}
	case string:
		w.b.WriteString(" " + block(indent, v) + "\n")
	case nil:
		w.b.WriteString(" null\n")
	default:
		w.b.WriteString(" " + Shown(v) + "\n")
	}
}

func (w *writer) list(indent string, items []any) {
	if !slices.ContainsFunc(items, func(v any) bool { _, isText := v.(string); return !isText }) {
		var words []string
		for _, item := range items {
			words = append(words, quoted(item.(string)))
		}
		if line := "[" + strings.Join(words, ", ") + "]"; len(line) < 100 {
			w.b.WriteString(" " + line + "\n")
			return
		}
	}
	w.b.WriteString("\n")
	for _, item := range items {
		var inside writer
		inside.value(indent+"  ", item)
		w.b.WriteString(indent + "- " + strings.TrimLeft(inside.b.String(), " \n"))
	}
}

var (
	plainText = regexp.MustCompile(`^[A-Za-z_/][A-Za-z0-9_./@+-]*( [A-Za-z0-9_./@+(-][A-Za-z0-9_./@+()-]*)*$`)
	words     = regexp.MustCompile(`^(?i:true|false|yes|no|on|off|null|y|n)$`)
)

// quoted writes a text in one line: as it is if YAML reads it as that text, and otherwise in quotes, as JSON has it.
func quoted(s string) string {
	if plainText.MatchString(s) && !words.MatchString(s) {
		return s
	}
	b := &strings.Builder{}
	encoder := json.NewEncoder(b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(s); err != nil {
		return strconv.QuoteToASCII(s)
	}
	var escaped strings.Builder
	for _, r := range strings.TrimSuffix(b.String(), "\n") {
		switch {
		case unicode.IsPrint(r):
			escaped.WriteRune(r)
		case r > 0xFFFF:
			fmt.Fprintf(&escaped, `\U%08x`, r)
		default:
			fmt.Fprintf(&escaped, `\u%04x`, r)
		}
	}
	return escaped.String()
}

// asBlock reports whether YAML reads the lines of a text as they are: no line is blank but for spaces, and the first has none before it.
func asBlock(s string) bool {
	s = strings.TrimSuffix(s, "\n")
	if !strings.Contains(s, "\n") || s[0] == ' ' || s[0] == '\t' || s[0] == '\n' || strings.HasSuffix(s, "\n") {
		return false
	}
	for line := range strings.SplitSeq(s, "\n") {
		if line != "" && strings.TrimSpace(line) == "" || strings.ContainsFunc(line, func(r rune) bool { return r != '\t' && !unicode.IsPrint(r) }) {
			return false
		}
	}
	return true
}

// block writes a text of several lines as such, if it is a plain one.
func block(indent, s string) string {
	if !asBlock(s) {
		return quoted(s)
	}
	mark := "|-"
	if body, ends := strings.CutSuffix(s, "\n"); ends {
		s, mark = body, "|"
	}
	var b strings.Builder
	b.WriteString(mark)
	for line := range strings.SplitSeq(s, "\n") {
		b.WriteString("\n")
		if line != "" {
			b.WriteString(indent + line)
		}
	}
	return b.String()
}

// Shown writes a value in one line, for people and files.
func Shown(v any) string {
	switch v := v.(type) {
	case string:
		return quoted(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case nil:
		return "nothing"
	case secret:
		return v.String()
	case []any:
		var parts []string
		for _, item := range v {
			parts = append(parts, Shown(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case map[string]any:
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, quoted(name)+": "+Shown(v[name]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return fmt.Sprint(v)
}
