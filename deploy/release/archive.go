package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
)

// entry is a file or a directory in an archive or in a layer of an image.
type entry struct {
	name  string
	mode  fs.FileMode // with fs.ModeDir for a directory
	owner int
	data  []byte
}

// tarred returns entries as a tar file. Their order, times and owners are fixed, so equal entries give equal bytes.
func tarred(entries []entry, at time.Time) ([]byte, error) {
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	for _, e := range entries {
		h := &tar.Header{
			Name: e.name, Mode: int64(e.mode.Perm()), Uid: e.owner, Gid: e.owner, Size: int64(len(e.data)), ModTime: at,
			Typeflag: tar.TypeReg, Format: tar.FormatUSTAR,
		}
		if e.mode.IsDir() {
			h.Typeflag, h.Name = tar.TypeDir, e.name+"/"
		}
		if e.mode&fs.ModeSticky != 0 {
			h.Mode |= 0o1000
		}
		if err := w.WriteHeader(h); err != nil {
			return nil, fmt.Errorf("archive %s: %w", e.name, err)
		}
		if _, err := w.Write(e.data); err != nil {
			return nil, fmt.Errorf("archive %s: %w", e.name, err)
		}
	}
	err := w.Close() // before the bytes are taken
	return buf.Bytes(), err
}

// gzipped compresses with a library that takes half the time of the standard one: of a release, this is most of the work.
func gzipped(data []byte) ([]byte, error) {
	var buf bytes.Buffer
	w := gzip.NewWriter(&buf)
	_, err := w.Write(data)
	err = errors.Join(err, w.Close()) // before the bytes are taken
	return buf.Bytes(), err
}

// packed are the files that each archive has beside the program, by their names in it.
var packed = map[string]string{
	"LICENSE": "LICENSE", "THIRD-PARTY-LICENSES": licensesFile, "CHANGELOG.md": "CHANGELOG.md",
	"deploy/compose/sqlite.yaml": "deploy/compose/sqlite.yaml", "deploy/compose/postgres.yaml": "deploy/compose/postgres.yaml",
	"deploy/systemd/sett.service": "deploy/systemd/sett.service", "deploy/systemd/sett.env": "deploy/systemd/sett.env",
	"deploy/grafana/sett.json": "deploy/grafana/sett.json", "deploy/prometheus/alerts.yaml": "deploy/prometheus/alerts.yaml",
}

// writeArchives writes one archive for each platform.
func (r *release) writeArchives() error {
	for _, p := range r.built {
		entries, err := r.entries(p.base(r), packed)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(p.path)
		if err != nil {
			return err
		}
		name, ending, write := "sett", ".tar.gz", r.writeTarGz
		if p.system == "windows" { // which opens zip archives by itself
			name, ending, write = "sett.exe", ".zip", r.writeZip
		}
		entries = append(entries, entry{name: path.Join(p.base(r), name), mode: 0o755, data: data})
		if err := write(p.base(r)+ending, entries); err != nil {
			return err
		}
	}
	return nil
}

func (r *release) writeTarGz(name string, entries []entry) error {
	data, err := tarred(entries, r.at)
	if err == nil {
		data, err = gzipped(data)
	}
	if err != nil {
		return err
	}
	return r.write(name, data)
}

func (r *release) writeZip(name string, entries []entry) error {
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	w.RegisterCompressor(zip.Deflate, func(to io.Writer) (io.WriteCloser, error) { return flate.NewWriter(to, flate.DefaultCompression) })
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: r.at}
		h.SetMode(e.mode)
		to, err := w.CreateHeader(h)
		if err == nil {
			_, err = to.Write(e.data)
		}
		if err != nil {
			return fmt.Errorf("archive %s: %w", e.name, err)
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	return r.write(name, buf.Bytes())
}

// entries reads files of the checkout, by their names in the archive, below a directory of it. They are in order of their names.
func (r *release) entries(below string, files map[string]string) (entries []entry, err error) {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		data, err := os.ReadFile(r.file(files[name]))
		if err == nil && path.Dir(files[name]) == "deploy/compose" { // they name the image
			data, err = r.stamped(data)
		}
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry{name: path.Join(below, name), mode: 0o644, data: data})
	}
	return entries, nil
}

// write writes a file of the release.
func (r *release) write(name string, data []byte) error {
	return os.WriteFile(filepath.Join(r.out, name), data, 0o644)
}
