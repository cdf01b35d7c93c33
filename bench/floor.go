package bench

import (
	"io"
	"net"
	"net/http"
	"strconv"
)

// ServeFloor serves the least that intake could be – read the body, answer 201 – on a listener until it is closed; and of
// pages, who asks for ?bytes=5000 gets that many. Every rate is measured against it, in the same run on the same machine.
func ServeFloor(l net.Listener) error {
	answer := []byte(`{"id":"00000000-0000-4000-8000-000000000000"}`)
	page := make([]byte, 1<<20)
	return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n, err := strconv.Atoi(r.URL.Query().Get("bytes")); err == nil && n > 0 && n <= len(page) {
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("Content-Length", strconv.Itoa(n))
			w.Write(page[:n]) //nolint:errcheck // the client is gone
			return
		}
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		w.Write(answer) //nolint:errcheck // the client is gone
	}))
}
