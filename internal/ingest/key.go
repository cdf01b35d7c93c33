package ingest

import (
	"net/http"
	"strings"
)

// maxKey is how many characters an API key may have; longer ones are not even looked up.
const maxKey = 128

// requestKey returns the API key that a request carries outside its body: in the header X-API-Key, else in the query
// parameter api_key. It is "" if there is none, so that the body can be searched (see bodyKey).
func requestKey(r *http.Request) string {
	if key := strings.TrimSpace(r.Header.Get("X-Api-Key")); key != "" || r.URL.RawQuery == "" {
		return key
	}
	return strings.TrimSpace(r.URL.Query().Get("api_key"))
}

// bodyKey returns the value of api_key at the top level of a JSON body, or "". The error is that of a body that is not JSON,
// because it is then unknown whether there is a key.
func bodyKey(body []byte) (key string, err error) {
	s := scanner{doc: document(body)}
	for name := range s.members {
		if name == "api_key" {
			key = strings.TrimSpace(s.text())
		} else {
			s.value()
		}
	}
	if err := s.end(); err != nil {
		return "", err
	}
	return key, nil
}

// isKey reports whether a text could be an API key at all, that is, short and without characters that no key has.
func isKey(text string) bool {
	return len(text) <= maxKey && !strings.ContainsFunc(text, func(c rune) bool { return c <= ' ' || c > '~' })
}
