// Package serve serves every handler. From a table of routes it makes the mux that runs them, the OpenAPI document and the documentation
// page. For handlers, which return an error, it has the one table from error codes to HTTP statuses, the decoding of JSON and queries with
// sentences that name every wrong field, lists with their links, and one log line per request. It knows no resource and no user, it never
// opens the store, and it never lets the text of an internal error leave the server.
package serve

import (
	"net/http"
	"regexp"
	"strings"

	"sett/internal/sett/accounts"
)

// Handler answers one request, or returns the error that the mux writes. After it has started to write it should no longer
// fail: such an error is logged and the connection is closed, so that the client does not mistake a partial response for a
// complete one.
type Handler func(w http.ResponseWriter, r *http.Request) error

// FromHTTP makes a Handler of a plain http.Handler, such as a page that cannot fail.
func FromHTTP(h http.Handler) Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		h.ServeHTTP(w, r)
		return nil
	}
}

// Route is one line of a route table: path, permission and documentation.
type Route struct {
	Method     string              // such as "GET", which answers HEAD too; "HEAD" where the documentation should say that
	Path       string              // such as "/v2/projects/{project_id}"; no trailing slash
	Name       string              // operation id, such as "listFaults"; unique in the table
	Tag        string              // chapter of the documentation, such as "Faults"
	Permission accounts.Permission // what the caller must be allowed to do; accounts.Public: no credentials
	Query      any                 // nil, or a struct as DecodeQuery fills it
	Body       any                 // nil, or a struct: the JSON request body
	Result     any                 // nil when the response has no body, or a value of the JSON response's type
	Media      string              // media type of a response that is not JSON, such as "text/plain"; Result is nil then
	Status     int                 // of success; 0 is 200
	PageSize   int                 // of a list: how many results a page has at most and by default; 0: as many as there may be
	Also       []int               // statuses that are not errors and have the body of Result as well
	Moved      string              // when an answer is 301, with the address of the same of something else; "": never
	Doc        string              // one line of documentation
	Raw        bool                // the body may have any media type and shape; what Body says of it is only the JSON form
	NoHead     bool                // of a GET that does something: HEAD is answered with 405, and Allow does not list it
	Reads      bool                // a POST that changes nothing, so that read-only tokens may call it and the audit log leaves it out
	Quiet      bool                // successes are logged at debug level, for what is called thousands of times a second
	Handle     Handler
}

// NotFound is the Name of the route that answers unknown paths (404) and wrong methods (405). It goes through
// MuxOptions.Wrap like any other; its other fields are empty but for Permission, which is accounts.Public.
const NotFound = "notFound"

// pattern is the route as http.ServeMux reads it. There "/" would mean every path; here it is the root alone.
func (rt Route) pattern() string {
	if rt.Path == "/" {
		return rt.Method + " /{$}"
	}
	return rt.Method + " " + rt.Path
}

// reporting reports whether the route is under /v1, whose clients read other error bodies.
func (rt Route) reporting() bool { return isReporting(rt.Path) }

func isReporting(path string) bool { return path == "/v1" || strings.HasPrefix(path, "/v1/") }

// management reports whether the route is under /v2, where requests are counted.
func (rt Route) management() bool { return rt.Path == "/v2" || strings.HasPrefix(rt.Path, "/v2/") }

func (rt Route) success() int {
	if rt.Status == 0 {
		return http.StatusOK
	}
	return rt.Status
}

func (rt Route) pageSize() int {
	if rt.PageSize == 0 {
		return longPage
	}
	return rt.PageSize
}

func (rt Route) takesBody() bool { return rt.Body != nil || rt.Raw }

var pathParam = regexp.MustCompile(`\{([A-Za-z0-9_]+)(?:\.\.\.)?\}`)

// pathParams lists the names in braces in order.
func (rt Route) pathParams() []string {
	var names []string
	for _, m := range pathParam.FindAllStringSubmatch(rt.Path, -1) {
		names = append(names, m[1])
	}
	return names
}

// template is the path as OpenAPI writes it: {path...} is {path}, and {$} is nothing.
func (rt Route) template() string {
	return pathParam.ReplaceAllString(strings.TrimSuffix(rt.Path, "{$}"), "{$1}")
}
