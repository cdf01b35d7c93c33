package phrase

import (
	"testing"

	"pgregory.net/rapid"
)

func TestDistance(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"listen", "listne", 1}, {"kitten", "sitting", 3}, {"data", "database", 4}} {
		if got := distance(tt.a, tt.b); got != tt.want {
			t.Errorf("distance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestDistanceIsOneWhateverTheDirection(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.StringMatching(`[a-d]{0,8}`).Draw(t, "a"), rapid.StringMatching(`[a-d]{0,8}`).Draw(t, "b")
		d := distance(a, b)
		if d != distance(b, a) || d > max(len(a), len(b)) || (d == 0) != (a == b) {
			t.Fatalf("distance(%q, %q) = %d", a, b, d)
		}
	})
}

func TestMisspelt(t *testing.T) {
	t.Parallel()
	known := []string{"is", "tag", "file", "user", "class", "hostname", "created", "created.after"}
	for word, want := range map[string]string{
		"files": "file", "fiel": "file", "fine": "file", "used": "user", "clas": "class", "hostnam": "hostname", "hsotnaem": "hostname", "created_aftr": "created.after", "created": "created",
		"": "", "i": "", "iz": "", "tga": "", "nil": "", "pass": "", "host": "", "user_agent": "",
	} {
		if got, ok := Misspelt(word, known); got != want || ok != (want != "") {
			t.Errorf("Misspelt(%q) = %q, %v", word, got, ok)
		}
	}
	if got, ok := Nearest("a", []string{"", "abcd", "abc"}); got != "" || !ok {
		t.Errorf("nearest to a is %q, %v", got, ok)
	}
}
