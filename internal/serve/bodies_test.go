package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
)

// failingBody has some bytes and then fails.
type failingBody struct {
	io.Reader
	err error
}

func (f failingBody) Read(p []byte) (int, error) {
	n, err := f.Reader.Read(p)
	if errors.Is(err, io.EOF) && f.err != nil {
		err = f.err
	}
	return n, err
}

func (failingBody) Close() error { return nil }

// readingAll serves a route that reads its whole body, once it has called first.
func readingAll(log io.Writer, budget *Bodies, first func(context.Context)) http.Handler {
	return NewMux([]Route{{Method: "POST", Path: "/v1/read", Name: "read", Permission: accounts.Public, Handle: func(w http.ResponseWriter, r *http.Request) error {
		first(r.Context())
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return fmt.Errorf("read body: %w", err)
		}
		w.Header().Set("Held", fmt.Sprint(budget.Held()))
		return WriteJSON(w, 200, len(body))
	}}}, MuxOptions{Bodies: budget, Log: slog.New(slog.NewTextHandler(log, nil))})
}

func send(h http.Handler, body io.ReadCloser) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("POST", "/v1/read", body))
	return w
}

// What is wrong with a body is the client's doing: no error line, and no status that says otherwise.
func TestUnreadableBodies(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err    error
		status int
		says   string
	}{
		{io.ErrUnexpectedEOF, 400, "shorter than its Content-Length"},
		{fmt.Errorf("read tcp: %w", os.ErrDeadlineExceeded), 408, "did not arrive in time"},
		{errors.New("malformed chunked encoding"), 400, "cannot be read"},
		{errors.New("connection reset by peer"), 400, "cannot be read"},
	} {
		var log bytes.Buffer
		w := send(readingAll(&log, NewBodies(), func(context.Context) {}), failingBody{strings.NewReader("some"), c.err})
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.says) || w.Header().Get("Connection") != "close" {
			t.Errorf("%v: %d %v %s", c.err, w.Code, w.Header(), w.Body)
		}
		if strings.Contains(log.String(), "level=ERROR") || !strings.Contains(log.String(), fmt.Sprintf("status=%d", c.status)) {
			t.Errorf("%v: logged %s", c.err, log.String())
		}
	}
}

func zeros(n int) io.ReadCloser { return failingBody{Reader: bytes.NewReader(make([]byte, n))} }

func TestBodiesShareABudget(t *testing.T) {
	t.Parallel()
	const size = 500 << 10
	budget := NewBodies()
	strange := readingAll(io.Discard, budget, func(context.Context) {})
	known := readingAll(io.Discard, budget, Known)
	if w := send(strange, zeros(size)); w.Code != 200 || w.Header().Get("Held") == "0" || budget.Held() != 0 {
		t.Fatalf("%d, held %s, and %d afterwards", w.Code, w.Header().Get("Held"), budget.Held())
	}
	budget.strange.held.Store(budget.strange.most - moreOfBody)
	if w := send(strange, zeros(size)); w.Code != 503 || w.Header().Get("Retry-After") == "" || w.Header().Get("Connection") != "close" {
		t.Errorf("no room for strangers: %d %v", w.Code, w.Header())
	}
	if w := send(strange, zeros(firstOfBody)); w.Code != 200 {
		t.Errorf("a short body has to wait for long ones: %d", w.Code)
	}
	if w := send(known, zeros(size)); w.Code != 200 {
		t.Errorf("who is known has to wait for strangers: %d", w.Code)
	}
	budget.known.held.Store(budget.known.most)
	if w := send(known, zeros(size)); w.Code != 503 {
		t.Errorf("no room for those who are known: %d", w.Code)
	}
	unbudgeted := readingAll(io.Discard, budget, Unbudgeted)
	if w := send(unbudgeted, zeros(size)); w.Code != 200 {
		t.Errorf("a body that its handler bounds has to wait for others: %d", w.Code)
	}
	budget.first.held.Store(budget.first.most)
	if w := send(strange, zeros(1)); w.Code != 503 {
		t.Errorf("no room at all: %d", w.Code)
	}
	if want := budget.first.most + budget.strange.most - moreOfBody + budget.known.most; budget.Held() != want {
		t.Errorf("%d bytes are held, want %d", budget.Held(), want)
	}
}

func TestHoldCountsWhatIsMadeOfABody(t *testing.T) {
	t.Parallel()
	budget := NewBodies()
	var err error
	h := readingAll(io.Discard, budget, func(ctx context.Context) { err = Hold(ctx, mostOfStrange) })
	if w := send(h, zeros(1)); w.Code != 200 || err != nil || budget.Held() != 0 {
		t.Errorf("%d, %v, held %d", w.Code, err, budget.Held())
	}
	h = readingAll(io.Discard, budget, func(ctx context.Context) { err = Hold(ctx, mostOfStrange+1) })
	send(h, zeros(1))
	if sett.CodeOf(err) != sett.Unavailable || budget.Held() != 0 {
		t.Errorf("%v, held %d", err, budget.Held())
	}
}

func TestStrictTransport(t *testing.T) {
	t.Parallel()
	for https, want := range map[bool]string{true: "max-age=31536000", false: ""} {
		h := NewMux(nil, MuxOptions{HTTPS: https})
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
		if got := w.Header().Get("Strict-Transport-Security"); got != want {
			t.Errorf("%t: %q", https, got)
		}
	}
}
