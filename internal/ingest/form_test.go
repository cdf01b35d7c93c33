package ingest

import (
	"net/url"
	"strings"
	"testing"

	"sett/internal/ingest/event"
	"sett/internal/sett/accounts"
	"sett/internal/setttest/recording"
)

const urlEncoded = "application/x-www-form-urlencoded"

func TestPostForms(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	const notice = `{"error":{"class":"A"}}`
	inForm := "payload=" + url.QueryEscape(notice)
	parts, inPart := recording.Form(t, map[string]string{"payload": notice, "api_key": o.setup.APIKey})
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
	o.wantToday(t, accounts.UsageDay{Stored: 5, Invalid: 4})
}
