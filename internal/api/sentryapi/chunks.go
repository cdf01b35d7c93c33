package sentryapi

import (
	"encoding/hex"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/store/sourcemapdb"
)

// The bounds on an upload, which clients keep.
const (
	chunksAtOnce  = 64
	maxRequest    = 32 << 20
	largestBundle = 256 << 20
	formRoom      = 64 << 10 // of a request, beside its chunks
	saveWithin    = 2 * time.Minute
)

// uploadOptionsAnswer is how archives are to be uploaded.
type uploadOptionsAnswer struct {
	URL              string   `json:"url"`
	ChunkSize        int      `json:"chunkSize"` // a power of two
	ChunksPerRequest int      `json:"chunksPerRequest"`
	MaxRequestSize   int      `json:"maxRequestSize"`
	MaxFileSize      int      `json:"maxFileSize"`
	Concurrency      int      `json:"concurrency"`
	HashAlgorithm    string   `json:"hashAlgorithm"`
	Compression      []string `json:"compression"`
	Accept           []string `json:"accept"`
}

func (a *API) uploadOptions(w http.ResponseWriter, r *http.Request, _ caller) error {
	return serve.WriteJSON(w, http.StatusOK, uploadOptionsAnswer{
		URL:       a.chunkURL(r),
		ChunkSize: sourcemapdb.LargestChunk, ChunksPerRequest: chunksAtOnce, MaxRequestSize: maxRequest, MaxFileSize: largestBundle, Concurrency: 2,
		HashAlgorithm: "sha1", Compression: []string{"gzip"}, Accept: []string{"release_files", "artifact_bundles", "artifact_bundles_v2"},
	})
}

// relativeFrom is the version of sentry-cli from which on it takes an address that is relative to the API that it has asked
// (getsentry/sentry-cli, 1.70.1). The program of the same name in JavaScript, which names its runtime, takes none.
var relativeFrom = []int{1, 70, 1}

// chunkURL returns where chunks are to be sent: to the name at which the tool has reached the server, or else to the address for clients.
func (a *API) chunkURL(r *http.Request) string {
	path := "organizations/" + url.PathEscape(r.PathValue("org")) + "/chunk-upload/"
	agent, more, _ := strings.Cut(r.UserAgent(), " ")
	version, is := strings.CutPrefix(agent, "sentry-cli/")
	if is && slices.Compare(numbersOf(version), relativeFrom) >= 0 && !strings.Contains(more, "node/") && !strings.Contains(more, "bun/") {
		return path
	}
	if origin, known := a.Proxies.Origin(r); known {
		return origin + serve.Prefix(a.ReportURL) + top + "/" + path
	}
	return a.ReportURL + top + "/" + path
}

// numbersOf reads the numbers of a version up to what is none.
func numbersOf(version string) (numbers []int) {
	for part := range strings.SplitSeq(version, ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			break
		}
		numbers = append(numbers, n)
	}
	return numbers
}

// uploadChunks stores the chunks in a form. It answers 200 only once all of them are durably stored.
func (a *API) uploadChunks(w http.ResponseWriter, r *http.Request, c caller) error {
	parts, leave, err := a.enterForm(w, r, c, maxRequest+formRoom)
	if err != nil {
		return err
	}
	defer leave()
	for n := 0; ; n++ {
		part, err := parts.NextPart()
		if err == io.EOF && n > 0 { //nolint:errorlint // a wrapped EOF is that of a form that ends in the middle
			return nil
		}
		if n == chunksAtOnce {
			return sett.Errorf(sett.TooLarge, "The form has more than %d chunks. Send the others in another request.", chunksAtOnce)
		}
		if err == nil {
			err = a.saveChunk(r, c, part)
		}
		if err != nil {
			return brokenForm(err)
		}
	}
}

// enterForm returns the parts of a form of at most so many bytes, once all of it is there and may be stored.
func (a *API) enterForm(w http.ResponseWriter, r *http.Request, c caller, most int64) (parts *multipart.Reader, leave func(), err error) {
	kind, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case kind != "multipart/form-data" || params["boundary"] == "":
		return nil, nil, sett.Errorf(sett.Malformed, "The body must be a form (multipart/form-data).")
	case r.ContentLength > most:
		return nil, nil, &http.MaxBytesError{Limit: most}
	}
	body, leave, err := a.Uploads.Enter(w, r, c.uploader(), http.MaxBytesReader(w, r.Body, most), saveWithin)
	if err != nil {
		return nil, nil, err
	}
	return multipart.NewReader(body, params["boundary"]), leave, nil
}

// brokenForm says why a form could not be read, unless the error says so already.
func brokenForm(err error) error {
	_, large := errors.AsType[*http.MaxBytesError](err)
	if large || sett.CodeOf(err) != "" {
		return err
	}
	return sett.Errorf(sett.Malformed, "The form cannot be read: it ends in the middle, or its parts are not valid. Send it again.")
}

// saveChunk stores a chunk. Its file name is its hash.
func (a *API) saveChunk(r *http.Request, c caller, part *multipart.Part) error {
	var text io.Reader = part
	switch part.FormName() {
	case "file":
	case "file_gzip":
		plain, err := gzip.NewReader(part)
		if err != nil {
			return brokenChunk(part, err)
		}
		text = plain
	default:
		return sett.Errorf(sett.Invalid, "The form has a field that is no chunk. The fields are file and file_gzip.")
	}
	chunk, err := io.ReadAll(io.LimitReader(text, sourcemapdb.LargestChunk+1))
	if err != nil {
		return brokenChunk(part, err)
	}
	hash := sourcemapdb.HashChunk(chunk)
	switch {
	case len(chunk) > sourcemapdb.LargestChunk:
		return sett.Errorf(sett.TooLarge, "The chunk %.40q has more than %d bytes.", part.FileName(), sourcemapdb.LargestChunk)
	case hex.EncodeToString(hash[:]) != part.FileName():
		return sett.Errorf(sett.Malformed, "The chunk %.40q has the SHA-1 %x: it was changed on its way. Upload it again.", part.FileName(), hash)
	}
	return a.SourceMaps.SaveChunk(r.Context(), a.Now(), c.sender(), chunk)
}

// brokenChunk says that a chunk cannot be decompressed, unless reading the form has failed.
func brokenChunk(part *multipart.Part, err error) error {
	_, large := errors.AsType[*http.MaxBytesError](err)
	if large || sett.CodeOf(err) != "" || errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	return sett.Errorf(sett.Malformed, "The chunk %.40q is not valid gzip data. Upload it again.", part.FileName())
}
