package api_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"strings"
	"testing"

	"sett/internal/setttest"
)

// The look of a page is written and read, and what is wrong with it is named.
func TestTheLookOfAStatusPage(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		var file bytes.Buffer
		if err := png.Encode(&file, image.NewNRGBA(image.Rect(0, 0, 30, 10))); err != nil {
			t.Fatal(err)
		}
		site := createSite(t, s)
		logo := base64.StdEncoding.EncodeToString(file.Bytes())
		page := createStatusPage(t, s, fmt.Sprintf(`"name":"Shop","language":"pt","logo":%q,"features":{"accent_color":"#ABC"},"sites":[{"site_id":%q,"group":" Europe "}]`, logo, site.ID))
		if page.Language == nil || *page.Language != "pt" || page.Features.AccentColor != "#aabbcc" || page.Sites[0].Group != "Europe" {
			t.Errorf("%+v", page)
		}
		if page.LogoURL == nil || !strings.HasPrefix(*page.LogoURL, s.Base+"/status/shop/s/logo.") {
			t.Fatalf("the logo is at %v", page.LogoURL)
		}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, *page.LogoURL, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := http.DefaultClient.Do(r); err != nil || got.Body.Close() != nil || got.StatusCode != http.StatusOK || got.Header.Get("Content-Type") != "image/png" {
			t.Errorf("the logo: %+v, %v", got, err)
		}
		path := statusPagesPath(s, "/"+page.ID)
		for change, says := range map[string]string{
			`"language":"xx"`:                       "language must be one of en, de, fr, es, pt, ja",
			`"features":{"accent_color":"teal"}`:    "features.accent_color must be a color such as #2f4fa8",
			`"logo":"?"`:                            "logo must be an image in base64",
			`"logo":"R0lGODlh"`:                     "logo must be a PNG, JPEG or WebP image",
			`"logo":[7]`:                            "logo must be a string",
			`"logo":"PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+"`: "SVG can contain scripts",
		} {
			if got := s.Put(path, `{"status_page":{`+change+`}}`); got.Status != http.StatusUnprocessableEntity || !strings.Contains(string(got.Body), says) {
				t.Errorf("%s: %d %s", change, got.Status, got.Body)
			}
		}
		s.Put(path, `{"status_page":{"language":null,"logo":null}}`).Want(http.StatusNoContent)
		if now := getStatusPage(s.Client, s, page); now.Language != nil || now.LogoURL != nil || now.Features.AccentColor != "#aabbcc" {
			t.Errorf("%+v", now)
		}
	})
}
