package statuspage

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"

	"sett/internal/serve"
)

// document is a response body that is ready to be sent, plain and compressed.
type document struct {
	body, packed []byte
	anywhere     bool // scripts of other sites may read it

	// Header values as http.Header stores them, shared by all responses.
	kind, etag, policy, vary, length, packedLength []string
}

// form is what documents of one kind have in common.
type form struct {
	kind     string // media type
	policy   []string
	anywhere bool
	vary     []string // nil: varyEncoding
}

// The forms of documents. Pages load only files of this server; other documents load nothing. Scripts of other sites may read
// documents that are meant for programs and other pages.
var (
	pageForm     = form{"text/html; charset=utf-8", pagePolicy, false, varyLanguage}
	styleForm    = form{"text/css; charset=utf-8", deadPolicy, false, nil}
	scriptForm   = form{"text/javascript; charset=utf-8", deadPolicy, false, nil}
	summaryForm  = form{"application/json", deadPolicy, true, nil}
	jsonFeedForm = form{"application/feed+json", deadPolicy, true, nil}
	atomForm     = form{"application/atom+xml; charset=utf-8", deadPolicy, true, nil}
	badgeForm    = form{"image/svg+xml", deadPolicy, true, nil}
	cardForm     = form{"image/png", deadPolicy, false, nil}
)

// etagBytes of a SHA-256 distinguish two documents.
const etagBytes = 12

// newDocument returns a document with a body, or before if its content is the same.
func newDocument(before *document, f form, body []byte) *document {
	etag := etagOf(body)
	if before != nil && before.etag[0] == etag && before.kind[0] == f.kind {
		return before
	}
	packed := serve.Gzip(body)
	return &document{
		body: body, packed: packed, anywhere: f.anywhere, kind: []string{f.kind}, etag: []string{etag}, policy: f.policy, vary: f.varying(),
		length: []string{strconv.Itoa(len(body))}, packedLength: []string{strconv.Itoa(len(packed))},
	}
}

// newPlain returns a document that is kept, but not compressed: its format is.
func newPlain(f form, body []byte) *document {
	d := newAnswer(f, body)
	d.etag, d.vary = []string{etagOf(body)}, f.varying()
	return d
}

func etagOf(body []byte) string {
	sum := sha256.Sum256(body)
	return `W/"` + base64.RawURLEncoding.EncodeToString(sum[:etagBytes]) + `"`
}

func (f form) varying() []string {
	if f.vary == nil {
		return varyEncoding
	}
	return f.vary
}

// newAnswer returns a document that is sent once. It is not compressed: compressing costs far more than rendering it.
func newAnswer(f form, body []byte) *document {
	return &document{body: body, kind: []string{f.kind}, policy: f.policy, length: []string{strconv.Itoa(len(body))}}
}

// Content policies of responses. Styles and the script are files of this server, including the custom CSS of a page, which
// can neither run scripts nor load anything from other servers.
var (
	pagePolicy = []string{"default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; " +
		"form-action 'self'; frame-ancestors 'none'; base-uri 'none'"}
	deadPolicy = []string{"default-src 'none'; frame-ancestors 'none'"}
)

func (d *document) size() int {
	if d == nil {
		return 0
	}
	return len(d.body) + len(d.packed)
}

var (
	varyEncoding = []string{"Accept-Encoding"}
	varyLanguage = []string{"Accept-Encoding, Accept-Language"}
	asGzip       = []string{"gzip"}
)

// serve sends the document, or 304 if the client has it.
func (d *document) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h["Etag"], h["Vary"], h["Content-Security-Policy"] = d.etag, d.vary, d.policy
	if has(r.Header["If-None-Match"], d.etag[0]) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	d.write(w, r, http.StatusOK)
}

// write sends the document with a status.
func (d *document) write(w http.ResponseWriter, r *http.Request, status int) {
	h := w.Header()
	h["Content-Type"] = d.kind
	body := d.body
	if d.packed != nil && serve.TakesGzip(r.Header["Accept-Encoding"]) {
		body = d.packed
		h["Content-Encoding"], h["Content-Length"] = asGzip, d.packedLength
	} else {
		h["Content-Length"] = d.length
	}
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // the reader is gone
	}
}

// has reports whether If-None-Match names an entity tag; tags are compared weakly (RFC 9110, 13.1.2).
func has(values []string, etag string) bool {
	for _, v := range values {
		for tag := range strings.SplitSeq(v, ",") {
			tag = strings.TrimSpace(tag)
			if tag == "*" || strings.TrimPrefix(tag, "W/") == strings.TrimPrefix(etag, "W/") {
				return true
			}
		}
	}
	return false
}
