package fence_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// Words are constants: nothing else is converted to them, or a text of others could stand outside of marks.
func TestOnlyConstantsAreWords(t *testing.T) {
	t.Parallel()
	variable := regexp.MustCompile(`fence\.Words\([^"]`)
	var all []string
	for _, pattern := range []string{"../*/*.go", "../../*/*/*.go", "../../*/*.go"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, found...)
	}
	if len(all) < 100 {
		t.Fatalf("only %d files were found", len(all))
	}
	for _, path := range all {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if found := variable.Find(text); found != nil && filepath.Base(path) != "words_test.go" {
			t.Errorf("%s has %s", path, found)
		}
	}
}
