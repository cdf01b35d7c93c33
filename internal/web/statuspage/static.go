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

// addAsset reads a file that browsers may cache forever. The returned name contains a hash of the content.
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

// isCustom reports whether a file name is that of custom CSS, current or old.
func isCustom(name string) bool {
	return strings.HasPrefix(name, customStem+".") && strings.HasSuffix(name, ".css")
}

const customStem = "custom"

var forEver = []string{"public, max-age=31536000, immutable"}

// serveStatic answers with a file of this server, or with the custom CSS of a page.
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
	if strings.HasPrefix(name, cardStem) {
		return v.sendCard(w, r, name)
	}
	if v.rendered.logo != nil && v.rendered.view.Page.Logo.Name == name {
		return v.sendFile(w, r, v.rendered.logo)
	}
	if v.rendered.custom != nil && v.rendered.customName != name && isCustom(name) { // requested by an older copy of the page
		v.send(w, r, v.rendered.custom)
		return nil
	}
	if v.rendered.custom == nil || v.rendered.customName != name {
		return sett.Errorf(sett.NotFound, "This file belongs to another version. Reload the page.")
	}
	return v.sendFile(w, r, v.rendered.custom)
}

// sendCard answers with a picture for links. One whose name is of an earlier state is sent as it is now, and is not kept for long.
func (v visit) sendCard(w http.ResponseWriter, r *http.Request, name string) error {
	d, current, err := v.variant.cardNamed(name)
	switch {
	case err != nil:
		return err
	case d == nil:
		return sett.Errorf(sett.NotFound, "There is no such picture on this page.")
	case current:
		return v.sendFile(w, r, d)
	}
	v.send(w, r, d)
	return nil
}

// sendFile answers with a file whose name has a hash. Of a page with a password, browsers keep no copy.
func (v visit) sendFile(w http.ResponseWriter, r *http.Request, d *document) error {
	if v.rendered.protected() {
		v.send(w, r, d)
		return nil
	}
	w.Header()["Cache-Control"] = forEver
	d.serve(w, r)
	return nil
}
