package statuspage

import (
	"crypto/sha256"
	"embed"
	"fmt"
	"net/http"
	"strings"

	"sett/internal/sett"
)

//go:embed static
var staticFiles embed.FS

// addAsset reads a file that browsers keep for ever: another content has another name, which is returned.
func (p *Pages) addAsset(stem, ending string, f form) (name string, err error) {
	body, err := staticFiles.ReadFile("static/" + stem + ending)
	if err != nil {
		return "", fmt.Errorf("read static file: %w", err)
	}
	name = hashedName(stem, ending, body)
	p.assets[name] = newDocument(nil, f, body)
	return name, nil
}

func hashedName(stem, ending string, body []byte) string {
	sum := sha256.Sum256(body)
	return fmt.Sprintf("%s.%x%s", stem, sum[:6], ending)
}

// isCustom reports whether a file is a style that people have written, now or before.
func isCustom(name string) bool {
	return strings.HasPrefix(name, customStem+".") && strings.HasSuffix(name, ".css")
}

const customStem = "custom"

var forEver = []string{"public, max-age=31536000, immutable"}

// serveStatic answers with a file of ours, which is no secret, or with the style that people have written for a page.
func (p *Pages) serveStatic(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("file")
	if d := p.assets[name]; d != nil {
		w.Header()["Cache-Control"] = forEver
		d.serve(w, r)
		return nil
	}
	v, err := p.admit(w, r)
	if err != nil || v.locked {
		return err
	}
	if v.drawn.custom != nil && v.drawn.customName != name && isCustom(name) { // of a page that somebody, or a cache, still has
		v.send(w, r, v.drawn.custom)
		return nil
	}
	if v.drawn.custom == nil || v.drawn.customName != name {
		return sett.Errorf(sett.NotFound, "This file belongs to another version. Reload the page.")
	}
	if !v.drawn.protected() {
		w.Header()["Cache-Control"] = forEver
		v.drawn.custom.serve(w, r)
		return nil
	}
	v.send(w, r, v.drawn.custom)
	return nil
}
