package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"

	"sett/internal/base/dial"
	"sett/internal/sett"
)

const (
	// answerPatience is how long the server may take to answer; it holds a poll for up to 20 s.
	answerPatience = 45 * time.Second
	// mostAnswer is how much of an answer is read, in bytes: orders for some 100,000 sites.
	mostAnswer = 64 << 20
)

// errRevoked means that the server does not know the token, or no more.
var errRevoked = errors.New("the server does not accept this token; create another with: sett agents add")

// errRefused means that the server will never take what it was sent.
var errRefused = errors.New("refused")

// refuses reports whether a status means that a retry of the same data is useless. Other statuses are about the agent, its
// version, the moment, or another server at the address.
func refuses(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusRequestTimeout,
		http.StatusConflict, http.StatusTooManyRequests:
		return false
	}
	return status >= 400 && status < 500
}

// client speaks to the server.
type client struct {
	server string // address without a trailing slash
	token  string
	http   *http.Client
}

func newClient(o Options) *client {
	h := dial.New(dial.Anywhere()).Client(answerPatience) // the operator of the agent has set the server
	if o.Transport != nil {
		h.Transport = o.Transport
	}
	return &client{strings.TrimRight(o.Server, "/"), o.Token, h}
}

// post sends a value and reads the answer into another. The error is Forbidden when the token is not for the location that
// was spoken for.
func (c *client) post(ctx context.Context, path string, in, out any) error {
	body, err := packed(in)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.server+path, body)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+c.token)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Content-Encoding", "gzip")
	answer, err := c.http.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, mostAnswer))
	switch {
	case answer.StatusCode == http.StatusUnauthorized:
		return errRevoked
	case answer.StatusCode == http.StatusForbidden && said(text) != "": // a proxy says it otherwise
		return sett.Errorf(sett.Forbidden, "%s", said(text))
	case refuses(answer.StatusCode):
		return fmt.Errorf("%w: %s", errRefused, reason(text))
	case answer.StatusCode != http.StatusOK:
		return fmt.Errorf("the server returned %s for %s: %s", answer.Status, path, reason(text))
	case err != nil:
		return err
	}
	return json.Unmarshal(text, out)
}

func packed(value any) (io.Reader, error) {
	var body bytes.Buffer
	w := gzip.NewWriter(&body)
	if err := json.NewEncoder(w).Encode(value); err != nil {
		return nil, err
	}
	return &body, w.Close()
}

// reason is what an answer says about its error, cut to what fits a line of the log.
func reason(text []byte) string {
	if sentence := said(text); sentence != "" {
		return sentence
	}
	return string(text[:min(len(text), 200)])
}

// said is the error message of a sett server; "" if another server has responded.
func said(text []byte) string {
	var body struct {
		Errors string `json:"errors"`
	}
	if json.Unmarshal(text, &body) != nil {
		return ""
	}
	return body.Errors
}
