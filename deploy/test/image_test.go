package test

import (
	"bytes"
	"crypto/x509"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/validate"
	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"

	"sett/internal/setttest/program"
)

// images returns the index of the release.
func images(t *testing.T) v1.ImageIndex {
	t.Helper()
	dir := t.TempDir()
	must(t, dir, "tar", "-xf", filepath.Join(dist, "sett_"+version+"_images.tar"))
	all, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := all.IndexManifest()
	if err != nil || len(manifest.Manifests) != 1 {
		t.Fatalf("the archive has %d manifests: %v", len(manifest.Manifests), err)
	}
	index, err := all.ImageIndex(manifest.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	return index
}

// image returns that of a machine with its configuration.
func image(t *testing.T, machine string) (v1.Image, *v1.ConfigFile) {
	t.Helper()
	index := images(t)
	manifest, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(manifest.Manifests, func(d v1.Descriptor) bool { return d.Platform.OS == "linux" && d.Platform.Architecture == machine })
	if at < 0 || len(manifest.Manifests) != 2 {
		t.Fatalf("of %d images none is for %s", len(manifest.Manifests), machine)
	}
	found, err := index.Image(manifest.Manifests[at].Digest)
	if err != nil {
		t.Fatal(err)
	}
	config, err := found.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	return found, config
}

// unpackImage unpacks the layers of an image into a new directory, with the owners of files if the test runs as root.
func unpackImage(t *testing.T, machine string) (dir string, config *v1.ConfigFile) {
	t.Helper()
	found, config := image(t, machine)
	dir = newDir(t)
	files := mutate.Extract(found)
	defer files.Close()
	cmd := program.Bounded("tar", "-x", "--numeric-owner", "-p", "-C", dir)
	cmd.Stdin = files
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("unpack the image: %v\n%s", err, out)
	}
	return dir, config
}

func TestImages(t *testing.T) {
	t.Parallel()
	if err := validate.Index(images(t)); err != nil {
		t.Error(err)
	}
	for machine, number := range map[string]byte{"amd64": 0x3e, "arm64": 0xb7} {
		dir, config := unpackImage(t, machine)
		checkLoaded(t, machine)
		if config.OS != "linux" || config.Architecture != machine || read(t, dir, "usr/bin/sett")[18] != number {
			t.Errorf("the image for %s is for %s/%s", machine, config.OS, config.Architecture)
		}
		if config.Config.User != "65532:65532" || !slices.Equal(config.Config.Entrypoint, []string{"/usr/bin/sett"}) || !slices.Equal(config.Config.Cmd, []string{"serve"}) {
			t.Errorf("the image runs %v %v as %s", config.Config.Entrypoint, config.Config.Cmd, config.Config.User)
		}
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			info, err := d.Info()
			if err == nil && (info.Mode()&(fs.ModeSetuid|fs.ModeSetgid) != 0 || info.Mode().Perm()&0o022 != 0) {
				t.Errorf("%s has the mode %s", path, info.Mode())
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
		if pool := x509.NewCertPool(); !pool.AppendCertsFromPEM(read(t, dir, "etc/ssl/certs/ca-certificates.crt")) || bytes.Count(read(t, dir, "etc/ssl/certs/ca-certificates.crt"), []byte("BEGIN")) < 100 {
			t.Error("the image has too few root certificates for HTTPS")
		}
	}
}

// checkLoaded reads the archive for one machine as docker load does: it has the image of the index, under its name.
func checkLoaded(t *testing.T, machine string) {
	t.Helper()
	tag, err := name.NewTag("sett:" + version)
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := tarball.ImageFromPath(filepath.Join(dist, "sett_"+version+"_linux_"+machine+"_image.tar"), &tag)
	if err != nil {
		t.Fatal(err)
	}
	got, err := loaded.ConfigName()
	if err == nil {
		err = validate.Image(loaded)
	}
	if err != nil {
		t.Fatal(err)
	}
	indexed, _ := image(t, machine)
	if want, err := indexed.ConfigName(); err != nil || got != want {
		t.Errorf("docker load gets the image %s, the index has %s: %v", got, want, err)
	}
}

// The image runs as its user, with no capability, and writes only its volume.
func TestImageRuns(t *testing.T) {
	t.Parallel()
	needRoot(t)
	dir, config := unpackImage(t, "amd64")
	c := container{root: dir, data: newData(t, 65532), user: config.Config.User, env: config.Config.Env}
	c.serves(t, slices.Concat(config.Config.Entrypoint, config.Config.Cmd)...)
	if _, err := os.Stat(filepath.Join(c.data, "sett.db")); err != nil {
		t.Errorf("the database is not in the volume: %v", err)
	}
	c.env = append(c.env, "SETT_DATA=/elsewhere")
	if out, err := c.run("/usr/bin/sett", "setup"); err == nil {
		t.Errorf("it writes outside of its volume: %s", out)
	}
}

// The Dockerfile makes an image with the same configuration as that of the release.
func TestDockerfile(t *testing.T) {
	t.Parallel()
	parsed, err := parser.Parse(bytes.NewReader(read(t, "image/Dockerfile")))
	if err != nil {
		t.Fatal(err)
	}
	stages, _, err := instructions.Parse(parsed.AST, nil)
	if err != nil {
		t.Fatal(err)
	}
	last := stages[len(stages)-1]
	if last.BaseName != "scratch" {
		t.Errorf("the image is made from %s", last.BaseName)
	}
	_, config := image(t, "amd64")
	got := v1.Config{Volumes: map[string]struct{}{}, ExposedPorts: map[string]struct{}{}}
	for _, command := range last.Commands {
		switch c := command.(type) {
		case *instructions.EnvCommand:
			for _, pair := range c.Env {
				got.Env = append(got.Env, pair.String())
			}
		case *instructions.UserCommand:
			got.User = c.User
		case *instructions.WorkdirCommand:
			got.WorkingDir = c.Path
		case *instructions.EntrypointCommand:
			got.Entrypoint = c.CmdLine
		case *instructions.CmdCommand:
			got.Cmd = c.CmdLine
		case *instructions.StopSignalCommand:
			got.StopSignal = c.Signal
		case *instructions.VolumeCommand:
			got.Volumes[c.Volumes[0]] = struct{}{}
		case *instructions.ExposeCommand:
			got.ExposedPorts[c.Ports[0]+"/tcp"] = struct{}{}
		}
	}
	want := config.Config
	want.Labels = nil
	if diff := compare(want, got); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(string(read(t, "image/Dockerfile")), `-trimpath -gcflags=all=-dwarf=false -ldflags="-s -w"`) {
		t.Error("the program is not built as that of the release")
	}
}
