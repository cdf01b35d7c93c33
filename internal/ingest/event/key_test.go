package event

import (
	"testing"

	"sett/internal/sett"
)

func TestKey(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"api_key":"k1","error":{}}`:                 "k1",
		`{"error":{"api_key":"no"},"api_key":" k1 "}`: "k1",
		`{"api_key":"old","api_key":"k1"}`:            "k1",
		`{"error":{"api_key":"no"}}`:                  "",
		`{"api_key":null}`:                            "",
		`[{"api_key":"no"}]`:                          "",
	} {
		if got, err := Key([]byte(body)); got != want || err != nil {
			t.Errorf("Key(%s) = %q, %v; want %q", body, got, err, want)
		}
	}
	if _, err := Key([]byte(`{"api_key":"k1",`)); sett.CodeOf(err) != sett.Malformed {
		t.Errorf("error = %v", err)
	}
}
