package event

import (
	"bytes"
	"net/url"
	"testing"

	"sett/internal/setttest/recording"
)

const urlEncoded = "application/x-www-form-urlencoded"

func TestOpenForm(t *testing.T) {
	t.Parallel()
	const notice = `{"error":{"message":"a; b & c + 100 %"}}`
	parts, inPart := recording.Form(t, map[string]string{"payload": notice, "api_key": "k1"})
	files, inFile := recording.Form(t, map[string]string{"@notice": notice})
	others, inNone := recording.Form(t, map[string]string{"other": notice, "api_key": "k1"})
	for _, c := range []struct{ name, contentType, body, notice, key string }{
		{"payload", urlEncoded, "api_key=+k1+&payload=" + url.QueryEscape(notice), notice, "k1"},
		{"notice", urlEncoded + "; charset=UTF-8", "notice=" + url.QueryEscape(notice), notice, ""},
		{"data", "Application/X-WWW-Form-URLEncoded", "data=" + url.QueryEscape(notice) + "&api_key=k1", notice, "k1"},
		{"payload before data", urlEncoded, "data=no&payload=yes&notice=no", "yes", ""},
		{"a bare semicolon", urlEncoded, `payload={"error":{"message":"a;b"}}`, `{"error":{"message":"a;b"}}`, ""},
		{"parts", parts, inPart, notice, "k1"},
		{"a file", files, inFile, notice, ""},

		{"JSON that curl calls a form", urlEncoded, " \n" + notice, " \n" + notice, ""},
		{"JSON that is called parts", parts, notice, notice, ""},
		{"JSON with a byte order mark", urlEncoded, "\uFEFF{}", "\uFEFF{}", ""},
		{"JSON", "application/json", "payload=x", "payload=x", ""},
		{"no content type", "", "payload=x", "payload=x", ""},
		{"nothing", urlEncoded, "", "", ""},

		{"another field", urlEncoded, "api_key=k1&other=" + url.QueryEscape(notice), "", "k1"},
		{"another part", others, inNone, "", "k1"},
		{"a text", urlEncoded, "hello", "", ""},
		{"a broken escape", urlEncoded, "api_key=k1&payload=%zz", "", "k1"},
		{"parts without a boundary", "multipart/form-data", inPart, "", ""},
		{"parts that are cut off", parts, inPart[:len(inPart)/2], "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if notice, key := OpenForm(c.contentType, []byte(c.body)); string(notice) != c.notice || key != c.key {
				t.Errorf("notice %q, key %q; want %q, %q", notice, key, c.notice, c.key)
			}
		})
	}
}

func FuzzOpenForm(f *testing.F) {
	contentType, body := recording.Form(f, map[string]string{"payload": "{}", "@data": "{}", "api_key": "k"})
	f.Add(contentType, []byte(body))
	f.Add(urlEncoded, []byte("api_key=k&payload=%7b%7d;x"))
	f.Fuzz(func(t *testing.T, contentType string, body []byte) {
		notice, key := OpenForm(contentType, body)
		if len(notice)+len(key) > len(body) {
			t.Fatalf("%d bytes became a notice of %d and a key of %d", len(body), len(notice), len(key))
		}
		if bytes.HasPrefix(body, []byte("{")) && !bytes.Equal(notice, body) {
			t.Fatalf("JSON %q was changed to %q", body, notice)
		}
	})
}
