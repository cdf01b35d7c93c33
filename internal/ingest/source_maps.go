package ingest

import (
	"net/http"

	"sett/internal/serve"
	"sett/internal/sett/accounts"
)

// maxUpload is how many bytes an upload of a source map has at most.
const maxUpload = 64 << 20

// sourceMapBody documents the form of an upload.
type sourceMapBody struct {
	APIKey       string `json:"api_key,omitempty" doc:"API key of the project, unless it is in the header X-API-Key or the query string"`
	MinifiedURL  string `json:"minified_url" doc:"URL of the minified file, as browsers report it. Query strings are ignored; * stands for any number of characters"`
	SourceMap    string `json:"source_map" doc:"The source map, a file of at most 32 MiB"`
	MinifiedFile string `json:"minified_file,omitempty" doc:"The minified file, of which sett keeps where its functions begin and end. A file above 16 MiB is passed over"`
	Revision     string `json:"revision,omitempty" doc:"Revision of the build, as in notices; master by default"`
}

func (in *Ingest) sourceMapRoutes() []serve.Route {
	return []serve.Route{{
		Method: http.MethodPost, Path: "/v1/source_maps", Name: "uploadSourceMap", Tag: "Reporting", Permission: accounts.ReportWithKey,
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
	if err := in.uploads.Save(r.Context(), in.now(), upload, form.minified); err != nil {
		return err
	}
	in.maps.Forget()
	if !form.project.SourceMaps {
		in.keys.Forget() // they say that the project has none
	}
	return serve.WriteJSON(w, http.StatusCreated, recorded{Status: "OK"})
}
