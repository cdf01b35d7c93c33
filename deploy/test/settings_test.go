package test

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every setting that a file of this directory names is one that the program knows. SETT_VERSION is of the compose files.
func TestSettingsExist(t *testing.T) {
	t.Parallel()
	known := string(read(t, "../docs/configuration.md")) + " SETT_VERSION "
	names, found := regexp.MustCompile(`SETT_[A-Z_]+[A-Z]`), 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, ".go") {
			return err
		}
		for _, name := range names.FindAllString(string(read(t, path)), -1) {
			found++
			if !regexp.MustCompile(regexp.QuoteMeta(strings.TrimSuffix(name, "_FILE"))+`\b`).MatchString(known) && !strings.Contains(known, name) {
				t.Errorf("%s names %s, which is no setting", path, name)
			}
		}
		return nil
	})
	if err != nil || found < 15 {
		t.Errorf("%d names of settings found: %v", found, err)
	}
}
