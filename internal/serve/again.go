package serve

import (
	"context"
	"net/http"
)

// ReadsWhole reports whether a route only reads, and begins its response when it has read everything: it is no stream and no file, and not
// what clients report to.
func (rt Route) ReadsWhole() bool {
	return rt.Method == http.MethodGet && !rt.NoHead && (rt.Media == "" || rt.Media == "text/html") && !rt.reporting()
}

// Again handles a request with the context that first makes of its own. If that fails in a way that calls for it, and no response has begun,
// the request is handled once more, with its own context.
func Again(next Handler, first func(context.Context) context.Context, calls func(error) bool) Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		begun := &beginning{ResponseWriter: w}
		err := next(begun, r.WithContext(first(r.Context())))
		if err != nil && !begun.has && calls(err) {
			return next(w, r)
		}
		return err
	}
}

// beginning notes whether a response has begun.
type beginning struct {
	http.ResponseWriter
	has bool
}

// WriteHeader implements http.ResponseWriter.
func (b *beginning) WriteHeader(status int) {
	b.has = true
	b.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (b *beginning) Write(p []byte) (int, error) {
	b.has = true
	return b.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController reach the response.
func (b *beginning) Unwrap() http.ResponseWriter { return b.ResponseWriter }
