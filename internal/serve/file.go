package serve

import (
	"mime"
	"net/http"
	"strings"
)

// File is a file of a stranger.
type File struct {
	Name string // a file name, without anything that means something in paths
	Type string // a media type
	Body []byte
}

// SendFile answers with a file that browsers save, and never show as a page or run: only pages of this server may show it, as a picture.
func SendFile(w http.ResponseWriter, f File) {
	kind := f.Type
	if strings.HasPrefix(kind, "text/") {
		kind += "; charset=utf-8"
	}
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": f.Name}))
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; sandbox")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "private, no-store")
	_, _ = w.Write(f.Body) // the reader is gone
}
