// Package behind asks the routes of /v2 from within, for interfaces that say the same in another form. In: a request of such an interface, the name of
// a route, and what stands in its path, query and body. Out: what its handler wrote, or its error. So each rule exists once, in the handler. The
// package knows no route itself, and never decides who may ask.
package behind

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"

	"sett/internal/serve"
)

// Answer runs the handler of a route for the principal of a request.
type Answer func(http.ResponseWriter, *http.Request, serve.Route, serve.Handler) error

// Routes are those of /v2 by their names.
type Routes map[string]serve.Route

// Named returns routes by their names.
func Named(routes []serve.Route) Routes {
	all := Routes{}
	for _, rt := range routes {
		all[rt.Name] = rt
	}
	return all
}

// Reply is what a handler wrote.
type Reply struct {
	Status int
	Header http.Header
	Body   []byte
}

// Ask has a route answered for a request: with what path returns for each name in the path of the route, and another query and body, which is none
// if it is nil.
func Ask(answer Answer, route serve.Route, r *http.Request, path func(name string) string, query url.Values, body any) (Reply, error) {
	r, err := request(route, r, path, query, body)
	if err != nil {
		return Reply{}, err
	}
	w := &recorder{header: http.Header{}}
	if err := answer(w, r, route, serve.Recover(route.Handle)); err != nil {
		return Reply{}, err
	}
	return Reply{max(w.status, http.StatusOK), w.header, w.body.Bytes()}, nil
}

// request writes a request anew as one of a route.
func request(route serve.Route, r *http.Request, path func(name string) string, query url.Values, body any) (*http.Request, error) {
	r = r.Clone(r.Context())
	r.Method, r.ContentLength, r.Body = route.Method, 0, http.NoBody
	address := route.Path
	for part := range strings.SplitSeq(route.Path, "/") {
		if name := strings.Trim(part, "{}"); name != part {
			value := path(name)
			r.SetPathValue(name, value)
			address = strings.Replace(address, part, url.PathEscape(value), 1)
		}
	}
	r.URL = &url.URL{Path: address, RawQuery: query.Encode()}
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(data)), int64(len(data))
		r.Header.Set("Content-Type", "application/json")
	}
	return r, nil
}

// recorder keeps what a handler writes.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *recorder) Header() http.Header { return w.header }

func (w *recorder) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

func (w *recorder) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(p)
}
