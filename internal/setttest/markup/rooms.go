package markup

import (
	"bytes"
	"io/fs"
	"path"
	"strings"
	"testing"

	"sett/internal/web"
)

// DrawAll draws every template of a room with the structs that a test has for it: at least one full and one empty, so that
// none of what it names is missing and every branch is markup that fits together.
func DrawAll(t *testing.T, room func(*web.Pages) web.Room, every map[string][]web.Page) {
	t.Helper()
	pages, err := web.New(web.Options{BaseURL: "http://localhost:8080"}, room)
	if err != nil {
		t.Fatal(err)
	}
	files, err := fs.Glob(room(pages).Templates, "page/*.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(path.Base(file), ".html")
		if len(every[name]) < 2 {
			t.Errorf("page %s is not drawn full and empty", name)
		}
		for _, page := range every[name] {
			body, err := pages.Draw(name, page)
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
