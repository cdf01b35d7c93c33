package sourcemapdb

import (
	"io"
	"sort"

	"sett/internal/sett"
)

// errGone says that a chunk has changed while its archive was read.
var errGone = sett.Errorf(sett.Unavailable, "A chunk of the upload is gone. Upload the archive again.")

// ReadAt reads from the chunk at an offset, and those behind it. It keeps one chunk in memory, and is used by one goroutine at a time.
func (a *Archive) ReadAt(p []byte, at int64) (n int, err error) {
	i := sort.Search(len(a.chunks), func(i int) bool { return a.chunks[i].at+a.chunks[i].bytes > at })
	for ; n < len(p) && i < len(a.chunks); i++ {
		c := a.chunks[i]
		text, err := a.text(c)
		if err != nil {
			return n, err
		}
		n += copy(p[n:], text[at+int64(n)-c.at:])
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (a *Archive) text(c chunk) ([]byte, error) {
	if a.last == nil || a.lastID != c.id {
		text, err := a.read(c.id)
		if err != nil {
			return nil, err
		}
		a.last, a.lastID = text, c.id
	}
	if int64(len(a.last)) != c.bytes {
		return nil, errGone
	}
	return a.last, nil
}
