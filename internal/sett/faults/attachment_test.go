package faults

import (
	"strings"
	"testing"
)

func TestAttachmentNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"log.txt":                         "log.txt",
		"../../etc/passwd":                "passwd",
		`C:\logs\app.log`:                 "app.log",
		"":                                "attachment",
		"..":                              "attachment",
		"/":                               "attachment",
		" . ":                             "attachment",
		"a\r\nSet-Cookie: b.txt":          "a  Set-Cookie_ b.txt",
		"\u202egpj.exe":                   "gpj.exe",
		"a\x00b\u200b.txt":                "ab.txt",
		`x"; filename="y.html`:            "x_; filename=_y.html",
		"bad\xff.bin":                     "bad.bin",
		"<script>.html":                   "_script_.html",
		"größe 📎.txt":                     "größe 📎.txt",
		strings.Repeat("a", 300) + ".txt": strings.Repeat("a", longestAttachmentName-4) + ".txt",
	} {
		if got := CleanAttachmentName(name); got != want {
			t.Errorf("%q is called %q, want %q", name, got, want)
		}
	}
}

func TestAttachmentTypes(t *testing.T) {
	t.Parallel()
	const png, gif = "\x89PNG\x0d\x0a\x1a\x0a rest", "GIF89a<script>alert(1)</script>"
	for _, c := range []struct{ said, file, want string }{
		{"image/png", png, "image/png"},
		{"text/html", png, "image/png"},
		{"image/gif", gif, "image/gif"},
		{"image/png", "<script>alert(1)</script>", "application/octet-stream"},
		{"image/svg+xml", "<svg onload=alert(1)>", "application/octet-stream"},
		{"text/html", "<script>alert(1)</script>", "text/plain"},
		{"text/plain; charset=utf-8", "hello", "text/plain"},
		{"text/plain", "he\x00lo", "application/octet-stream"},
		{"text/plain", "\xff\xfe", "application/octet-stream"},
		{"application/json", "{}", "application/json"},
		{"application/xhtml+xml", "<html/>", "application/octet-stream"},
		{"nonsense/", "hello", "application/octet-stream"},
		{"", "hello", "application/octet-stream"},
	} {
		if got := AttachmentType(c.said, []byte(c.file)); got != c.want {
			t.Errorf("%q with %q is served as %q, want %q", c.said, c.file, got, c.want)
		}
	}
}
