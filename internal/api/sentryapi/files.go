package sentryapi

import (
	"cmp"
	"encoding/hex"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"time"

	"sett/internal/event/sourcemap"
	"sett/internal/ingest/event"
	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/store/sourcemapdb"
)

// The bounds on the form of a file.
const (
	mostFields  = 20
	longestName = 8 << 10 // bytes of a field that is no file
)

// fileAnswer is a file of a release.
type fileAnswer struct {
	ID          string            `json:"id"`
	Name        string            `json:"name"`
	SHA1        string            `json:"sha1"`
	Size        int               `json:"size"`
	Headers     map[string]string `json:"headers"`
	DateCreated time.Time         `json:"dateCreated"`
}

// fileForm is a file that was uploaded alone, with its URL.
type fileForm struct {
	name    string
	content []byte
	sent    bool
}

// uploadFile stores a source map of a release that comes alone, as old versions of sentry-cli and some plugins send them. Other files are accepted and
// not stored.
func (a *API) uploadFile(w http.ResponseWriter, r *http.Request, c caller) error {
	revision := event.Name(r.PathValue("version"))
	projects, err := a.projectsOfRelease(r, c, nil, revision)
	if err != nil {
		return err
	}
	parts, leave, err := a.enterForm(w, r, c, sourcemapdb.LargestFile+formRoom)
	if err != nil {
		return err
	}
	defer leave()
	form, err := readFile(parts)
	if err != nil {
		return err
	}
	if minified, isMap := strings.CutSuffix(form.name, ".map"); isMap {
		url, err := sourcemap.CheckURL(minified)
		if err != nil {
			return sett.Refuse("name", "%s", err)
		}
		for _, p := range projects {
			if err := a.Uploads.Save(r.Context(), a.Now(), sourcemapdb.Upload{ProjectID: p.ID, Revision: revision, URL: url, Map: form.content}, nil); err != nil {
				return err
			}
		}
		a.applyUploads()
	}
	hash := sourcemapdb.HashChunk(form.content)
	sum := hex.EncodeToString(hash[:])
	return serve.WriteJSON(w, http.StatusCreated, fileAnswer{sum, form.name, sum, len(form.content), map[string]string{}, a.Now()})
}

func readFile(parts *multipart.Reader) (form fileForm, err error) {
	for range mostFields {
		part, err := parts.NextPart()
		if err == io.EOF { //nolint:errorlint // a wrapped EOF is that of a form that ends in the middle
			break
		}
		if err == nil {
			err = form.take(part)
		}
		if err != nil {
			return form, brokenForm(err)
		}
	}
	if !form.sent {
		return form, sett.Refuse("file", "is missing")
	}
	return form, nil
}

func (f *fileForm) take(part *multipart.Part) (err error) {
	switch part.FormName() {
	case "file":
		f.sent = true
		f.name = cmp.Or(f.name, part.FileName())
		f.content, err = io.ReadAll(part)
	case "name":
		var text []byte
		text, err = io.ReadAll(io.LimitReader(part, longestName))
		f.name = event.Line(string(text), longestName)
	}
	return err
}
