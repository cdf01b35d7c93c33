package app_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"sett/internal/app"
	"sett/internal/setttest"
)

// dialed is a connection to a server that closes with the test.
func dialed(t *testing.T, s *setttest.Server) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", s.App.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// heldBytes is what the server says that request bodies hold.
func heldBytes(t *testing.T, s *setttest.Server) int64 {
	t.Helper()
	text := string(s.Do("GET", "/metrics", nil, "Authorization", "Bearer figures").Want(200).Body)
	_, rest, found := strings.Cut(text, "\nsett_request_body_bytes ")
	line, _, _ := strings.Cut(rest, "\n")
	held, err := strconv.ParseFloat(line, 64)
	if !found || err != nil {
		t.Fatalf("no figure: %v", err)
	}
	return int64(held)
}

// endless sends a body of nearly 1 MB in chunks, never ends it, and returns the status that it is answered with; 0 when it is not.
func endless(conn net.Conn, key string) int {
	const chunk = 32 << 10
	request := "POST /v1/notices HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n"
	if key != "" {
		request += "X-API-Key: " + key + "\r\n"
	}
	part := fmt.Sprintf("%x\r\n%s\r\n", chunk, strings.Repeat(" ", chunk))
	go func() {
		_, _ = io.WriteString(conn, request+"\r\n")
		for range 30 {
			if _, err := io.WriteString(conn, part); err != nil {
				return
			}
		}
	}()
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0
	}
	_ = answer.Body.Close()
	return answer.StatusCode
}

// Strangers who send without end hold no more than their share, and keep no other client from reporting.
func TestEndlessBodiesHoldLittle(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short leaves out tests that take seconds")
	}
	const sockets, share, first = 400, 8 << 20, 16 << 10
	for who, bound := range map[string]int64{"strangers": share + sockets*first, "with a key": 4*share + sockets*first} {
		t.Run(who, func(t *testing.T) {
			t.Parallel()
			s := setttest.Start(t, "sqlite", func(c *app.Config) { c.MetricsToken = "figures" })
			key := ""
			if who == "with a key" {
				key = s.Key
			}
			statuses := make(chan int, sockets)
			var all sync.WaitGroup
			for range sockets {
				conn := dialed(t, s)
				all.Go(func() { statuses <- endless(conn, key) })
			}
			// A body of which all is read holds nearly 1 MB, so that most sockets are turned away.
			refused := sockets - int(bound-sockets*first)/(30*32<<10) - 1
			for range refused {
				if status := <-statuses; status != http.StatusServiceUnavailable {
					t.Fatalf("answered with %d, want 503", status)
				}
				if held := heldBytes(t, s); held > bound {
					t.Fatalf("%d bytes are held, want %d at most", held, bound)
				}
			}
			s.Post("/v1/notices", `{"error":{"class":"Boom"}}`).Want(201)
		})
	}
}

// speak sends a request as it stands and returns all that comes back until the server closes the connection.
func speak(t *testing.T, s *setttest.Server, request string) string {
	t.Helper()
	conn := dialed(t, s)
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(conn)
	if err != nil && len(answer) == 0 {
		t.Fatal(err)
	}
	return string(answer)
}

func TestMalformedBodiesAreTheClientsDoing(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		for _, path := range []string{"/v1/notices", "/v1/deploys", "/v2/projects"} {
			head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nX-API-Key: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n", path, s.Key, s.Token)
			for what, rest := range map[string]string{
				"no size of a chunk":  "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
				"a chunk too long":    "Transfer-Encoding: chunked\r\n\r\n2\r\n{}}}\r\n0\r\n\r\n",
				"a chunk that ends":   "Transfer-Encoding: chunked\r\n\r\nff\r\n{}",
				"a huge chunk":        "Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n{}",
				"less than announced": "Content-Length: 100\r\n\r\n{}",
			} {
				if got := speak(t, s, head+rest); !strings.HasPrefix(got, "HTTP/1.1 400 ") || !strings.Contains(got, `"errors":"`) {
					t.Errorf("%s, %s: %.300q", path, what, got)
				}
			}
		}
	})
}

// A request with two lengths is answered, and what stands behind it is not read as another request.
func TestTwoLengthsCloseTheConnection(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	const notice = `{"error":{"class":"Boom"}}`
	for _, lengths := range []string{"Content-Length: 4\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nContent-Length: 4", "Transfer-Encoding: chunked"} {
		got := speak(t, s, fmt.Sprintf("POST /v1/notices HTTP/1.1\r\nHost: x\r\nX-API-Key: %s\r\n%s\r\n\r\n%x\r\n%s\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n",
			s.Key, lengths, len(notice), notice))
		if strings.Count(got, "HTTP/1.1 ") != 1 || !strings.HasPrefix(got, "HTTP/1.1 201 ") || !strings.Contains(got, "\r\nConnection: close\r\n") {
			t.Errorf("%q: %q", lengths, got)
		}
	}
}
