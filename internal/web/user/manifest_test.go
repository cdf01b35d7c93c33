package user_test

import (
	"bytes"
	"encoding/json"
	"image/png"
	"testing"

	"sett/internal/setttest"
	"sett/internal/setttest/visitor"
)

// Browsers install the app by its manifest, which a signed-out visitor can read, and draw its icons.
func TestTheAppHasAManifest(t *testing.T) {
	t.Parallel()
	v := visitor.New(t, setttest.Start(t, "sqlite"))
	v.Get("/login").Want(200, `<link rel="manifest" href="/manifest.webmanifest">`, `rel="apple-touch-icon"`)
	got := v.Get("/manifest.webmanifest").Want(200)
	if kind := got.Header.Get("Content-Type"); kind != "application/manifest+json" {
		t.Errorf("its type is %s", kind)
	}
	var m struct {
		Name, Display string
		Start         string `json:"start_url"`
		Icons         []struct{ Src, Sizes, Type string }
	}
	if err := json.Unmarshal([]byte(got.Body), &m); err != nil || m.Name != "sett" || m.Display != "standalone" || m.Start != "/" || len(m.Icons) != 4 {
		t.Errorf("%+v %v", m, err)
	}
	for _, icon := range m.Icons {
		file := v.Get(icon.Src).Want(200)
		drawn, err := png.DecodeConfig(bytes.NewReader([]byte(file.Body)))
		if err != nil || file.Header.Get("Content-Type") != "image/png" {
			t.Fatalf("%s: %v", icon.Src, err)
		}
		if want := map[string]int{"192x192": 192, "512x512": 512}[icon.Sizes]; drawn.Width != want || drawn.Height != want {
			t.Errorf("%s is %d×%d", icon.Sizes, drawn.Width, drawn.Height)
		}
	}
}
