package test

import (
	"archive/tar"
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/mutate"
)

// Everything that people install brings the texts of the licenses, and the program prints them.
func TestLicensesAreShipped(t *testing.T) {
	t.Parallel()
	want := read(t, "..", "internal", "base", "about", "THIRD-PARTY-LICENSES")
	for _, part := range []string{"MIT License", "Apache License", "NOTICE\n", "github.com/prometheus/procfs", "stdlib: BSD-3-Clause"} {
		if !strings.Contains(string(want), part) {
			t.Errorf("the texts lack %q", part)
		}
	}
	if got := must(t, "", unpackProgram(t, "amd64"), "licenses"); got != string(want) {
		t.Errorf("sett licenses prints %d bytes, want %d", len(got), len(want))
	}
	own := read(t, "..", "LICENSE")
	for name, got := range map[string][]byte{
		"archive":     read(t, filepath.Dir(unpackProgram(t, "amd64")), "THIRD-PARTY-LICENSES"),
		"image":       inImage(t, "usr/share/doc/sett/THIRD-PARTY-LICENSES"),
		"own archive": append(read(t, filepath.Dir(unpackProgram(t, "amd64")), "LICENSE"), want...),
		"own image":   append(inImage(t, "usr/share/doc/sett/LICENSE"), want...),
		"deb":         read(t, installDeb(t), "usr/share/doc/sett/copyright"),
	} {
		if !bytes.HasSuffix(got, want) || len(got) > len(want) && !bytes.HasPrefix(got, own) {
			t.Errorf("the %s lacks licenses", name)
		}
	}
	rpm := filepath.Join(dist, "sett-"+version+"-1.x86_64.rpm")
	if got := must(t, "", "sh", "-c", `rpm2archive - <"$1" | tar -xzO ./usr/share/doc/sett/copyright`, "sh", rpm); !strings.HasPrefix(got, string(own)) || !strings.HasSuffix(got, string(want)) {
		t.Errorf("the rpm lacks licenses: %d bytes", len(got))
	}
}

// inImage returns a file of the image.
func inImage(t *testing.T, name string) []byte {
	t.Helper()
	found, _ := image(t, "amd64")
	content := mutate.Extract(found)
	defer content.Close()
	files := tar.NewReader(content)
	for {
		header, err := files.Next()
		if err != nil {
			t.Fatalf("the image has no %s: %v", name, err)
		}
		if header.Name == name {
			var b bytes.Buffer
			if _, err := b.ReadFrom(files); err != nil {
				t.Fatal(err)
			}
			return b.Bytes()
		}
	}
}
