package web

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLanguageChoices(t *testing.T) {
	t.Parallel()
	want := Choices("elixir", "Elixir", "golang", "Go", "java", "Java", "js", "JavaScript", "node", "Node.js", "php", "PHP", "python", "Python", "ruby", "Ruby", "other", "Another language")
	if diff := cmp.Diff(want, LanguageChoices()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
