package web

import (
	"crypto/sha256"
	"embed"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"regexp"
	"strings"

	"sett/docs"
	"sett/internal/serve"
	"sett/internal/sett"
)

//go:embed static
var staticFiles embed.FS

const staticRoute = "static"

// asset is a file that browsers may cache forever: its name contains a hash of the content.
type asset struct {
	name   string // such as "app.1f0c9b2ade51.css"
	kind   string // its media type
	body   []byte
	packed []byte // with gzip
}

// readAssets returns the static files by name.
func readAssets() (map[string]asset, error) {
	found := map[string]asset{}
	for pattern, of := range map[string]embed.FS{"static/*": staticFiles, "pictures/*": docs.Pictures} {
		files, err := fs.Glob(of, pattern)
		if err != nil {
			return nil, fmt.Errorf("find static files: %w", err)
		}
		for _, file := range files {
			body, err := of.ReadFile(file)
			if err != nil {
				return nil, fmt.Errorf("read static file: %w", err)
			}
			found[path.Base(file)] = newAsset(path.Base(file), body)
		}
	}
	return found, nil
}

func newAsset(name string, body []byte) asset {
	ending := path.Ext(name)
	body = squeezed(ending, body)
	sum := sha256.Sum256(body)
	a := asset{fmt.Sprintf("%s.%x%s", strings.TrimSuffix(name, ending), sum[:6], ending), mime.TypeByExtension(ending), body, nil}
	if ending != ".png" { // which is compressed
		a.packed = serve.Gzip(body)
	}
	return a
}

var (
	styleComment = regexp.MustCompile(`(?s)/\*.*?\*/`)
	styleBlanks  = regexp.MustCompile(`\s*([{};])\s*|([:,])\s+`)
	scriptBlanks = regexp.MustCompile(`(?m)^(?:\s*(?://.*)?\n)*\s*`)
)

// squeezed returns a style or script without its comments and the blanks that only its authors need. Comments of scripts have lines of their own.
func squeezed(ending string, body []byte) []byte {
	switch ending {
	case ".css":
		return styleBlanks.ReplaceAll(styleComment.ReplaceAll(body, nil), []byte("$1$2"))
	case ".js":
		return scriptBlanks.ReplaceAll(body, nil)
	}
	return body
}

// Asset returns the URL path of a static file, or of a picture of the manual.
func (p *Pages) Asset(name string) string { return p.root + "/s/" + p.assets[name].name }

func (p *Pages) serveStatic(w http.ResponseWriter, r *http.Request) error {
	for _, a := range p.assets {
		if r.PathValue("file") == a.name {
			h := w.Header()
			h.Set("Content-Type", a.kind)
			h.Set("Cache-Control", "public, max-age=31536000, immutable")
			return write(w, r, http.StatusOK, a.body, a.packed)
		}
	}
	return sett.Errorf(sett.NotFound, "Not found: this file belongs to another version. Reload the page.")
}

// write sends a body, plain or compressed; packed is nil if it must not be compressed.
func write(w http.ResponseWriter, r *http.Request, status int, body, packed []byte) error {
	if packed != nil {
		w.Header().Add("Vary", "Accept-Encoding")
		if serve.TakesGzip(r.Header["Accept-Encoding"]) {
			body = packed
			w.Header().Set("Content-Encoding", "gzip")
		}
	}
	w.WriteHeader(status)
	_, _ = w.Write(body) // the reader is gone
	return nil
}
