package main

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// CI builds no program for Windows, so its archive is tried with other bytes.
func TestZip(t *testing.T) {
	t.Parallel()
	r := &release{out: t.TempDir(), at: time.Unix(1_800_000_000, 0).UTC()}
	want := bytes.Repeat([]byte("sett"), 100_000)
	for _, name := range []string{"first.zip", "second.zip"} {
		if err := r.writeZip(name, []entry{{name: "sett/LICENSE", mode: 0o644}, {name: "sett/sett.exe", mode: 0o755, data: want}}); err != nil {
			t.Fatal(err)
		}
	}
	first, err := os.ReadFile(filepath.Join(r.out, "first.zip"))
	if err != nil {
		t.Fatal(err)
	}
	if second, err := os.ReadFile(filepath.Join(r.out, "second.zip")); err != nil || !bytes.Equal(first, second) {
		t.Errorf("the same entries give other bytes: %v", err)
	}
	z, err := zip.NewReader(bytes.NewReader(first), int64(len(first)))
	if err != nil {
		t.Fatal(err)
	}
	file := z.File[len(z.File)-1]
	if file.Name != "sett/sett.exe" || file.Mode() != 0o755 || !file.Modified.Equal(r.at) || len(first) > len(want)/10 {
		t.Errorf("%s %s %s in %d bytes", file.Name, file.Mode(), file.Modified, len(first))
	}
	in, err := file.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if got, err := io.ReadAll(in); err != nil || !bytes.Equal(want, got) {
		t.Errorf("the program has %d bytes, want %d: %v", len(got), len(want), err)
	}
}
