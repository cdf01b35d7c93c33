package markup

import (
	"bytes"
	"io/fs"
	"path"
	"strings"
	"testing"

	"sett/internal/web"
)

// RenderAll renders every template of an area with the structs of a test: at least one full and one empty struct each, so that
// no field is missing and every branch is valid markup.
func RenderAll(t *testing.T, area func(*web.Pages) web.Area, every map[string][]web.Page) {
	t.Helper()
	pages, err := web.New(web.Options{BaseURL: "http://localhost:8080"}, area)
	if err != nil {
		t.Fatal(err)
	}
	files, err := fs.Glob(area(pages).Templates, "page/*.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(path.Base(file), ".html")
		if len(every[name]) < 2 {
			t.Errorf("page %s is not rendered full and empty", name)
		}
		for _, page := range every[name] {
			body, err := pages.Render(name, page)
			if err != nil {
				t.Errorf("page %s with %+v: %v", name, page, err)
				continue
			}
			if bytes.Contains(body, []byte("ZgotmplZ")) {
				t.Errorf("page %s: a value was refused by the template", name)
			}
			Check(t, "page "+name, string(body))
		}
	}
}
