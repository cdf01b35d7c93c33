package test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The notes begin with what one must do, say how to go back, and name files that exist.
func TestNotes(t *testing.T) {
	t.Parallel()
	notes := string(read(t, dist, "sett_"+version+"_notes.md"))
	if !strings.HasPrefix(notes, "# sett "+version+"\n\n## What you must do\n\n- ") {
		t.Errorf("the notes begin with %.80q", notes)
	}
	for _, want := range []string{"\n## Going back\n", "\n## Files\n", "(https://code.example.org/sett/tree/v" + version + "/docs/installing.md)"} {
		if !strings.Contains(notes, want) {
			t.Errorf("the notes lack %q", want)
		}
	}
	if strings.Contains(notes, "](docs/") {
		t.Error("a link of the notes leads nowhere")
	}
	named := strings.NewReplacer("SYSTEM", "linux", ".MACHINE.rpm", ".x86_64.rpm", "MACHINE", "amd64")
	for row := range strings.Lines(notes[strings.Index(notes, "\n## Files\n"):]) {
		cell, _, ok := strings.Cut(strings.TrimPrefix(row, "| `"), "`")
		if _, err := os.Stat(filepath.Join(dist, named.Replace(cell))); ok && err != nil {
			t.Errorf("the notes name a file that the release lacks: %v", err)
		}
	}
}

// The owner's names are where people look for them, and a release says which are placeholders.
func TestOwner(t *testing.T) {
	t.Parallel()
	for _, want := range []string{"before you publish it: fill in icon in deploy/owner.yaml", "before you publish it: tag the commit: git tag -s v" + version} {
		if !strings.Contains(said, want) {
			t.Errorf("the release does not say %q:\n%s", want, said)
		}
	}
	about := must(t, "", "dpkg-deb", "--info", filepath.Join(dist, "sett_"+version+"_amd64.deb"))
	about += must(t, "", "rpm", "--query", "--package", "--info", filepath.Join(dist, "sett-"+version+"-1.x86_64.rpm"))
	chart := must(t, "", "tar", "-xzOf", filepath.Join(dist, "sett-chart-"+version+".tgz"), "sett/Chart.yaml", "sett/values.yaml")
	_, config := image(t, "amd64")
	for _, want := range []string{
		"Maintainer: Ada's shop <ada@example.org>\n", "Homepage: https://example.org/sett\n", "URL         : https://example.org/sett\n", "Vendor      : Ada's shop\n",
		"\nicon: https://sett.invalid/icon.svg\n", "\nhome: https://example.org/sett\n", "\nmaintainers:\n- email: ada@example.org\n", "\n  repository: registry.example.org/ada/sett\n",
		"vendor=Ada's shop\n", "url=https://example.org/sett\n",
	} {
		labels := ""
		for label, value := range config.Config.Labels {
			labels += strings.TrimPrefix(label, "org.opencontainers.image.") + "=" + value + "\n"
		}
		if !strings.Contains(about+chart+labels, want) {
			t.Errorf("neither packages, chart nor image say %q", want)
		}
	}
}

// A version must be one, and that of the tag.
func TestReleaseRefuses(t *testing.T) {
	t.Parallel()
	must(t, filepath.Join(temp, "first"), "git", "tag", "v"+version)
	for given, want := range map[string]string{"next": "write one such as 0.11.0", "0.12.0": "the commit has the tag v" + version} {
		out, err := command(filepath.Join(temp, "first", "deploy"), "sh", "-c", `go run ./release -version "$1" -out "$2" 2>&1`, "sh", given, filepath.Join(t.TempDir(), "dist"))
		if err == nil || !strings.Contains(out, want) {
			t.Errorf("-version %s: %v, want %q", given, err, want)
		}
	}
}
