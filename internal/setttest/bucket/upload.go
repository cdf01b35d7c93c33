package bucket

import (
	"encoding/xml"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// parts are those of an upload that has not ended.
type parts struct {
	path  string
	mark  string
	begun time.Time
	sent  map[int][]byte
}

// markHeader has what package objects knows its uploads by.
const markHeader = "X-Amz-Meta-Sett-Upload"

// Uploads returns how many uploads have neither been completed nor aborted.
func (b *Bucket) Uploads() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.uploads)
}

// upload answers a request of an upload in parts, and reports whether it is one.
func (b *Bucket) upload(w http.ResponseWriter, r *http.Request, body []byte) bool {
	query := r.URL.Query()
	id := query.Get("uploadId")
	u := b.uploads[id]
	switch {
	case query.Has("uploads") && r.Method == http.MethodPost:
		id = fmt.Sprint("upload-", b.calls)
		b.uploads[id] = &parts{r.URL.Path, r.Header.Get(markHeader), time.Now(), map[int][]byte{}}
		fmt.Fprintf(w, "<InitiateMultipartUploadResult><UploadId>%s</UploadId></InitiateMultipartUploadResult>", id)
	case query.Has("uploads"):
		b.listUploads(w, query.Get("prefix"))
	case id == "":
		return false
	case u == nil:
		fail(w, "NoSuchUpload")
	case r.Method == http.MethodPut:
		number, err := strconv.Atoi(query.Get("partNumber"))
		if err != nil {
			fail(w, "InvalidArgument")
			return true
		}
		u.sent[number] = body
		w.Header().Set("ETag", `"etag"`)
	case r.Method == http.MethodPost:
		if !b.loses || !b.drops {
			b.objects[u.path], b.marks[u.path] = slices.Concat(slices.Collect(u.inOrder)...), u.mark
		}
		delete(b.uploads, id)
		if b.loses {
			b.loses = false
			fail(w, "SlowDown")
			return true
		}
		fmt.Fprint(w, "<CompleteMultipartUploadResult><Bucket>events</Bucket><Key>key</Key><ETag>etag</ETag></CompleteMultipartUploadResult>")
	default:
		delete(b.uploads, id)
		w.WriteHeader(http.StatusNoContent)
	}
	return true
}

func (u *parts) inOrder(yield func([]byte) bool) {
	for _, number := range slices.Sorted(maps.Keys(u.sent)) {
		if !yield(u.sent[number]) {
			return
		}
	}
}

func (b *Bucket) listUploads(w http.ResponseWriter, prefix string) {
	fmt.Fprint(w, "<ListMultipartUploadsResult>")
	for id, u := range b.uploads {
		if key := keyOf(u.path); strings.HasPrefix(key, prefix) {
			fmt.Fprintf(w, "<Upload><Key>%s</Key><UploadId>%s</UploadId><Initiated>%s</Initiated></Upload>", key, id, u.begun.UTC().Format(time.RFC3339))
		}
	}
	fmt.Fprint(w, "</ListMultipartUploadsResult>")
}

// keyOf returns the key of an object at a path, which begins with the bucket.
func keyOf(path string) string {
	_, key, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return key
}

// list answers a request for a list of objects, in one page, and reports whether it is one.
func (b *Bucket) list(w http.ResponseWriter, r *http.Request) bool {
	query := r.URL.Query()
	if r.Method != http.MethodGet || !query.Has("list-type") {
		return false
	}
	var answer struct {
		XMLName  xml.Name `xml:"ListBucketResult"`
		Contents []struct{ Key string }
		Common   []struct{ Prefix string } `xml:"CommonPrefixes"`
	}
	for _, path := range slices.Sorted(maps.Keys(b.objects)) {
		key := keyOf(path)
		rest, ok := strings.CutPrefix(key, query.Get("prefix"))
		before, _, below := strings.Cut(rest, "/")
		switch {
		case !ok:
		case below && query.Get("delimiter") == "/":
			if common := query.Get("prefix") + before + "/"; len(answer.Common) == 0 || answer.Common[len(answer.Common)-1].Prefix != common {
				answer.Common = append(answer.Common, struct{ Prefix string }{common})
			}
		default:
			answer.Contents = append(answer.Contents, struct{ Key string }{key})
		}
	}
	_ = xml.NewEncoder(w).Encode(answer) // to a client that may have gone
	return true
}
