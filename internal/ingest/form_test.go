package ingest

import (
	"bytes"
	"maps"
	"mime/multipart"
	"net/url"
	"slices"
	"strings"
	"testing"

	"sett/internal/ingest/event"
	"sett/internal/sett"
)

const urlEncoded = "application/x-www-form-urlencoded"

// inParts returns a form in parts and its content type; fields whose names begin with @ are sent as files.
func inParts(t testing.TB, fields map[string]string) (contentType, body string) {
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

func TestPostForms(t *testing.T) {
	t.Parallel()
	o := setup(t, sett.Limits{})
	const notice = `{"error":{"class":"A"}}`
	inForm := "payload=" + url.QueryEscape(notice)
	parts, inPart := inParts(t, map[string]string{"payload": notice, "api_key": o.setup.APIKey})
	keyInJSON := url.Values{"payload": {`{"error":{},"api_key":"` + o.setup.APIKey + `"}`}}.Encode()
	for _, c := range []struct {
		name, header, contentType, body string
		status                          int
		says                            string
	}{
		{"key in the header", o.setup.APIKey, urlEncoded, inForm, 201, ""},
		{"key in the form", "", urlEncoded, inForm + "&api_key=" + o.setup.APIKey, 201, ""},
		{"key in the notice", "", urlEncoded, keyInJSON, 201, ""},
		{"parts", "", parts, inPart, 201, ""},
		{"curl -d", o.setup.APIKey, urlEncoded, notice, 201, ""},
		{"wrong key in the form", "", urlEncoded, inForm + "&api_key=wrong", 403, "This API key is unknown."},
		{"no key", "", urlEncoded, inForm, 403, "X-API-Key"},
		{"no notice and no key", "", urlEncoded, "hello", 403, "X-API-Key"},
		{"no notice", o.setup.APIKey, urlEncoded, "hello", 400, "field payload"},
		{"no notice, key in the form", "", urlEncoded, "api_key=" + o.setup.APIKey, 400, "field payload"},
		{"no JSON in the field", o.setup.APIKey, urlEncoded, "payload=hello", 400, "byte 1"},
		{"too long", o.setup.APIKey, urlEncoded, "payload=" + strings.Repeat("x", event.MaxNotice+1), 413, "262144"},
	} {
		w := o.post(t, "/v1/notices", strings.NewReader(c.body), map[string]string{"X-API-Key": c.header, "Content-Type": c.contentType})
		if w.Code != c.status {
			t.Errorf("%s: answer = %d %s, want %d", c.name, w.Code, w.Body, c.status)
		}
		if c.status != 201 {
			wantError(t, w, c.status, c.says)
		}
	}
	o.wantToday(t, sett.UsageDay{Stored: 5, Invalid: 4})
}
