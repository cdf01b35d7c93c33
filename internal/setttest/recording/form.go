package recording

import (
	"bytes"
	"maps"
	"mime/multipart"
	"slices"
	"strings"
	"testing"
)

// Form returns a form in parts and its content type; fields whose names begin with @ are sent as files.
func Form(t testing.TB, fields map[string]string) (contentType, body string) {
	t.Helper()
	var out bytes.Buffer
	w := multipart.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		part, err := w.CreateFormField(name)
		if file, ok := strings.CutPrefix(name, "@"); ok {
			part, err = w.CreateFormFile(file, "notice.json")
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := part.Write([]byte(fields[name])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return w.FormDataContentType(), out.String()
}
