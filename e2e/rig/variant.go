package rig

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Variant is a change of the program under test: files by their path from the root of the module, in place of its own or new.
type Variant map[string]string

// with adds a file of the program with a text replaced, which has to be there once.
func (v Variant) with(t testing.TB, file, text, replacement string) Variant {
	t.Helper()
	source, err := os.ReadFile(filepath.Join(Repository, file))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(source), text); n != 1 {
		t.Fatalf("%s has %q %d times, want once", file, text, n)
	}
	v[file] = strings.Replace(string(source), text, replacement, 1)
	return v
}

// Build makes the program of the variant.
func (v Variant) Build(t testing.TB, binary string) {
	t.Helper()
	dir, replace := t.TempDir(), map[string]string{}
	for file, text := range v {
		from, err := filepath.Abs(filepath.Join(Repository, file))
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(dir, filepath.Base(file))
		WriteFile(t, to, []byte(text))
		replace[from] = to
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	overlay := filepath.Join(dir, "overlay.json")
	WriteFile(t, overlay, list)
	if err := build(binary, "-overlay", overlay); err != nil {
		t.Fatal(err)
	}
}
