package serve

import (
	"mime"
	"net/http/httptest"
	"testing"
)

func TestFilesOfStrangersAreSaved(t *testing.T) {
	t.Parallel()
	for name, kind := range map[string]string{"größe 📎.txt": "text/plain; charset=utf-8", "a; b=c.png": "image/png", "x": "application/octet-stream"} {
		sent, _, _ := mime.ParseMediaType(kind)
		w := httptest.NewRecorder()
		SendFile(w, File{Name: name, Type: sent, Body: []byte("hello")})
		disposition, params, err := mime.ParseMediaType(w.Header().Get("Content-Disposition"))
		if err != nil || disposition != "attachment" || params["filename"] != name {
			t.Errorf("%s: %s, %v", name, w.Header().Get("Content-Disposition"), err)
		}
		for header, want := range map[string]string{
			"Content-Type": kind, "X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "private, no-store",
			"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
		} {
			if got := w.Header().Get(header); got != want {
				t.Errorf("%s: %s = %q, want %q", name, header, got, want)
			}
		}
		if w.Body.String() != "hello" {
			t.Errorf("%s: %q", name, w.Body)
		}
	}
}
