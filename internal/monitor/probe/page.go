package probe

import (
	"bytes"
	"net/http"

	"golang.org/x/text/transform"
)

// page is written a page and looks for a text in it without keeping the rest. It reads the page in the encodings that it may
// have, which are known once its beginning is there; until then, whatever is there is searched anew.
type page struct {
	text       string
	header     http.Header
	left       int // bytes that may still be written
	cut        bool
	unreadable problem // why the page cannot be read for certain; "" when it can
	start      []byte  // until readings are there
	readings   []*reading
	glanced    bool // the text was found in the start
}

// reading is a page in one encoding.
type reading struct {
	search
	decoder *transform.Writer
}

func newPage(text string, most int, header http.Header) *page {
	return &page{text: text, header: header, left: most}
}

func (p *page) found() bool {
	for _, r := range p.readings {
		if r.found {
			return true
		}
	}
	return p.glanced
}

// head returns the beginning of the page as text.
func (p *page) head() []byte {
	if p.readings == nil {
		p.settle()
	}
	for _, r := range p.readings {
		if !bytes.Contains(r.head, []byte("\uFFFD")) {
			return r.head
		}
	}
	return p.readings[0].head
}

// write takes a part of the page, of which it notes when there is too much.
func (p *page) write(part []byte) {
	if len(part) > p.left {
		part, p.cut = part[:p.left], true
	}
	p.left -= len(part)
	if p.readings != nil {
		p.feed(part)
		return
	}
	p.start = append(p.start, part...)
	if len(p.start) >= sniffedBytes || p.cut {
		p.settle()
		return
	}
	for _, r := range p.read(p.start) {
		p.glanced = p.glanced || r.found
	}
}

// settle decides how the page is read. More may follow.
func (p *page) settle() {
	if p.readings == nil {
		p.readings = p.read(p.start)
		p.start = nil
	}
}

// read reads the beginning of the page in the encodings that it seems to have.
func (p *page) read(start []byte) (readings []*reading) {
	encodings, unreadable := encodingsOf(start, p.header.Get("Content-Type"))
	if unreadable != "" {
		p.unreadable = unreadable
	}
	for _, e := range encodings {
		r := &reading{search: search{text: []byte(p.text)}}
		r.decoder = transform.NewWriter(&r.search, e.NewDecoder())
		readings = append(readings, r)
		_, _ = r.decoder.Write(start) // decoders replace what is not valid
	}
	return readings
}

func (p *page) feed(part []byte) {
	for _, r := range p.readings {
		_, _ = r.decoder.Write(part)
	}
}

// search is written a text and looks for another in it.
type search struct {
	text  []byte
	found bool
	head  []byte // the first keptBytes
	tail  []byte // the last bytes before, one fewer than the text has
}

func (s *search) Write(part []byte) (int, error) {
	s.head = append(s.head, part[:min(len(part), keptBytes-len(s.head))]...)
	if !s.found && len(s.text) > 0 {
		s.look(part)
	}
	return len(part), nil
}

// look looks across the border to the part before, and then inside the part.
func (s *search) look(part []byte) {
	overlap := len(s.text) - 1
	border := append(s.tail, part[:min(len(part), overlap)]...)
	s.found = bytes.Contains(border, s.text) || bytes.Contains(part, s.text)
	if len(part) >= overlap {
		border = part
	}
	s.tail = append([]byte(nil), border[max(0, len(border)-overlap):]...)
}
