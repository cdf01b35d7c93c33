package web

import (
	"regexp"
	"slices"
	"testing"

	"sett/internal/setttest/colour"
)

// colourToken finds the colours in the style, light and dark.
var colourToken = regexp.MustCompile(`--([a-z0-9-]+): ?light-dark\((#[0-9a-f]{6}), ?(#[0-9a-f]{6})\)`)

// style returns the style as it is written.
func style(t *testing.T) string {
	t.Helper()
	text, err := staticFiles.ReadFile("static/app.css")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// colours returns the tokens of the style, light and dark.
func colours(t *testing.T) [2]map[string]string {
	t.Helper()
	found := [2]map[string]string{{}, {}}
	for _, m := range colourToken.FindAllStringSubmatch(style(t), -1) {
		found[0][m[1]], found[1][m[1]] = m[2], m[3]
	}
	if len(found[0]) < 30 {
		t.Fatalf("only %d colours found", len(found[0]))
	}
	return found
}

// Every text is readable on every surface that it stands on, and every shape seen, light and dark (WCAG 2.2, 1.4.3 and 1.4.11).
func TestContrast(t *testing.T) {
	t.Parallel()
	const text, shape = 4.5, 3
	type pair struct {
		ink, on string
		least   float64
	}
	var pairs []pair
	for _, ink := range []string{"text", "text-2", "text-3"} {
		for _, on := range []string{"bg", "surface", "raised"} {
			pairs = append(pairs, pair{ink, on, text})
		}
	}
	for _, mood := range []string{"accent", "critical", "warning", "ok", "info", "muted", "paused"} {
		pairs = append(pairs, pair{mood, "surface", text}, pair{mood, mood + "-wash", text})
	}
	for _, ink := range []string{"accent", "ok", "text-3", "warning", "info", "text"} { // lines of source, and the line of the error
		pairs = append(pairs, pair{ink, "raised", text}, pair{ink, "critical-wash", text})
	}
	pairs = append(pairs, pair{"accent", "bg", text}, pair{"critical", "bg", text}, pair{"accent-ink", "accent", text}, pair{"text", "critical-wash", text}, pair{"text-2", "critical-wash", text})
	for _, graphic := range []string{"line-strong", "bar-ok", "bar-warn", "bar-crit", "bar-none", "series-1", "series-2", "series-3", "series-4", "series-5", "paused"} {
		pairs = append(pairs, pair{graphic, "surface", shape})
	}
	for i, of := range colours(t) {
		for _, p := range pairs {
			if of[p.ink] == "" || of[p.on] == "" {
				t.Fatalf("the style has no %s or %s", p.ink, p.on)
			}
			if got := colour.Contrast(t, of[p.ink], of[p.on]); got < p.least {
				t.Errorf("%s: %s on %s has a contrast of %.2f, want %.1f", []string{"light", "dark"}[i], p.ink, p.on, got, p.least)
			}
		}
	}
}

// The budgets of ui.md, in bytes with gzip.
func TestAssetsAreSmall(t *testing.T) {
	t.Parallel()
	assets, err := readAssets()
	if err != nil {
		t.Fatal(err)
	}
	for name, most := range map[string]int{"app.css": 8 << 10, "app.js": 6 << 10, "palette.js": 2 << 10, "mention.js": 2 << 10, "passkey.js": 2 << 10, "board.css": 2 << 10, "board.js": 3 << 10, "wall.js": 1 << 10} {
		if got := len(assets[name].packed); got == 0 || got > most {
			t.Errorf("%s takes %d bytes, want at most %d", name, got, most)
		}
	}
}

var used = regexp.MustCompile(`var\(--([a-z0-9-]+)\)`)

// A colour that has no token would be none.
func TestTokensAreDefined(t *testing.T) {
	t.Parallel()
	css := style(t)
	var defined []string
	for _, m := range regexp.MustCompile(`--([a-z0-9-]+):`).FindAllStringSubmatch(css, -1) {
		defined = append(defined, m[1])
	}
	for _, m := range used.FindAllStringSubmatch(css, -1) {
		if !slices.Contains(defined, m[1]) {
			t.Errorf("the style uses --%s, which it does not define", m[1])
		}
	}
}

// What is printed has no navigation and no buttons, what has the focus has a ring, and the compact list keeps the badges.
func TestRulesThatAreEasilyLost(t *testing.T) {
	t.Parallel()
	written := style(t)
	for what, rule := range map[string]string{
		"print":    `@media print \{\s*\.top, \.side, [^{]*\.bar, \.pager, [^{]*button[^{]*\{ display: none; \}`,
		"focus":    `:focus-visible \{ outline: 2px solid var\(--accent\); outline-offset: 2px; \}`,
		"compact":  `\.compact \.more > :not\(\.tag\) \{ display: none; \}`,
		"no caret": `main:focus \{ outline: none; \}`,
	} {
		if !regexp.MustCompile(rule).MatchString(written) {
			t.Errorf("%s: the style has no rule like %s", what, rule)
		}
	}
}
