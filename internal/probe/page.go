package probe

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"strings"
)

const (
	pageBytes = 1 << 20 // of a page that are read and searched; the rest counts as if it were not there
	keptBytes = 4 << 10 // of a page that are kept when the site is not up
	rawBytes  = 2 << 20 // that may make up a compressed page
)

// judge reads the page and decides whether the response is as expected. If its status is not, only the part of the page that
// is stored is read, and a truncated page is not a reason of its own.
func (a *attempt) judge(response *http.Response) error {
	asked := a.asked
	if text := asked.MatchType.StatusProblem(asked.Match, response.StatusCode); text != "" {
		read, _ := a.readPage(response, keptBytes, "")
		a.result.Body = read.head
		return problem(text)
	}
	var wanted string
	if asked.MatchType.JudgesText() {
		wanted = asked.Match
	}
	read, err := a.readPage(response, pageBytes, wanted)
	a.result.Body = read.head
	if err != nil {
		return err
	}
	text := asked.MatchType.TextProblem(asked.Match, read.found)
	if text == "" {
		return nil
	}
	if !read.found && read.size == pageBytes {
		text += " -- only the first MiB was read"
	}
	return problem(text)
}

// readPage reads at most so many bytes of a page and looks for a text in them.
func (a *attempt) readPage(response *http.Response, most int64, text string) (*page, error) {
	p := &page{text: []byte(text)}
	body, err := decompressed(response)
	if err != nil {
		return p, err
	}
	buffer := a.buffers.Get().(*[bufferBytes]byte)
	defer a.buffers.Put(buffer)
	_, err = io.CopyBuffer(p, io.LimitReader(body, most), buffer[:])
	return p, pageError(err)
}

// decompressed returns the page as its writer meant it.
func decompressed(response *http.Response) (io.Reader, error) {
	encoding := strings.ToLower(strings.TrimSpace(response.Header.Get("Content-Encoding")))
	if encoding != "gzip" && encoding != "x-gzip" {
		return response.Body, nil
	}
	r, err := gzip.NewReader(&bounded{response.Body, rawBytes})
	if errors.Is(err, io.EOF) {
		return http.NoBody, nil
	}
	return r, pageError(err)
}

// bounded reads so many bytes and then fails, where a page only ends after fewer.
type bounded struct {
	io.Reader
	left int
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, problem("Response body is larger than 2 MiB, although it is compressed")
	}
	n, err := b.Reader.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// pageError names what gzip finds wrong; other errors are the connection's.
func pageError(err error) error {
	_, corrupt := errors.AsType[flateError](err)
	if corrupt || errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) {
		return problem("Response body is not valid gzip, although its Content-Encoding says so")
	}
	return err
}

// page is written a page, keeps its beginning, and looks for a text in it without keeping the rest.
type page struct {
	text  []byte
	found bool
	size  int64
	head  []byte
	tail  []byte // the last bytes before, one fewer than the text has
}

func (p *page) Write(part []byte) (int, error) {
	p.size += int64(len(part))
	p.head = append(p.head, part[:min(len(part), keptBytes-len(p.head))]...)
	if !p.found && len(p.text) > 0 {
		p.search(part)
	}
	return len(part), nil
}

// search looks across the border to the part before, and then inside the part.
func (p *page) search(part []byte) {
	overlap := len(p.text) - 1
	border := append(p.tail, part[:min(len(part), overlap)]...)
	p.found = bytes.Contains(border, p.text) || bytes.Contains(part, p.text)
	if len(part) >= overlap {
		border = part
	}
	p.tail = append([]byte(nil), border[max(0, len(border)-overlap):]...)
}
