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

const styleRoute = "style"

// asset is a file that browsers keep for ever: another content has another name.
type asset struct {
	name string // such as "app.1f0c9b2ade51.css"
	body []byte
}

func newAsset(stem, ending string) (asset, error) {
	body, err := staticFiles.ReadFile("static/" + stem + ending)
	if err != nil {
		return asset{}, fmt.Errorf("read static file: %w", err)
	}
	sum := sha256.Sum256(body)
	return asset{fmt.Sprintf("%s.%x%s", stem, sum[:6], ending), body}, nil
}

func (p *Pages) serveStyle(w http.ResponseWriter, r *http.Request) error {
	if r.PathValue("file") != p.style.name {
		return sett.Errorf(sett.NotFound, "Not found: this file is of another version. Load the page again.")
	}
	w.Header().Set("Content-Type", "text/css; charset=utf-8")
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	_, err := w.Write(p.style.body)
	return err
}
