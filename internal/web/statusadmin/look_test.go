package statusadmin_test

import (
	"bytes"
	"image"
	"image/png"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"sett/internal/sett/status"
	"sett/internal/setttest/visitor"
)

// upload sends a file as a browser sends a form with one.
func (v *scene) upload(field string, file []byte) (status int, body string) {
	v.T.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile(field, "logo.png")
	if err == nil {
		_, err = part.Write(file)
	}
	if err != nil || w.Close() != nil {
		v.T.Fatal(err)
	}
	r, err := http.NewRequestWithContext(v.T.Context(), http.MethodPost, v.Base+v.base+"/logo", &form)
	if err != nil {
		v.T.Fatal(err)
	}
	r.Header.Set("Content-Type", w.FormDataContentType())
	got, err := v.Client.Do(r)
	if err != nil {
		v.T.Fatal(err)
	}
	defer got.Body.Close()
	var text bytes.Buffer
	if _, err := text.ReadFrom(got.Body); err != nil {
		v.T.Fatal(err)
	}
	return got.StatusCode, text.String()
}

func TestALogoIsUploaded(t *testing.T) {
	t.Parallel()
	v := newScene(t)
	var file bytes.Buffer
	if err := png.Encode(&file, image.NewNRGBA(image.Rect(0, 0, 30, 10))); err != nil {
		t.Fatal(err)
	}
	v.Get(v.base+"/edit").CheckPage().Want(http.StatusOK, `enctype="multipart/form-data"`).Lacks("Current logo")
	for says, sent := range map[string][]byte{
		"The logo must be a PNG, JPEG or WebP image.":            []byte("GIF89a"),
		"SVG can contain scripts":                                []byte("<svg onload=alert(1)>"),
		"The logo is too large (maximum is 512 KiB).":            make([]byte, 513<<10),
		"The logo is too large":                                  make([]byte, 2<<20), // the rest is not read
		"The logo is missing. Choose a file first.":              nil,
		"The logo cannot be read: the image is damaged. Export ": file.Bytes()[:30],
	} {
		if status, body := v.upload("logo", sent); status != http.StatusUnprocessableEntity || !strings.Contains(body, says) {
			t.Errorf("%d bytes: %d, want %q in\n%s", len(sent), status, says, body)
		}
	}
	if status, _ := v.upload("other", file.Bytes()); status != http.StatusUnprocessableEntity {
		t.Errorf("another field: %d", status)
	}
	v.Post(v.base+"/logo", "logo", "x").Want(http.StatusBadRequest)
	if status, body := v.upload("logo", file.Bytes()); status != http.StatusSeeOther {
		t.Fatalf("a logo: %d %s", status, body)
	}
	v.Get(v.base+"/edit").CheckPage().Want(http.StatusOK, "Current logo", `src="`+v.base+`/preview.logo"`)
	shown := v.Get(v.base+"/preview.logo").Want(http.StatusOK, "PNG")
	if is := shown.Header.Get("Content-Type"); is != "image/png" {
		t.Errorf("the logo is %s", is)
	}
	v.Get(v.base+"/preview").Want(http.StatusOK, `src="`+v.base+`/preview.logo"`)
	public := visitor.New(t, v.s)
	public.Get("/status/acme").Want(http.StatusOK, `src="/status/acme/s/`+v.stored().Logo.Name+`"`)
	public.Get("/status/acme/s/"+v.stored().Logo.Name).Want(http.StatusOK, "PNG")
	if got := public.Get(v.base + "/preview.logo"); got.Status == http.StatusOK {
		t.Error("a stranger gets the logo of the preview")
	}
	v.Post(v.base + "/logo/remove").Leads(v.base + "/edit?done=logo_gone")
	v.Get(v.base + "/preview.logo").Want(http.StatusNotFound)
}

// The language, the accent color and the groups of a page are set in its forms, and the page is drawn with them.
func TestTheLookOfAPage(t *testing.T) {
	t.Parallel()
	v := newScene(t)
	look := []string{"name", "Acme", "slug", "acme", "language", "ja", "features.accent_color", "#FF0"}
	v.Post(v.base+"/edit", look...).Leads(v.base + "/edit?done=saved")
	if p := v.stored(); p.Language != "ja" || p.Features.AccentColor != "#ffff00" {
		t.Errorf("stored is %+v", p)
	}
	light, dark := status.Accents("#ffff00")
	v.Get(v.base+"/edit").CheckPage().Want(http.StatusOK, light.Color+" in light and as "+dark.Color+" in dark", "日本語")
	v.Get(v.base+"/preview").Want(http.StatusOK, `<html lang="ja">`)
	v.Get(v.base+"/preview.css").Want(http.StatusOK, "--accent: "+light.Color)
	look[5], look[7] = "xx", "red"
	v.Post(v.base+"/edit", look...).CheckPage().Want(http.StatusUnprocessableEntity, "Language must be one of", "Accent color must be a color such as")
	v.Post(v.base+"/components", "component", "site:"+v.site, "display_name", "", "description", "", "group", "Europe").Leads(v.base + "/edit?done=saved")
	v.Get(v.base+"/edit").Want(http.StatusOK, `name="group" value="Europe"`)
	v.Get(v.base+"/preview").Want(http.StatusOK, `data-group="Europe"`)
}
