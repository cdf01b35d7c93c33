package main

import (
	"bytes"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// user is the one that runs in a container, as in other images without a shell. It owns the data directory and nothing else.
const user = 65532

// writeImages writes an archive for each Linux machine, and one with all of them for a registry.
func (r *release) writeImages() error {
	all := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, p := range r.built {
		if p.system != "linux" {
			continue
		}
		image, err := r.image(p)
		if err != nil {
			return fmt.Errorf("make the image for %s: %w", p.machine, err)
		}
		addendum := mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: p.system, Architecture: p.machine}}}
		all = mutate.AppendManifests(all, addendum)
		manifest, err := r.dockerManifest(image)
		if err != nil {
			return err
		}
		if err := r.writeLayout(p.base(r)+"_image.tar", manifest, func(to layout.Path) error { return to.AppendImage(image, r.named()) }); err != nil {
			return err
		}
	}
	return r.writeLayout("sett_"+r.version()+"_images.tar", nil, func(to layout.Path) error { return to.AppendIndex(all, r.named()) })
}

// named is the name that the image gets where an archive is loaded.
func (r *release) named() layout.Option {
	return layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": r.version(), "io.containerd.image.name": "docker.io/library/sett:" + r.version()})
}

// dockerManifest is what docker load reads of an archive if it keeps no OCI images.
func (r *release) dockerManifest(image v1.Image) ([]entry, error) {
	manifest, err := image.Manifest()
	if err != nil {
		return nil, err
	}
	blob := func(d v1.Descriptor) string { return "blobs/sha256/" + d.Digest.Hex }
	about := tarball.Descriptor{Config: blob(manifest.Config), RepoTags: []string{"sett:" + r.version()}}
	for _, l := range manifest.Layers {
		about.Layers = append(about.Layers, blob(l))
	}
	data, err := json.Marshal([]tarball.Descriptor{about})
	return []entry{{name: "manifest.json", mode: 0o644, data: data}}, err
}

// image has two layers, so that a new version replaces only the second one: what a system has, and the program.
func (r *release) image(p program) (v1.Image, error) {
	data, err := os.ReadFile(p.path)
	if err != nil {
		return nil, err
	}
	texts, err := r.entries("usr/share/doc/sett", map[string]string{"LICENSE": "LICENSE", "THIRD-PARTY-LICENSES": licensesFile})
	if err != nil {
		return nil, err
	}
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	for _, entries := range [][]entry{system(), append(texts, entry{name: "usr/bin/sett", mode: 0o755, data: data})} {
		layer, err := layerOf(entries)
		if err != nil {
			return nil, err
		}
		if image, err = mutate.Append(image, mutate.Addendum{Layer: layer, History: v1.History{CreatedBy: "make release", Created: v1.Time{Time: r.at}}}); err != nil {
			return nil, err
		}
	}
	return mutate.ConfigFile(image, r.imageConfig(p, image))
}

// system is what the program needs of a system besides itself.
func system() []entry {
	var roots bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint != nil {
			continue // a file cannot say which of its certificates are trusted
		}
		roots.Write(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}))
	}
	users := fmt.Sprintf("root:x:0:0:root:/root:/sbin/nologin\nsett:x:%d:%d:sett:/var/lib/sett:/sbin/nologin\n", user, user)
	groups := fmt.Sprintf("root:x:0:\nsett:x:%d:\n", user)
	return []entry{
		{name: "etc", mode: fs.ModeDir | 0o755},
		{name: "etc/group", mode: 0o644, data: []byte(groups)},
		{name: "etc/passwd", mode: 0o644, data: []byte(users)},
		{name: "etc/ssl", mode: fs.ModeDir | 0o755},
		{name: "etc/ssl/certs", mode: fs.ModeDir | 0o755},
		{name: "etc/ssl/certs/ca-certificates.crt", mode: 0o644, data: roots.Bytes()},
		{name: "tmp", mode: fs.ModeDir | fs.ModeSticky | 0o777},
		{name: "usr", mode: fs.ModeDir | 0o755},
		{name: "usr/bin", mode: fs.ModeDir | 0o755},
		{name: "usr/share", mode: fs.ModeDir | 0o755},
		{name: "usr/share/doc", mode: fs.ModeDir | 0o755},
		{name: "usr/share/doc/sett", mode: fs.ModeDir | 0o755},
		{name: "var", mode: fs.ModeDir | 0o755},
		{name: "var/lib", mode: fs.ModeDir | 0o755},
		{name: "var/lib/sett", mode: fs.ModeDir | 0o700, owner: user},
	}
}

// layerOf does not depend on the time of the commit: the layer of the system is the same in the next release.
func layerOf(entries []entry) (v1.Layer, error) {
	data, err := tarred(entries, time.Unix(0, 0))
	if err == nil {
		data, err = gzipped(data)
	}
	if err != nil {
		return nil, err
	}
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }, tarball.WithMediaType(types.OCILayer))
}

func (r *release) imageConfig(p program, image v1.Image) *v1.ConfigFile {
	was, err := image.ConfigFile()
	if err != nil {
		panic(err) // the image is in memory
	}
	config := was.DeepCopy()
	config.OS, config.Architecture, config.Created = p.system, p.machine, v1.Time{Time: r.at}
	config.Config = v1.Config{
		User:         fmt.Sprintf("%d:%d", user, user),
		Env:          []string{"PATH=/usr/bin", "SETT_DATA=/var/lib/sett", "SETT_LISTEN=:8080", "TMPDIR=/var/lib/sett"},
		Entrypoint:   []string{"/usr/bin/sett"},
		Cmd:          []string{"serve"},
		WorkingDir:   "/var/lib/sett",
		ExposedPorts: map[string]struct{}{"8080/tcp": {}},
		Volumes:      map[string]struct{}{"/var/lib/sett": {}},
		StopSignal:   "SIGTERM",
		Labels: map[string]string{
			"org.opencontainers.image.title": "sett", "org.opencontainers.image.version": r.version(), "org.opencontainers.image.licenses": "Apache-2.0",
			"org.opencontainers.image.description": "error tracking, uptime, check-ins and status pages", "org.opencontainers.image.created": r.at.Format(time.RFC3339),
			"org.opencontainers.image.vendor": r.owner.Name, "org.opencontainers.image.url": r.owner.Home, "org.opencontainers.image.authors": r.owner.Email,
		},
	}
	return config
}

// writeLayout writes a tar file of an OCI image layout, which docker, podman and skopeo read.
func (r *release) writeLayout(name string, more []entry, fill func(layout.Path) error) error {
	dir := filepath.Join(r.work, name)
	path, err := layout.Write(dir, empty.Index)
	if err == nil {
		err = fill(path)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	entries, err := readTree(dir)
	if err != nil {
		return err
	}
	data, err := tarred(append(entries, more...), r.at)
	if err != nil {
		return err
	}
	return r.write(name, data)
}

// readTree returns all files below a directory, in order of their names.
func readTree(dir string) (entries []entry, err error) {
	err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		below, err := filepath.Rel(dir, name)
		entries = append(entries, entry{name: filepath.ToSlash(below), mode: 0o644, data: data})
		return err
	})
	return entries, err
}
