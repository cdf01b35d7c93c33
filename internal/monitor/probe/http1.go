package probe

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"net"
	"net/http"
)

// headerBytes is the most that is read of a response's headers, those of interim responses included.
const headerBytes = 256 << 10

// errLargeHeaders ends a response whose headers do not fit into headerBytes.
const errLargeHeaders = problem("Response headers are larger than 256 KiB")

// exchange1 sends the request by HTTP/1.1 and reads the headers of the response. One goroutine does both: what is said
// before it is asked for, or instead of an answer, is read where it stands.
func (a *attempt) exchange1(conn net.Conn, request *http.Request) (*http.Response, error) {
	a.watch.enter(requesting)
	if err := send(conn, request); err != nil && !isReset(err) {
		return nil, err // who hangs up may have answered before
	}
	a.watch.enter(waiting)
	reader := &wire{conn: conn, watch: a.watch, left: headerBytes}
	response, err := readResponse(bufio.NewReader(reader), request)
	if err != nil {
		return nil, reader.explain(err)
	}
	reader.left = -1
	return response, nil
}

// send writes the request. The writer knows how the connection has failed; the request may say that its body has.
func send(conn net.Conn, request *http.Request) error {
	w := bufio.NewWriter(conn)
	err := request.Write(w)
	return cmp.Or(w.Flush(), err)
}

// readResponse reads the headers of the response, and skips interim ones (RFC 9110 §15.2).
func readResponse(r *bufio.Reader, request *http.Request) (*http.Response, error) {
	for {
		response, err := http.ReadResponse(r, request)
		if err != nil {
			return nil, err
		}
		if response.StatusCode >= 200 || response.StatusCode == http.StatusSwitchingProtocols {
			return response, nil
		}
	}
}

// wire reads from a connection and knows how far it came.
type wire struct {
	conn   net.Conn
	watch  *stopwatch
	left   int64 // bytes that may still be read; -1 is any number
	failed error // by which the connection ended, the first
	read   int64
}

func (w *wire) Read(p []byte) (int, error) {
	if w.left == 0 {
		w.failed = errLargeHeaders
		return 0, errLargeHeaders
	}
	if w.left > 0 {
		p = p[:min(int64(len(p)), w.left)]
	}
	n, err := w.conn.Read(p)
	if n > 0 && w.read == 0 {
		w.watch.reach(readingHeaders)
	}
	w.read += int64(n)
	if w.left > 0 {
		w.left -= int64(n)
	}
	if err != nil && w.failed == nil { // a connection that is asked again after a reset only says that it is over
		w.failed = err
	}
	return n, err
}

// explain returns the connection error that broke the response, or that the response is not valid.
func (w *wire) explain(err error) error {
	switch {
	case errors.Is(w.failed, io.EOF) && w.read > 0:
		return io.ErrUnexpectedEOF
	case w.failed != nil:
		return w.failed
	}
	return errNoHTTP
}
