package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The notes are of the section with the version, else of what is not released yet, which is said at the end.
func TestChanges(t *testing.T) {
	t.Parallel()
	const released = "# Changelog\n\n## 0.11.0 – 2026-12-01\n\n### What you must do\n\n- Nothing.\n\n### Added\n\n- A.\n\n## 0.1.0 – 2026-11-01\n\n### Added\n\n- B.\n"
	next := strings.Replace(released, "0.11.0 – 2026-12-01", "Unreleased", 1)
	const want = "## What you must do\n\n- Nothing.\n\n## Added\n\n- A."
	for name, tt := range map[string]struct{ text, number, want, before string }{
		"a version":     {released, "0.11.0", want, ""},
		"an older one":  {next, "0.1.0", "## Added\n\n- B.", "## 0.1.0 – 2026-12-02"},
		"no section":    {next, "0.11.0", want, "## 0.11.0 – 2026-12-02"},
		"another":       {released, "0.12.0", "", ""},
		"a longer name": {released, "0.11", "", ""},
	} {
		r := &release{number: tt.number, at: time.Date(2026, 12, 2, 0, 0, 0, 0, time.UTC)}
		got, err := r.changes(tt.text)
		if got != tt.want || (err == nil) != (tt.want != "") || !strings.HasSuffix(strings.Join(r.before, "\n"), tt.before) || (tt.before == "") != (len(r.before) == 0) {
			t.Errorf("%s: %q, %v, before %q", name, got, err, r.before)
		}
	}
}

func TestReadOwner(t *testing.T) {
	t.Parallel()
	const whole = "name: A\nemail: a@x.invalid\nhome: https://a.example\nfile: https://a.example/{version}/{file}\nicon: https://x.invalid/i\nimage: a.example/sett\n"
	for name, tt := range map[string]struct{ text, missing, problem string }{
		"placeholders":     {whole, "email, icon", ""},
		"all filled in":    {strings.ReplaceAll(whole, ".invalid", ".example"), "", ""},
		"an empty field":   {strings.Replace(whole, "name: A", "name:", 1), "", "name is empty"},
		"a field too many": {whole + "mail: b\n", "", `unknown field "mail"`},
	} {
		file := filepath.Join(t.TempDir(), "owner.yaml")
		if err := os.WriteFile(file, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		o, err := readOwner(file)
		if tt.problem != "" {
			if err == nil || !strings.Contains(err.Error(), tt.problem) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if got := strings.Join(o.placeholders(), ", "); err != nil || got != tt.missing {
			t.Errorf("%s: placeholders %q, %v", name, got, err)
		}
		if got := o.address("0.11.0", "docs/x.md"); got != "https://a.example/0.11.0/docs/x.md" {
			t.Errorf("%s: a file is at %s", name, got)
		}
	}
}
