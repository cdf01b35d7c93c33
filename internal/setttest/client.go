package setttest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// Client speaks to a server as one user and with one project's key.
type Client struct {
	Base  string
	Token string // personal token; "" sends none
	Key   string // project API key; "" sends none
	t     testing.TB
}

func newClient(t testing.TB, base, token string) *Client {
	return &Client{Base: base, Token: token, t: t}
}

// Response is an answer that has been read.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
	t      testing.TB
}

// Do sends a request and reads the answer. A body that is no string, []byte or nil is sent as JSON. The answer is held
// against the OpenAPI document of the server, and the test fails where they differ.
func (c *Client) Do(method, path string, body any, header ...string) *Response {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), method, c.Base+path, bytes.NewReader(c.encode(body)))
	if err != nil {
		c.t.Fatal(err)
	}
	if strings.HasPrefix(path, "/v1/") {
		if c.Key != "" {
			r.Header.Set("X-API-Key", c.Key)
		}
	} else if c.Token != "" {
		r.SetBasicAuth(c.Token, "")
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer answer.Body.Close()
	read, err := io.ReadAll(answer.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	documentOf(c.t, c.Base).check(c.t, r, answer, read)
	return &Response{answer.StatusCode, answer.Header, read, c.t}
}

func (c *Client) encode(body any) []byte {
	c.t.Helper()
	switch b := body.(type) {
	case nil:
		return nil
	case string:
		return []byte(b)
	case []byte:
		return b
	}
	encoded, err := json.Marshal(body)
	if err != nil {
		c.t.Fatal(err)
	}
	return encoded
}

// Get asks for a path and wants 200.
func (c *Client) Get(path string) *Response {
	c.t.Helper()
	return c.Do("GET", path, nil).Want(http.StatusOK)
}

// Post sends a body.
func (c *Client) Post(path string, body any) *Response {
	c.t.Helper()
	return c.Do("POST", path, body)
}

// Put sends a body.
func (c *Client) Put(path string, body any) *Response {
	c.t.Helper()
	return c.Do("PUT", path, body)
}

// Delete deletes a path.
func (c *Client) Delete(path string) *Response {
	c.t.Helper()
	return c.Do("DELETE", path, nil)
}

// Want fails the test when the status is another one.
func (r *Response) Want(status int) *Response {
	r.t.Helper()
	if r.Status != status {
		r.t.Fatalf("status %d, want %d; body: %s", r.Status, status, r.Body)
	}
	return r
}

// Into decodes the body.
func (r *Response) Into(v any) {
	r.t.Helper()
	if err := json.Unmarshal(r.Body, v); err != nil {
		r.t.Fatalf("body is not what was expected: %v\n%s", err, r.Body)
	}
}

// JSON decodes a body that is an object.
func (r *Response) JSON() map[string]any {
	r.t.Helper()
	var v map[string]any
	r.Into(&v)
	return v
}

// Errors returns the sentence of an error.
func (r *Response) Errors() string {
	r.t.Helper()
	s, ok := r.JSON()["errors"].(string)
	if !ok {
		r.t.Fatalf("errors is no string: %s", r.Body)
	}
	return s
}
