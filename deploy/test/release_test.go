package test

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// files are those of a release for Linux.
var files = []string{
	"SHA256SUMS", "SHA256SUMS.sig", "sett-0.10.0-1.aarch64.rpm", "sett-0.10.0-1.x86_64.rpm", "sett-chart-0.10.0.tgz", "sett_0.10.0_amd64.deb", "sett_0.10.0_arm64.deb",
	"sett_0.10.0_images.tar", "sett_0.10.0_linux_amd64.tar.gz", "sett_0.10.0_linux_amd64_image.tar", "sett_0.10.0_linux_arm64.tar.gz",
	"sett_0.10.0_linux_arm64_image.tar", "sett_0.10.0_notes.md", "sett_0.10.0_sbom.cdx.json",
}

func read(t *testing.T, name ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(name...))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestReleaseIsReproducible(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{dist, again} {
		if names := strings.Fields(must(t, dir, "env", "LC_ALL=C", "ls")); !slices.Equal(names, files) {
			t.Errorf("%s has %q, want %q", dir, names, files)
		}
	}
	for _, name := range files {
		if !bytes.Equal(read(t, dist, name), read(t, again, name)) {
			t.Errorf("%s differs when it is built again in another directory", name)
		}
	}
}

func TestChecksumsAndSignature(t *testing.T) {
	t.Parallel()
	must(t, dist, "sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS")
	if n := bytes.Count(read(t, dist, "SHA256SUMS"), []byte("\n")); n != len(files)-2 {
		t.Errorf("%d files have a checksum, want all but the sums and their signature: %d", n, len(files)-2)
	}
	verify := func(signed string) error {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "signers"), append([]byte("release@sett "), publicKey...), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := command(dir, "sh", "-c", fmt.Sprintf("ssh-keygen -Y verify -f signers -I release@sett -n file -s %s <%s", filepath.Join(dist, "SHA256SUMS.sig"), signed))
		return err
	}
	if err := verify(filepath.Join(dist, "SHA256SUMS")); err != nil {
		t.Error(err)
	}
	changed := filepath.Join(t.TempDir(), "changed")
	if err := os.WriteFile(changed, append(read(t, dist, "SHA256SUMS"), ' '), 0o600); err != nil {
		t.Fatal(err)
	}
	if verify(changed) == nil {
		t.Error("a changed file has a good signature")
	}
}

// The list of parts has every module that the program says it contains.
func TestSBOM(t *testing.T) {
	t.Parallel()
	var bom struct {
		BOMFormat  string
		Components []struct {
			Name, Version, PURL string
			Properties          []struct{ Name, Value string }
			Licenses            []struct{ License struct{ ID, Name string } }
		}
	}
	if err := json.Unmarshal(read(t, dist, "sett_0.10.0_sbom.cdx.json"), &bom); err != nil {
		t.Fatal(err)
	}
	listed := map[string]string{}
	for _, c := range bom.Components {
		sum := ""
		if len(c.Properties) > 0 {
			sum = c.Properties[0].Value
		}
		listed[c.Name+" "+c.Version] = sum
		if len(c.Licenses) == 0 || cmp.Or(c.Licenses[0].License.ID, c.Licenses[0].License.Name) == "" {
			t.Errorf("the SBOM does not say under which license %s is", c.Name)
		}
	}
	found := 0
	for _, line := range strings.Split(must(t, "", "go", "version", "-m", unpackProgram(t, "amd64")), "\n") {
		if field := strings.Fields(line); len(field) == 4 && field[0] == "dep" {
			found++
			if listed[field[1]+" "+field[2]] != field[3] {
				t.Errorf("the SBOM has %q as the checksum of %s %s, want %s", listed[field[1]+" "+field[2]], field[1], field[2], field[3])
			}
		}
	}
	if found < 20 || len(listed) != found+1 || bom.BOMFormat != "CycloneDX" {
		t.Errorf("the program has %d modules, the SBOM in the format %s has %d", found, bom.BOMFormat, len(listed))
	}
}

// unpackProgram unpacks the archive for a machine and returns the path of the program.
func unpackProgram(t *testing.T, machine string) string {
	t.Helper()
	name, dir := "sett_"+version+"_linux_"+machine, t.TempDir()
	must(t, dir, "tar", "-xzf", filepath.Join(dist, name+".tar.gz"))
	return filepath.Join(dir, name, "sett")
}

func TestArchives(t *testing.T) {
	t.Parallel()
	packed := filepath.Dir(unpackProgram(t, "amd64"))
	for _, name := range []string{"sqlite.yaml", "postgres.yaml"} {
		if text := string(read(t, packed, "deploy", "compose", name)); !strings.Contains(text, "image: sett:${SETT_VERSION:-"+version+"}\n") {
			t.Errorf("%s of the archive does not take the image of the release:\n%s", name, text)
		}
	}
	for _, name := range []string{"grafana/sett.json", "prometheus/alerts.yaml", "systemd/sett.service"} {
		if !bytes.Equal(read(t, packed, "deploy", name), read(t, name)) {
			t.Errorf("the archive has another %s", name)
		}
	}
	if out := must(t, "", unpackProgram(t, "amd64"), "version"); !strings.HasPrefix(out, "sett "+version+"\ncommit ") || strings.Contains(out, "not recorded") || strings.Contains(out, "changes") {
		t.Errorf("the program says %q", out)
	}
	for machine, number := range map[string]byte{"amd64": 0x3e, "arm64": 0xb7} {
		if head := read(t, unpackProgram(t, machine)); head[18] != number {
			t.Errorf("the program for %s is for the machine %#x", machine, head[18])
		}
	}
	sum := sha256.Sum256(read(t, unpackProgram(t, "amd64")))
	if inPackage := sha256.Sum256(read(t, installDeb(t), "usr/bin/sett")); inPackage != sum {
		t.Error("the program of the package is not that of the archive")
	}
}
