package ingest

import (
	"context"
	"errors"
	"net/http"
	"time"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sourcemap"
	sourcemaps "sett/internal/store/sourcemap"
)

// The bounds on uploads of source maps. A build sends many at once, so those beyond uploadsAtOnce wait for their turn.
const (
	maxUpload      = 64 << 20 // bytes of a request
	uploadsAtOnce  = 2        // requests of a process that are read, decoded and stored
	uploadsWaiting = 100
	uploadWait     = 50 * time.Second // until a request gets its turn
	uploadRead     = 2 * time.Minute  // then, until its body has arrived
	uploadPatience = time.Minute      // then, until it is stored
)

// sourceMapBody documents the form of an upload.
type sourceMapBody struct {
	APIKey       string `json:"api_key,omitempty" doc:"API key of the project, unless it is in the header X-API-Key or the query string"`
	MinifiedURL  string `json:"minified_url" doc:"URL of the minified file, as browsers report it. Query strings are ignored; * stands for any number of characters"`
	SourceMap    string `json:"source_map" doc:"The source map, a file of at most 32 MiB"`
	MinifiedFile string `json:"minified_file,omitempty" doc:"The minified file. It is accepted and not stored"`
	Revision     string `json:"revision,omitempty" doc:"Revision of the build, as in notices; master by default"`
}

func (in *Ingest) sourceMapRoutes() []serve.Route {
	return []serve.Route{{
		Method: http.MethodPost, Path: "/v1/source_maps", Name: "uploadSourceMap", Tag: "Reporting", Permission: sett.ReportWithKey,
		Body: sourceMapBody{}, Raw: true, Result: recorded{}, Status: http.StatusCreated, Handle: in.postSourceMap,
		Doc: "Upload a source map, as a form (multipart/form-data). It replaces the one of the same revision and URL. Original files that the map does not contain can be sent as further files, each named by its URL. At most 64 MiB.",
	}}
}

// postSourceMap stores a source map. It answers 201 only once the map is durably stored.
func (in *Ingest) postSourceMap(w http.ResponseWriter, r *http.Request) error {
	form, err := in.readSourceMapForm(w, r)
	if err != nil {
		return err
	}
	defer form.leave()
	upload, err := form.upload()
	if err != nil {
		return err
	}
	if err := in.uploads.describe(r.Context(), &upload); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), uploadPatience)
	defer cancel()
	if _, err := in.sourceMaps.Save(ctx, in.now(), upload); err != nil {
		return err
	}
	in.maps.Forget()
	if !form.project.SourceMaps {
		in.keys.Forget() // they say that the project has none
	}
	return serve.WriteJSON(w, http.StatusCreated, recorded{Status: "OK"})
}

// uploads bounds what uploads of source maps take at a time.
type uploads struct {
	slots    chan struct{} // one for each upload that is read and stored
	waiting  chan struct{} // one for each that waits for a slot
	decoding chan struct{} // one: a decoded map is much larger than its text
}

func newUploads() uploads {
	return uploads{make(chan struct{}, uploadsAtOnce), make(chan struct{}, uploadsWaiting), make(chan struct{}, 1)}
}

// enter waits for a slot, which leave frees.
func (u *uploads) enter(ctx context.Context) (leave func(), err error) {
	select {
	case u.waiting <- struct{}{}:
		defer func() { <-u.waiting }()
	default:
		return nil, errBusy()
	}
	ctx, cancel := context.WithTimeout(ctx, uploadWait)
	defer cancel()
	select {
	case u.slots <- struct{}{}:
		return func() { <-u.slots }, nil
	case <-ctx.Done():
		return nil, errBusy()
	}
}

func errBusy() error {
	return &sett.Error{Code: sett.Unavailable, Message: "The server is busy with other uploads of source maps. Upload again in a minute.", RetryAfter: time.Minute}
}

// describe decodes the map of an upload, one at a time, so that a damaged one is refused while its build can be corrected.
func (u *uploads) describe(ctx context.Context, upload *sourcemaps.Upload) error {
	select {
	case u.decoding <- struct{}{}:
		defer func() { <-u.decoding }()
	case <-ctx.Done():
		return ctx.Err()
	}
	m, err := sourcemap.Parse(upload.Map, sourcemap.Largest)
	if e, ok := errors.AsType[*sourcemap.Error](err); ok {
		return sett.Errorf(sett.Invalid, "%s.", e.Text)
	}
	if err != nil {
		return err
	}
	names, contained := m.Sources()
	upload.DebugID, upload.Sources, upload.Contained = m.DebugID, len(names), contained
	return nil
}
