package ingest

import (
	"net/http"
	"strings"
)

// maxKey is how many characters an API key may have; longer ones are not even looked up.
const maxKey = 128

// requestKey returns the API key that a request carries outside its body: in the header X-API-Key, else in the query
// parameter api_key. It is "" if there is none, so that the body can be searched (see event.Key).
func requestKey(r *http.Request) string {
	if key := strings.TrimSpace(r.Header.Get("X-Api-Key")); key != "" || r.URL.RawQuery == "" {
		return key
	}
	return strings.TrimSpace(r.URL.Query().Get("api_key"))
}

// isKey reports whether a text could be an API key at all, that is, short and without characters that no key has.
func isKey(text string) bool {
	return len(text) <= maxKey && !strings.ContainsFunc(text, func(c rune) bool { return c <= ' ' || c > '~' })
}
