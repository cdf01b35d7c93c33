package ingest_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"

	"sett/internal/setttest"
)

// A client that closes its sending half after the request, as nc and some HTTP/1.0 clients do, still gets its answer.
func TestHalfClosedClientIsAnswered(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		for range 5 {
			conn, err := net.Dial("tcp", strings.TrimPrefix(s.Base, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			const body = `{"error":{"class":"Half"}}`
			fmt.Fprintf(conn, "POST /v1/notices HTTP/1.1\r\nHost: x\r\nX-API-Key: %s\r\nContent-Length: %d\r\n\r\n%s", s.Key, len(body), body)
			if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
				t.Fatal(err)
			}
			answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
			if answer.StatusCode != http.StatusCreated {
				t.Errorf("status %d, want 201", answer.StatusCode)
			}
		}
	})
}
