package app

import (
	"net/http"
	"runtime/debug"

	"sett/internal/serve"
	"sett/internal/sett"
)

// Version returns the version that the binary was built as.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(unknown)"
}

// documentRoutes serve what is said of the other routes, for programs and for people, and lead people there. They are
// not in the document themselves.
func (a *App) documentRoutes(routes []serve.Route) ([]serve.Route, error) {
	info := serve.Info{
		Title: "sett", Version: Version(), Server: a.cfg.BaseURL, Document: "/openapi.json", Params: pathParams,
		Description: "Error tracking: the management interface (/v2) and the reporting interface (/v1).",
	}
	document, err := serve.OpenAPI(info, routes)
	if err != nil {
		return nil, err
	}
	return []serve.Route{
		{
			Method: "GET", Path: "/openapi.json", Name: "openapi", Tag: "System", Permission: sett.Public, Status: http.StatusOK,
			Doc: "This interface as an OpenAPI 3.1 document.",
			Handle: func(w http.ResponseWriter, _ *http.Request) error {
				w.Header().Set("Content-Type", "application/json")
				w.Header().Set("Access-Control-Allow-Origin", "*")
				_, err := w.Write(document)
				return err
			},
		},
		{
			Method: "GET", Path: "/docs/api", Name: "apiDocs", Tag: "System", Permission: sett.Public, Status: http.StatusOK,
			Doc: "This interface as a page for people.", Handle: serve.FromHTTP(serve.DocsHandler(info, routes)),
		},
		{
			Method: "GET", Path: "/", Name: "home", Tag: "System", Permission: sett.Public, Status: http.StatusSeeOther,
			Doc: "Leads people to the page of this interface.", Handle: home,
		},
	}, nil
}

// home redirects to the documentation page. The address is relative (RFC 9110, section 10.2.2), so that it is right under
// any host, and behind a proxy that serves sett below a path.
func home(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Location", "docs/api")
	w.WriteHeader(http.StatusSeeOther)
	return nil
}

// pathParams describes the names in braces of all paths.
var pathParams = map[string]serve.PathParam{
	"account_id": {Type: "string", Doc: "The account's id, a short text."},
	"project_id": {Type: "integer", Doc: "The project's id."},
	"fault_id":   {Type: "integer", Doc: "The fault's id."},
	"key":        {Type: "string", Doc: "A project's API key."},
}
