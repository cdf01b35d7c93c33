package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// request is a whole HTTP request that reports one event.
type request struct {
	text []byte
	body int // bytes of its body
}

// newRequest returns a request with a body. headers are name and value in turn.
func newRequest(path, host string, body []byte, headers ...string) request {
	var b bytes.Buffer
	fmt.Fprintf(&b, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n", path, host, len(body))
	for i := 0; i < len(headers); i += 2 {
		fmt.Fprintf(&b, "%s: %s\r\n", headers[i], headers[i+1])
	}
	b.WriteString("\r\n")
	b.Write(body)
	return request{b.Bytes(), len(body)}
}

// burst is events that are sent as fast as the server accepts them, each until it is accepted.
type burst struct {
	address     string
	connections int
	requests    []request

	next     atomic.Int64
	accepted atomic.Int64

	mu      sync.Mutex
	ids     []string    // that the server has promised
	refused map[int]int // other answers by status; 0 is a broken connection
}

// outcome is how a burst ended.
type outcome struct {
	ids     []string
	refused map[int]int
	took    time.Duration
}

// send sends until every event is accepted or the context ends.
func (b *burst) send(ctx context.Context) outcome {
	b.refused = map[int]int{}
	began := time.Now()
	var clients sync.WaitGroup
	for range b.connections {
		clients.Go(func() { b.client(ctx) })
	}
	clients.Wait()
	return outcome{b.ids, b.refused, time.Since(began)}
}

// client sends the events that no other client has taken. After a failure it waits a moment, as clients do.
func (b *burst) client(ctx context.Context) {
	c := connection{address: b.address}
	defer c.close()
	for i := b.next.Add(1); int(i) <= len(b.requests); i = b.next.Add(1) {
		for {
			if ctx.Err() != nil {
				return
			}
			status, id := c.deliver(ctx, b.requests[i-1])
			b.note(status, id)
			if status/100 == 2 {
				break
			}
			select {
			case <-ctx.Done():
			case <-time.After(20 * time.Millisecond):
			}
		}
	}
}

func (b *burst) note(status int, id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if status/100 == 2 {
		b.ids = append(b.ids, id)
		b.accepted.Add(1)
	} else {
		b.refused[status]++
	}
}

// connection is one to a server, which is opened again when the server has closed it.
type connection struct {
	address string
	conn    net.Conn
	reader  *bufio.Reader
}

// deliver sends a request. The status is 0 when no answer came.
func (c *connection) deliver(ctx context.Context, r request) (status int, id string) {
	if c.conn == nil {
		conn, err := (&net.Dialer{Timeout: 10 * time.Second}).DialContext(ctx, "tcp", c.address)
		if err != nil {
			return 0, ""
		}
		c.conn, c.reader = conn, bufio.NewReader(conn)
	}
	_ = c.conn.SetDeadline(time.Now().Add(time.Minute)) // fails only on a closed connection, as the write does then
	if _, err := c.conn.Write(r.text); err != nil {
		c.close()
		return 0, ""
	}
	status, id, keep, err := readAnswer(c.reader)
	if !keep || err != nil {
		c.close()
	}
	if err != nil {
		return 0, ""
	}
	return status, id
}

func (c *connection) close() {
	if c.conn != nil {
		c.conn.Close()
		c.conn = nil
	}
}

// readAnswer reads an answer. keep says whether the connection may be used again.
func readAnswer(r *bufio.Reader) (status int, id string, keep bool, err error) {
	answer, err := http.ReadResponse(r, nil)
	if err != nil {
		return 0, "", false, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, "", false, err
	}
	var made struct{ ID string }
	if answer.StatusCode/100 == 2 {
		if err := json.Unmarshal(text, &made); err != nil {
			return 0, "", false, fmt.Errorf("an event is accepted without an id: %w", err)
		}
	}
	return answer.StatusCode, plainID(made.ID), !answer.Close, nil
}

// plainID returns an id without dashes, as some systems write it and others do not.
func plainID(id string) string { return strings.ReplaceAll(strings.ToLower(id), "-", "") }
