package web

import (
	"crypto/sha256"
	"embed"
	"fmt"
	"net/http"

	"sett/internal/sett"
)

//go:embed static
var staticFiles embed.FS

const staticRoute = "static"

// asset is a file that browsers keep for ever: another content has another name.
type asset struct {
	name string // such as "app.1f0c9b2ade51.css"
	kind string // its media type
	body []byte
}

func newAsset(stem, ending, kind string) (asset, error) {
	body, err := staticFiles.ReadFile("static/" + stem + ending)
	if err != nil {
		return asset{}, fmt.Errorf("read static file: %w", err)
	}
	sum := sha256.Sum256(body)
	return asset{fmt.Sprintf("%s.%x%s", stem, sum[:6], ending), kind, body}, nil
}

func (p *Pages) serveStatic(w http.ResponseWriter, r *http.Request) error {
	for _, a := range []asset{p.style, p.script} {
		if r.PathValue("file") == a.name {
			w.Header().Set("Content-Type", a.kind)
			w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
			_, err := w.Write(a.body)
			return err
		}
	}
	return sett.Errorf(sett.NotFound, "Not found: this file is of another version. Load the page again.")
}
