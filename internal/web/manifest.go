package web

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// manifest is what a browser reads to install the pages as an app (W3C Web Application Manifest).
type manifest struct {
	ID         string         `json:"id"`
	Name       string         `json:"name"`
	ShortName  string         `json:"short_name"`
	Start      string         `json:"start_url"`
	Scope      string         `json:"scope"`
	Display    string         `json:"display"`
	Background string         `json:"background_color"`
	Theme      string         `json:"theme_color"`
	Icons      []manifestIcon `json:"icons"`
}

type manifestIcon struct {
	Source  string `json:"src"`
	Sizes   string `json:"sizes"`
	Type    string `json:"type"`
	Purpose string `json:"purpose"`
}

// manifestPath is where it is; browsers look there again and again, so its name has no hash.
const manifestPath = "/manifest.webmanifest"

func (p *Pages) manifest() manifest {
	home := p.root + "/"
	m := manifest{
		ID: home, Name: "sett", ShortName: "sett", Start: home, Scope: home, Display: "standalone",
		Background: "#f7f6f3", Theme: "#3f62c4", // --bg of the light theme, and the color of the icons
	}
	for _, size := range []int{192, 512} {
		source := p.Asset(fmt.Sprintf("icon-%d.png", size))
		m.Icons = append(m.Icons, manifestIcon{source, fmt.Sprintf("%dx%d", size, size), "image/png", "any"}, manifestIcon{source, fmt.Sprintf("%dx%d", size, size), "image/png", "maskable"})
	}
	return m
}

func (p *Pages) serveManifest(w http.ResponseWriter, r *http.Request) error {
	body, err := json.Marshal(p.manifest())
	if err != nil {
		return fmt.Errorf("write manifest: %w", err)
	}
	h := w.Header()
	h.Set("Content-Type", "application/manifest+json")
	h.Set("Cache-Control", "public, max-age=3600")
	return write(w, r, http.StatusOK, body, nil)
}
