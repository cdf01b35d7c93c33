package ingest

import (
	"crypto/rand"
	"net/http/httptest"
	"strings"
	"testing"

	"sett/internal/sett"
)

func TestRequestKey(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ header, value, query, want string }{
		{"X-API-Key", "k1", "", "k1"},
		{"x-api-key", " k1 ", "?api_key=k2", "k1"},
		{"X-Api-Key", "", "?api_key=k2", "k2"},
		{"X-Api-Key", "", "?API_KEY=k2", ""},
		{"X-Other", "k1", "", ""},
	} {
		r := httptest.NewRequest("POST", "/v1/notices"+c.query, nil)
		r.Header.Set(c.header, c.value)
		if got := requestKey(r); got != c.want {
			t.Errorf("key of %+v = %q", c, got)
		}
	}
}

func TestIsKey(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"": true, sett.NewProjectKey(rand.Reader): true, "hbp_mockapikey0000000000": true,
		"a b": false, "a\x00": false, "clé": false, "\xff": false, strings.Repeat("k", maxKey): true, strings.Repeat("k", maxKey+1): false,
	} {
		if got := isKey(text); got != want {
			t.Errorf("isKey(%q) = %t", text, got)
		}
	}
}
