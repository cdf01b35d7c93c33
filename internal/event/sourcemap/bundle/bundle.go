// Package bundle reads artifact bundles: the archives in which Sentry's tools upload source maps and minified files. It takes the bytes of
// an archive, which may be hostile, and returns its source maps, each with the URL of its minified file and its debug ID, within bounds on
// their number and size. Names in an archive are keys and never paths: the package writes no files, and does not decode maps.
package bundle

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"

	"sett/internal/event/sourcemap"
	"sett/internal/event/sourcemap/function"
)

// The bounds on a bundle. Reading one ends at them, whatever the archive says about its sizes.
const (
	LargestMap     = 32 << 20  // bytes of a source map
	MostOfMaps     = 512 << 20 // bytes of all source maps
	mostOfMinified = 512 << 20 // bytes of all minified files
	MostMaps       = 5_000
	MostFiles      = 50_000
	largestListing = 8 << 20 // bytes of the list of files in the archive
	largestIndex   = 8 << 20 // bytes of manifest.json
)

func errorf(format string, args ...any) error {
	return &sourcemap.Error{Text: fmt.Sprintf(format, args...)}
}

// Bundle is an open bundle. It is used by one goroutine at a time.
type Bundle struct {
	Release string // that it names; "" for none
	Maps    []Map
	Ignored int // source maps that nothing could find: they have neither a URL nor a debug id

	left         int64 // bytes that may still be read of all maps
	leftMinified int64 // the same of their minified files
}

// Map is a source map in a bundle.
type Map struct {
	URL     string // of the minified file, such as ~/main.js; "" for none
	DebugID string // in lower case; "": perhaps the map itself has one

	file     *zip.File
	minified *zip.File // nil: the bundle has none
}

// Open reads what a bundle contains. The error is a *sourcemap.Error if it is damaged or too large, or one
// of r.
func Open(r io.ReaderAt, size int64) (*Bundle, error) {
	bounded := &boundedReader{r: r, left: largestListing}
	archive, err := zip.NewReader(bounded, size)
	switch {
	case bounded.err != nil:
		return nil, bounded.err
	case err != nil:
		return nil, errorf("The bundle is not a ZIP archive, or damaged. Upload it again.")
	case len(archive.File) > MostFiles:
		return nil, errorf("The bundle has more than %d files. Upload them in several bundles.", MostFiles)
	}
	bounded.left = -1
	files := map[string]*zip.File{}
	for _, f := range archive.File {
		if files[f.Name] == nil {
			files[f.Name] = f
		}
	}
	b := &Bundle{left: MostOfMaps, leftMinified: mostOfMinified}
	m, err := b.manifest(files["manifest.json"])
	if err != nil {
		return nil, err
	}
	b.Release = m.Release
	return b, b.collect(m, files)
}

// Read returns the text of a source map. Its errors are of the kinds of those of Open.
func (b *Bundle) Read(m Map) ([]byte, error) {
	text, err := read(m.file, min(LargestMap, b.left))
	b.left -= int64(len(text))
	if errors.Is(err, errLong) && b.left < LargestMap {
		return nil, errorf("The source maps in the bundle have more than %d bytes. Upload them in several bundles.", MostOfMaps)
	}
	if errors.Is(err, errLong) {
		return nil, errorf("The source map of %.200q has more than %d bytes. Split the bundle of code, or build the map without sourcesContent.", m.URL, LargestMap)
	}
	return text, err
}

// Minified returns the text of the minified file of a source map; nil if the bundle has none, or none that can be read within the bounds: the
// map is of use without it.
func (b *Bundle) Minified(m Map) []byte {
	if m.minified == nil {
		return nil
	}
	text, err := read(m.minified, min(function.LargestFile, b.leftMinified))
	b.leftMinified -= int64(len(text))
	if err != nil {
		return nil
	}
	return text
}

var errLong = errors.New("the file is longer than it may be")

// read returns the bytes of a file in the archive, at most so many.
func read(f *zip.File, most int64) ([]byte, error) {
	opened, err := f.Open()
	if err != nil {
		return nil, damaged(err, f.Name)
	}
	defer opened.Close()
	text, err := io.ReadAll(io.LimitReader(opened, most+1))
	switch {
	case err != nil:
		return nil, damaged(err, f.Name)
	case int64(len(text)) > most:
		return text[:most], errLong
	}
	return text, nil
}

// damaged returns the error of a file that cannot be read: what the archive is to blame for, or what its reader is.
func damaged(err error, name string) error {
	if e, ok := errors.AsType[*readError](err); ok {
		return e.error
	}
	return errorf("The file %.200q in the bundle is damaged, or compressed in a way that is not known here. Upload the bundle again.", name)
}

// readError is an error of the reader that the archive is in.
type readError struct{ error }

// boundedReader reads at most so many bytes, unless left is negative, and remembers why it failed.
type boundedReader struct {
	r    io.ReaderAt
	left int64
	err  error
}

func (b *boundedReader) ReadAt(p []byte, at int64) (int, error) {
	if at < 0 { // a damaged archive says so
		return 0, zip.ErrFormat
	}
	if b.left >= 0 {
		if b.left -= int64(len(p)); b.left < 0 {
			b.left = 0
			b.err = errorf("The bundle has too many files. Upload them in several bundles.")
			return 0, b.err
		}
	}
	n, err := b.r.ReadAt(p, at)
	if err != nil && !errors.Is(err, io.EOF) {
		b.err = err
		err = &readError{err}
	}
	return n, err
}
