package sourcemap_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/event/sourcemap"
)

func read(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func parse(t testing.TB, text string) *sourcemap.Map {
	t.Helper()
	m, err := sourcemap.Parse([]byte(text), sourcemap.Largest)
	if err != nil {
		t.Fatalf("parse %.100s: %v", text, err)
	}
	return m
}

// describe is what testdata/golden.mjs writes about a map, from what Node's own reader says.
func describe(m *sourcemap.Map, minified string) string {
	var b strings.Builder
	before := ""
	for i, text := range strings.Split(minified, "\n") {
		for column := range len(text) + 1 {
			says := "-"
			if p, ok := m.Lookup(i+1, column); ok {
				says = strings.TrimSpace(fmt.Sprintf("%s:%d:%d %s", p.Source, p.Line, p.Column, p.Name))
			}
			if says != before {
				fmt.Fprintf(&b, "%d:%d %s\n", i+1, column, says)
			}
			before = says
		}
	}
	return b.String()
}

// TestMapsOfBundlers compares maps that bundlers wrote, as their plugins uploaded them, with what another reader says about each column.
func TestMapsOfBundlers(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"honeybadger-webpack", "honeybadger-rollup", "sentry-webpack", "sentry-vite"} {
		m := parse(t, string(read(t, name+".js.map")))
		if diff := cmp.Diff(string(read(t, name+".golden")), describe(m, string(read(t, name+".js")))); diff != "" {
			t.Errorf("%s (-Node, +sett):\n%s", name, diff)
		}
	}
}

func TestMapsOfBundlersHaveTheirFiles(t *testing.T) {
	t.Parallel()
	m := parse(t, string(read(t, "sentry-vite.js.map")))
	p, ok := m.Lookup(1, 591) // of Error in the minified file
	if !ok || m.DebugID != "d8f1a263-94db-4288-9abb-fd7baec79f55" {
		t.Fatalf("found %t in the map with the debug ID %q", ok, m.DebugID)
	}
	content, ok := m.Content(p)
	want := []sourcemap.Line{{1, "export function total(cart) { if (!cart.items.length) throw new Error('empty cart'); return cart.items.reduce((a, b) => a + b.price, 0) }"}, {2, ""}}
	if diff := cmp.Diff(want, sourcemap.LinesAround(content, p.Line, 3)); diff != "" || !ok {
		t.Errorf("lines, contained %t (-want +got):\n%s", ok, diff)
	}
}
