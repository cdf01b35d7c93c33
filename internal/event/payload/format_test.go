package payload

import (
	"strings"
	"testing"
)

// A body that a newer version stored is not mistaken for one in a known format.
func TestUnknownFormatsAreErrors(t *testing.T) {
	t.Parallel()
	b := Body{Format: "newer", JSON: []byte(`{"error":{"class":"A"}}`)}
	if _, err := Read(b, ""); err == nil || !strings.Contains(err.Error(), `"newer"`) {
		t.Errorf("Read: %v", err)
	}
	if matches, err := Matches(mustSearch(t, "context.plan:gold"), b, ""); matches || err == nil {
		t.Errorf("Matches: %t, %v", matches, err)
	}
}
