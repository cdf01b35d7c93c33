package recording

import (
	"bytes"
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"
)

// swaps are what stands in place of each value of a mutated document: one value of each type, and some that are hard to read.
var swaps = []any{
	nil, true, json.Number("7"), json.Number("-1.5e300"), json.Number("99999999999999999999999"), "", "text", "\x00\u202e\n", strings.Repeat("long ", 5_000),
	[]any{},
	map[string]any{},
	[]any{nil, "text", 7, []any{}},
	map[string]any{"": nil, "a": map[string]any{"b": 1}, "user": []any{}},
}

// Mutations returns a JSON document with each of its values replaced by others, one at a time, and then the document cut off behind each
// byte.
func Mutations(t testing.TB, doc []byte) iter.Seq[[]byte] {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	var root any
	if err := d.Decode(&root); err != nil {
		t.Fatalf("decode the document to mutate: %v", err)
	}
	return func(yield func([]byte) bool) {
		swapped := mutate(root, func(v any) bool {
			text, err := json.Marshal(v)
			if err != nil {
				t.Fatalf("encode a mutation: %v", err)
			}
			return yield(text)
		})
		for n := 0; swapped && n < len(doc); n++ {
			swapped = yield(doc[:n])
		}
	}
}

// mutate calls yield with v and each value in it replaced, and reports whether yield wants more.
func mutate(v any, yield func(any) bool) bool {
	for _, swap := range swaps {
		if !yield(swap) {
			return false
		}
	}
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			other := maps.Clone(v)
			if !mutate(v[key], func(part any) bool { other[key] = part; return yield(other) }) {
				return false
			}
		}
	case []any:
		for i := range v {
			other := slices.Clone(v)
			if !mutate(v[i], func(part any) bool { other[i] = part; return yield(other) }) {
				return false
			}
		}
	}
	return true
}
