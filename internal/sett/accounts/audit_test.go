package accounts

import (
	"strings"
	"testing"
)

func TestCutAgent(t *testing.T) {
	t.Parallel()
	for agent, want := range map[string]string{
		"curl/8":                       "curl/8",
		"a\xffb\x00c":                  "a\uFFFDbc",
		strings.Repeat("ö", 101) + "x": strings.Repeat("ö", 100) + "…",
		strings.Repeat("a", 200):       strings.Repeat("a", 200),
		"a" + strings.Repeat("ö", 101): "a" + strings.Repeat("ö", 99) + "…",
	} {
		if got := CutAgent(agent); got != want {
			t.Errorf("%q: %q, want %q", agent, got, want)
		}
	}
}
