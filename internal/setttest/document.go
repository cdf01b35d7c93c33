package setttest

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"sett/internal/setttest/anyjson"
)

// document is the OpenAPI document of the servers of this process; all of them have the same.
type document struct {
	once   sync.Once
	router routers.Router
	err    error
}

var documented document

// documentOf returns the document that the server at base publishes.
func documentOf(t testing.TB, base string) *document {
	t.Helper()
	documented.once.Do(func() { documented.err = documented.load(base) })
	if documented.err != nil {
		t.Fatalf("OpenAPI document: %v", documented.err)
	}
	return &documented
}

func (d *document) load(base string) error {
	answer, err := http.Get(base + "/openapi.json")
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	if text, err = anyjson.SpellOut(text); err != nil {
		return err
	}
	loader := openapi3.NewLoader()
	doc, err := loader.LoadFromData(text)
	if err != nil {
		return err
	}
	if err := doc.Validate(loader.Context); err != nil {
		return err
	}
	doc.Servers = nil // every test server has another address
	d.router, err = gorillamux.NewRouter(doc)
	return err
}

// check holds an answer against the document. A path or method that the document lacks must have been answered with
// 404 or 405; no operation has an answer for a wrong method.
func (d *document) check(t testing.TB, r *http.Request, answer *http.Response, body []byte) {
	t.Helper()
	if answer.StatusCode == http.StatusMethodNotAllowed {
		return
	}
	asked := r.Clone(r.Context())
	asked.URL.Path = "/" + strings.Trim(strings.ReplaceAll(asked.URL.Path, "//", "/"), "/")
	route, params, err := d.router.FindRoute(asked)
	if err != nil {
		if answer.StatusCode != http.StatusNotFound && answer.StatusCode != http.StatusMethodNotAllowed {
			t.Errorf("%s %s is not in the OpenAPI document, but was answered with %d", r.Method, r.URL.Path, answer.StatusCode)
		}
		return
	}
	err = openapi3filter.ValidateResponse(r.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: asked, PathParams: params, Route: route},
		Status:                 answer.StatusCode,
		Header:                 answer.Header,
		Body:                   io.NopCloser(bytes.NewReader(body)),
		Options:                &openapi3filter.Options{IncludeResponseStatus: true},
	})
	if err != nil {
		t.Errorf("%s %s: the answer is not as the OpenAPI document says: %v\n%d %s", r.Method, r.URL.Path, err, answer.StatusCode, body)
	}
}
