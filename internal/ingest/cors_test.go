package ingest

import (
	"net/http/httptest"
	"strings"
	"testing"
)

func TestPreflight(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	r := httptest.NewRequest("OPTIONS", "/v1/notices/js", nil)
	r.Header.Set("Origin", "https://shop.example.test")
	r.Header.Set("Access-Control-Request-Method", "POST")
	r.Header.Set("Access-Control-Request-Headers", "content-type,x-api-key,user-agent,x-trace")
	if err := AllowOrigins(preflight("POST, OPTIONS"))(w, r); err != nil {
		t.Fatal(err)
	}
	if w.Code != 204 || w.Body.Len() > 0 {
		t.Errorf("answer = %d %q", w.Code, w.Body)
	}
	for name, want := range map[string]string{
		"Access-Control-Allow-Origin":      "*",
		"Access-Control-Allow-Methods":     "POST, OPTIONS",
		"Access-Control-Allow-Headers":     "X-API-Key, Content-Type, Accept, User-Agent, x-trace",
		"Access-Control-Max-Age":           "86400",
		"Access-Control-Allow-Credentials": "",
	} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
}

func TestAllowedHeaders(t *testing.T) {
	t.Parallel()
	const always = "X-API-Key, Content-Type, Accept, User-Agent"
	for asked, want := range map[string]string{
		"":                              always,
		"accept, ACCEPT":                always,
		"x-a, x-b , x-a":                always + ", x-a, x-b",
		"x-a\r\nSet-Cookie: a=b, (x), ": always,
		"é, x y, x-ok":                  always + ", x-ok",
	} {
		if got := allowedHeaders([]string{asked}); got != want {
			t.Errorf("allowedHeaders(%q) = %q, want %q", asked, got, want)
		}
	}
	many := make([]string, 100)
	for i := range many {
		many[i] = "x-" + strings.Repeat("a", i+1)
	}
	if got := allowedHeaders(many); strings.Count(got, ",") != maxAskedHeaders-1 {
		t.Errorf("allowedHeaders of 100 = %q", got)
	}
}
