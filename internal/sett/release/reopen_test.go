package release_test

import (
	"testing"

	"sett/internal/sett/release"
)

func TestReopens(t *testing.T) {
	t.Parallel()
	named := map[string]release.Place{"1": {At: 10, ID: 5}, "2": {At: 20, ID: 3}, "2b": {At: 20, ID: 4}, "3": {At: 30, ID: 1}}
	for _, c := range []struct {
		in, of string
		want   bool
	}{
		{"2", "1", false},
		{"2", "2", true},
		{"2", "3", true},
		{"2", "2b", true},
		{"2b", "2", false},
		{"3", "2", false},
		{"2", "", true},
		{"2", "unknown", true},
		{"gone", "1", true},
		{"gone", "gone", true},
		{"", "1", true},
		{"", "", true},
	} {
		if got := release.Reopens(c.in, c.of, named); got != c.want {
			t.Errorf("resolved in %q, occurs in %q: reopens %v", c.in, c.of, got)
		}
	}
}
