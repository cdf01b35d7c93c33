package licenses

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	isc = "Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted, provided that the above copyright notice " +
		"and this permission notice appear in all copies.\n\nTHE SOFTWARE IS PROVIDED \"AS IS\" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING ALL " +
		"IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT, INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES " +
		"WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH " +
		"THE USE OR PERFORMANCE OF THIS SOFTWARE.\n"
	agpl = "This program is free software: you can redistribute it and/or modify it under the terms of the GNU Affero General Public License as published by the " +
		"Free Software Foundation, either version 3 of the License, or (at your option) any later version.\n\nhttps://www.gnu.org/licenses/agpl-3.0.html\n"
)

// program writes a checkout whose program contains one module, with some files.
func program(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	all := map[string]string{
		"go.mod":           "module sett\n\ngo 1.26\n\nrequire example.org/part v1.2.3\n\nreplace example.org/part => ./part\n",
		"cmd/sett/main.go": "package main\n\nimport _ \"example.org/part/inner\"\n\nfunc main() {}\n",
		"part/go.mod":      "module example.org/part\n", "part/inner/inner.go": "package inner\n", "part/other/other.go": "package other\n",
	}
	for name, text := range files {
		all["part/"+name] = text
	}
	for name, text := range all {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Of a module, the files count beside the packages that are linked and above them. What may not be passed on is refused, with its name.
func TestOf(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		files   map[string]string
		want    string // of its texts
		problem string
	}{
		"allowed":                  {map[string]string{"LICENSE": isc, "NOTICE": "Part of Ada\n"}, "LICENSE NOTICE", ""},
		"of a package":             {map[string]string{"LICENSE": isc, "inner/COPYING": isc}, "LICENSE inner/COPYING", ""},
		"not linked":               {map[string]string{"LICENSE": isc, "other/LICENSE": agpl}, "LICENSE", ""},
		"not on the list":          {map[string]string{"LICENSE": agpl}, "", "example.org/part v1.2.3 is under AGPL-3.0"},
		"of a package, not either": {map[string]string{"LICENSE": isc, "inner/LICENSE.txt": agpl}, "", "example.org/part v1.2.3 is under AGPL-3.0"},
		"not known":                {map[string]string{"LICENSE": "All rights are ours.\n"}, "", "LICENSE of example.org/part v1.2.3 is no license that is known"},
		"none":                     {map[string]string{"README": isc}, "", "example.org/part v1.2.3 has no license that is known"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			modules, err := Of(t.Context(), program(t, tt.files), []string{"linux/amd64"})
			if tt.problem != "" {
				if err == nil || !strings.Contains(err.Error(), tt.problem) {
					t.Errorf("%v, want %q", err, tt.problem)
				}
				return
			}
			at := slices.IndexFunc(modules, func(m Module) bool { return m.Path == "example.org/part" })
			if err != nil || at < 0 {
				t.Fatalf("%v: %v", modules, err)
			}
			var texts []string
			for _, text := range modules[at].Texts {
				texts = append(texts, text.Name)
			}
			if got := strings.Join(texts, " "); got != tt.want || !slices.Equal(modules[at].IDs, []string{"ISC"}) {
				t.Errorf("texts %q under %q, want %q", got, modules[at].IDs, tt.want)
			}
		})
	}
}
