package ingest

import (
	"net/http"
	"strings"

	"sett/internal/serve"
)

// maxAskedHeaders is how many header names a preflight may ask for.
const maxAskedHeaders = 32

// AllowOrigins wraps a handler so that pages of any origin may read its answers, the errors among them: the JavaScript
// client reports from the pages of the application (clients.md, "Browser"). No answer of intake holds anything of the
// visitor, and credentials are never allowed.
func AllowOrigins(next serve.Handler) serve.Handler {
	any := []string{"*"} // shared by all responses; never modified
	return func(w http.ResponseWriter, r *http.Request) error {
		w.Header()["Access-Control-Allow-Origin"] = any
		return next(w, r)
	}
}

// preflight answers what a browser asks before it reports with one of the methods (Fetch standard, "CORS-preflight
// request").
func preflight(methods string) serve.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		h := w.Header()
		h.Set("Access-Control-Allow-Methods", methods)
		h.Set("Access-Control-Allow-Headers", allowedHeaders(r.Header.Values("Access-Control-Request-Headers")))
		h.Set("Access-Control-Max-Age", "86400") // seconds; browsers cap it
		h.Add("Vary", "Access-Control-Request-Headers")
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
}

// allowedHeaders returns the headers that clients send, and those that the browser asks for: extensions and tracing
// libraries add their own.
func allowedHeaders(asked []string) string {
	names := []string{"X-API-Key", "Content-Type", "Accept", "User-Agent"}
	known := map[string]bool{"x-api-key": true, "content-type": true, "accept": true, "user-agent": true}
	for name := range strings.SplitSeq(strings.Join(asked, ","), ",") {
		name = strings.ToLower(strings.TrimSpace(name))
		if len(known) < maxAskedHeaders && isToken(name) && !known[name] {
			known[name] = true
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// isToken reports whether a text is a token (RFC 9110 §5.6.2), as every header's name is.
func isToken(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(c rune) bool {
		letterOrDigit := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		return !letterOrDigit && !strings.ContainsRune("!#$%&'*+-.^_`|~", c)
	})
}
