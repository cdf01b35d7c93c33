package settings

import (
	"strings"
	"testing"

	"sett/internal/sett/scrub"
)

// TestCostlyPatternsOfEarlierVersionsAreNamed has settings that were stored when more was allowed.
func TestCostlyPatternsOfEarlierVersionsAreNamed(t *testing.T) {
	t.Parallel()
	var shown scrubbingPage
	shown.warnOfStored(scrub.Settings{Patterns: []string{`ORD-\d+`}})
	if len(shown.Warnings) > 0 {
		t.Errorf("usual patterns: %q", shown.Warnings)
	}
	shown.warnOfStored(scrub.Settings{Patterns: []string{`(a?){400}b`}})
	if len(shown.Warnings) != 1 || !strings.Contains(shown.Warnings[0], `(a?){400}b`) || !strings.Contains(shown.Warnings[0], "removed whole") {
		t.Errorf("costly patterns: %q", shown.Warnings)
	}
}
