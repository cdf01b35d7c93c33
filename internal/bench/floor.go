package bench

import (
	"io"
	"net"
	"net/http"
)

// ServeFloor serves the least that intake could be – read the body, answer 201 – on a listener until it is closed. Every
// rate is measured against it, in the same run on the same machine.
func ServeFloor(l net.Listener) error {
	answer := []byte(`{"id":"00000000-0000-4000-8000-000000000000"}`)
	return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		w.Write(answer) //nolint:errcheck // the client is gone
	}))
}
