package ascode

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"sett/internal/sett/checks"
)

// Reference is where the value of a secret is.
type Reference struct {
	Env   string // name of a variable
	File  string // path of a file, whose text is the value, without a newline at its end
	Place Place
}

// secret is the value of a reference. Nothing prints it.
type secret string

func (secret) String() string { return "(secret)" }

// Resolve puts the values in the places of references.
func Resolve(root *Thing, value func(Reference) (string, error)) (problems []Problem) {
	for _, t := range root.All() {
		for name, v := range t.Fields {
			t.Fields[name] = replace(v, func(v any) any {
				ref, ok := v.(Reference)
				if !ok {
					return v
				}
				text, err := value(ref)
				if err != nil {
					problems = append(problems, Problem{ref.Place, err.Error()})
				}
				return secret(text)
			})
		}
	}
	return problems
}

// replace returns a value with each of its leaves replaced.
func replace(v any, leaf func(any) any) any {
	switch v := v.(type) {
	case []any:
		all := make([]any, len(v))
		for i, item := range v {
			all[i] = replace(item, leaf)
		}
		return all
	case map[string]any:
		all := map[string]any{}
		for name, item := range v {
			all[name] = replace(item, leaf)
		}
		return all
	}
	return leaf(v)
}

// plain returns a value with its secrets as texts.
func plain(v any) any {
	return replace(v, func(v any) any {
		if s, ok := v.(secret); ok {
			return string(s)
		}
		return v
	})
}

// leaves calls f for each leaf of a value with its path.
func leaves(path string, v any, f func(path string, v any)) {
	switch v := v.(type) {
	case []any:
		for i, item := range v {
			leaves(path+"."+strconv.Itoa(i), item, f)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			leaves(path+"."+name, v[name], f)
		}
	default:
		f(path, v)
	}
}

// fingerprint returns what is kept of a secret. The salt is that of the account, so that equal secrets of two accounts do not look equal.
func fingerprint(salt, path, value string) string {
	sum := hmac.New(sha256.New, []byte(salt))
	fmt.Fprintf(sum, "%s\x00%s", path, value)
	return hex.EncodeToString(sum.Sum(nil)[:12])
}

// fingerprints returns those of a thing.
func (t *Thing) fingerprints(salt string) map[string]string {
	found := map[string]string{}
	for _, f := range t.Kind.Fields {
		if !f.Secret {
			continue
		}
		leaves(f.Name, t.Fields[f.Name], func(path string, v any) {
			if value, ok := plain(v).(string); ok {
				found[path] = fingerprint(salt, path, value)
			}
		})
	}
	return found
}

// isMasked reports whether the API hides a value, or a part of it.
func isMasked(v any) bool {
	text, ok := v.(string)
	return ok && strings.Contains(text, checks.SecretMask)
}

// variable returns the name of the variable that an export names for a secret.
func variable(t *Thing, path string) string {
	name := []byte(strings.ToUpper(strings.TrimPrefix(t.Path(), "projects/") + "_" + path))
	for i, c := range name {
		if (c < 'A' || c > 'Z') && (c < '0' || c > '9') {
			name[i] = '_'
		}
	}
	if c := name[0]; c >= '0' && c <= '9' || strings.HasPrefix(string(name), "SETT_") { // which are settings of sett
		return "X_" + string(name)
	}
	return string(name)
}
