package ingest

import (
	"cmp"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"sett/internal/event/sourcemap"
	"sett/internal/event/sourcemap/function"
	"sett/internal/ingest/event"
	"sett/internal/ingest/upload"
	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/sourcemapdb"
)

// The bounds on the form of an upload.
const (
	mostParts   = 1_000
	longestText = 8 << 10 // bytes of a field that is no file
	mostEarly   = 4 << 20 // bytes of files before the API key is known
	mostOfFiles = 16 << 20
)

// sourceMapForm is the form of an upload, as far as it is read. Its fields may come in any order.
type sourceMapForm struct {
	in      *Ingest
	w       http.ResponseWriter
	r       *http.Request
	project accounts.KeyedProject
	known   bool      // the project's key has come
	leave   func()    // frees what is held once the key is known
	body    io.Reader // what is left of the body

	minifiedURL, revision string
	sourceMap             []byte
	sent                  bool // source_map was
	minified              []byte
	files                 []sourcemapdb.File
	early, fileBytes      int // that were read before the key was known; of files
}

// readSourceMapForm reads an upload. A wrong key outside the body is refused before anything is read. The caller calls leave.
func (in *Ingest) readSourceMapForm(w http.ResponseWriter, r *http.Request) (*sourceMapForm, error) {
	f := &sourceMapForm{in: in, w: w, r: r, leave: func() {}}
	if err := f.readAll(); err != nil {
		f.leave()
		return nil, err
	}
	return f, nil
}

func (f *sourceMapForm) readAll() error {
	in, r := f.in, f.r
	f.body = http.MaxBytesReader(f.w, r.Body, maxUpload)
	if key := requestKey(r); key != "" {
		if err := f.admit(key); err != nil {
			return err
		}
	}
	kind, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case r.Header.Get("Content-Encoding") != "" && !strings.EqualFold(r.Header.Get("Content-Encoding"), "identity"):
		return sett.Errorf(sett.Invalid, "A form with a source map must not be compressed. Send it without Content-Encoding.")
	case kind != "multipart/form-data" || params["boundary"] == "":
		return sett.Errorf(sett.Malformed, "The body must be a form (multipart/form-data) with the fields minified_url and source_map, as curl -F sends it.")
	case r.ContentLength > maxUpload:
		return &http.MaxBytesError{Limit: maxUpload}
	}
	if err := f.read(multipart.NewReader(f, params["boundary"])); err != nil {
		return err
	}
	if !f.known {
		_, err := in.project(r.Context(), "") // the error says where a key may be
		return cmp.Or(err, errNoKey)
	}
	return nil
}

var errNoKey = errors.New("a request without a key has a project")

// Read reads the body: as it arrives until the key is known, and then what has arrived.
func (f *sourceMapForm) Read(p []byte) (int, error) { return f.body.Read(p) }

// admit finds the project of a key, and waits until all of the body is there and may be decoded.
func (f *sourceMapForm) admit(key string) (err error) {
	project, err := f.in.project(f.r.Context(), key)
	if err == nil {
		err = project.Scope.RefuseMore("upload source maps")
	}
	if err != nil || f.known {
		return err
	}
	serve.Known(f.r.Context())
	body, leave, err := f.in.uploads.Enter(f.w, f.r, project.ProjectID, f.body, 2*upload.Patience)
	if err != nil {
		return err
	}
	f.body, f.leave = body, leave
	f.project, f.known = project, true
	return nil
}

func (f *sourceMapForm) read(parts *multipart.Reader) error {
	for n := 0; ; n++ {
		part, err := parts.NextPart()
		if err == io.EOF { //nolint:errorlint // a wrapped EOF is that of a form that ends in the middle
			return nil
		}
		if n == mostParts {
			return sett.Errorf(sett.TooLarge, "The form has more than %d fields. Send fewer files with each source map.", mostParts)
		}
		if err == nil {
			err = f.take(part)
		}
		if err != nil {
			return brokenForm(err)
		}
	}
}

// brokenForm says why a form could not be read, unless the error says so already.
func brokenForm(err error) error {
	_, large := errors.AsType[*http.MaxBytesError](err)
	if large || sett.CodeOf(err) != "" {
		return err
	}
	return sett.Errorf(sett.Malformed, "The form cannot be read: it ends in the middle, or its parts are not valid multipart/form-data. Send it again, as curl -F does.")
}

// take reads a field or a file.
func (f *sourceMapForm) take(part *multipart.Part) (err error) {
	switch name := part.FormName(); {
	case name == "api_key":
		key, err := text(part, name)
		if err != nil {
			return err
		}
		return f.admit(strings.TrimSpace(key))
	case name == "minified_url":
		f.minifiedURL, err = text(part, name)
	case name == "revision":
		f.revision, err = text(part, name)
	case name == "source_map":
		f.sent = true
		f.sourceMap, err = f.file(part, name, sourcemapdb.LargestFile)
	case name == "minified_file":
		f.minified, err = f.minifiedFile(part)
	case part.FileName() == "" || name == "":
		_, err = io.Copy(io.Discard, part)
	case len(f.files) == sourcemapdb.MostFiles:
		return sett.Errorf(sett.TooLarge, "The form has more than %d original files. Put them into the source map, as sourcesContent.", sourcemapdb.MostFiles)
	default:
		content, err := f.file(part, name, mostOfFiles-f.fileBytes)
		f.fileBytes += len(content)
		f.files = append(f.files, sourcemapdb.File{URL: name, Content: content})
		return err
	}
	return err
}

// text reads a field that is no file.
func text(part io.Reader, name string) (string, error) {
	b, err := io.ReadAll(io.LimitReader(part, longestText+1))
	if err == nil && len(b) > longestText {
		err = sett.Errorf(sett.Invalid, "The field %s is too long (maximum is %d bytes).", name, longestText)
	}
	return string(b), err
}

// file reads a file of at most so many bytes.
func (f *sourceMapForm) file(part io.Reader, name string, most int) ([]byte, error) {
	if !f.known {
		most = min(most, mostEarly-f.early)
	}
	b, err := io.ReadAll(io.LimitReader(part, int64(most)+1))
	switch {
	case err != nil || len(b) <= most:
	case !f.known:
		err = sett.Errorf(sett.TooLarge, "The files before the field api_key have more than %d bytes. Send api_key first, or in the header X-API-Key.", mostEarly)
	case name == "source_map":
		err = sett.Errorf(sett.TooLarge, "The source map has more than %d bytes. Split the bundle, or build the map without sourcesContent.", most)
	default:
		err = sett.Errorf(sett.TooLarge, "The original files have more than %d bytes. Put them into the source map, as sourcesContent.", mostOfFiles)
	}
	if !f.known {
		f.early += len(b)
	}
	return b, err
}

// minifiedFile reads the minified file; one that is too large is left out, as the map is of use without it.
func (f *sourceMapForm) minifiedFile(part io.Reader) ([]byte, error) {
	most := function.LargestFile
	if !f.known {
		most = min(most, mostEarly-f.early)
	}
	b, err := io.ReadAll(io.LimitReader(part, int64(most)+1))
	if len(b) <= most {
		if !f.known {
			f.early += len(b)
		}
		return b, err
	}
	_, err = io.Copy(io.Discard, part)
	return nil, err
}

// upload returns what the form says, or an Invalid error that names every field that is missing or wrong.
func (f *sourceMapForm) upload() (u sourcemapdb.Upload, err error) {
	var p sett.Problems
	url, wrong := sourcemap.CheckURL(f.minifiedURL)
	if wrong != nil {
		p.Add("minified_url", "%s", wrong)
	}
	if !utf8.ValidString(f.revision) {
		p.Add("revision", "must be UTF-8")
	}
	switch {
	case !f.sent:
		p.Add("source_map", "is missing: the file that your bundler writes beside the minified file, such as main.js.map")
	case len(f.sourceMap) == 0:
		p.Add("source_map", "is empty; check that your build writes source maps")
	}
	u = sourcemapdb.Upload{ProjectID: f.project.ProjectID, Revision: event.Name(f.revision, sourcemapdb.DefaultRevision), URL: url, Map: f.sourceMap}
	u.Files = originalFiles(url, f.files)
	if err := p.Refusal(); err != nil {
		return u, err
	}
	return u, nil
}

// originalFiles returns the files with their URLs, as seen from the minified file. Of files with the same URL, the last one counts, and one
// whose name is no URL is left out.
func originalFiles(minified string, files []sourcemapdb.File) (all []sourcemapdb.File) {
	for _, f := range files {
		url, err := sourcemap.CheckURL(cmp.Or(sourcemap.Beside(minified, f.URL), f.URL))
		if err != nil {
			continue
		}
		all = slices.DeleteFunc(all, func(other sourcemapdb.File) bool { return other.URL == url })
		all = append(all, sourcemapdb.File{URL: url, Content: f.Content})
	}
	return all
}
