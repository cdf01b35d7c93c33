package serve

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/google/go-cmp/cmp"

	"sett/internal/sett/accounts"
	"sett/internal/setttest/anyjson"
)

// load returns the sample document as bytes and as a library that is not ours reads it.
func load(t *testing.T) ([]byte, *openapi3.T) {
	t.Helper()
	data, err := OpenAPI(sampleInfo(), sampleRoutes())
	if err != nil {
		t.Fatal(err)
	}
	spelt, err := anyjson.SpellOut(data)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(spelt)
	if err != nil {
		t.Fatal(err)
	}
	return data, doc
}

func TestOpenAPIIsValid(t *testing.T) {
	t.Parallel()
	_, doc := load(t)
	if err := doc.Validate(t.Context()); err != nil {
		t.Error(err)
	}
	if !doc.IsOpenAPI31OrLater() {
		t.Errorf("version %s", doc.OpenAPI)
	}
}

// The judge must be able to say no, or its yes is worth nothing.
func TestOpenAPIJudgeIsAwake(t *testing.T) {
	t.Parallel()
	data, _ := load(t)
	for _, tt := range [][2]string{
		{`"#/components/schemas/SampleFault"`, `"#/components/schemas/Nothing"`},
		{`"type": "boolean"`, `"type": "bool"`},
		{`"in": "path"`, `"in": "route"`},
		{`"name": "project_id"`, `"name": "project"`},
	} {
		broken := bytes.ReplaceAll(data, []byte(tt[0]), []byte(tt[1]))
		doc, err := openapi3.NewLoader().LoadFromData(broken)
		if err == nil {
			err = doc.Validate(t.Context())
		}
		if bytes.Equal(broken, data) || err == nil {
			t.Errorf("%s for %s was not noticed", tt[1], tt[0])
		}
	}
}

func TestOpenAPIIsDeterministic(t *testing.T) {
	t.Parallel()
	one, _ := load(t)
	two, _ := load(t)
	if diff := cmp.Diff(string(one), string(two)); diff != "" {
		t.Error(diff)
	}
}

func TestOpenAPIOperations(t *testing.T) {
	t.Parallel()
	_, doc := load(t)
	if got, want := len(doc.Paths.Map()), 8; got != want {
		t.Errorf("%d paths, want %d", got, want)
	}
	type summary struct {
		ID, Tag, Statuses, Params string
		Security                  []string
		Body                      []string
	}
	for key, want := range map[string]summary{
		"GET /v2/projects/{project_id}/faults": {
			ID: "listFaults", Tag: "Faults", Statuses: "200 401 403 404 422 429 500 503",
			Params:   "project_id:integer* q:string order:string created_after:integer environment:string deep:boolean day:string depth:integer page:integer limit:integer cursor:string",
			Security: []string{"token", "bearer"},
		},
		"PUT /v2/projects/{project_id}/faults/{fault_id}": {
			ID: "changeFault", Tag: "Faults", Statuses: "204 400 401 403 404 408 409 413 422 429 500 503",
			Params: "project_id:integer* fault_id:integer*", Security: []string{"token", "bearer"}, Body: []string{"application/json"},
		},
		"GET /v2/projects/{project_id}/reports/{report}": {
			ID: "showReport", Tag: "Project reports", Statuses: "200 301 401 403 404 422 429 500 503",
			Params: "project_id:integer* report:string*", Security: []string{"token", "bearer"},
		},
		"POST /v1/notices": {
			ID: "reportNotice", Tag: "Reporting", Statuses: "201 400 401 403 404 408 409 413 422 429 500 503",
			Security: []string{"projectKey"},
		},
		"GET /boom": {ID: "boom", Tag: "Other", Statuses: "200 500 503"},
	} {
		method, path, _ := strings.Cut(key, " ")
		op := doc.Paths.Value(path).GetOperation(method)
		got := summary{ID: op.OperationID, Tag: strings.Join(op.Tags, " ")}
		got.Statuses = strings.Join(slices.Sorted(maps.Keys(op.Responses.Map())), " ")
		var params []string
		for _, p := range op.Parameters {
			text := p.Value.Name + ":" + strings.Join(p.Value.Schema.Value.Type.Slice(), "|")
			if p.Value.Required {
				text += "*"
			}
			params = append(params, text)
		}
		got.Params = strings.Join(params, " ")
		for _, way := range *op.Security {
			got.Security = append(got.Security, slices.Collect(maps.Keys(way))...)
		}
		if op.RequestBody != nil {
			got.Body = slices.Collect(maps.Keys(op.RequestBody.Value.Content))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", key, diff)
		}
	}
}

func TestOpenAPIDetails(t *testing.T) {
	t.Parallel()
	data, _ := load(t)
	var doc map[string]any
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"openapi": `"3.1.0"`,
		"tags":    `[{"name":"Faults"},{"name":"Project reports"},{"name":"Reporting"},{"name":"Other"}]`,
		"paths|/v2/projects/{project_id}/faults|get|parameters|2|schema":                                                    `{"enum":["recent","frequent"],"type":"string"}`,
		"paths|/v2/projects/{project_id}/faults|get|x-permission":                                                           `"read_project"`,
		"paths|/v2/projects/{project_id}/reports/{report}|get|parameters|1|schema|enum":                                     `["notices_by_class","notices_per_day"]`,
		"paths|/v2/projects/{project_id}/faults|get|responses|404":                                                          `{"$ref":"#/components/responses/NotFound"}`,
		"paths|/v1/notices|post|responses|404":                                                                              `{"$ref":"#/components/responses/ReportNotFound"}`,
		"paths|/v1/notices|post|responses|201|headers":                                                                      `{"X-Request-Id":{"$ref":"#/components/headers/X-Request-Id"}}`,
		"paths|/boom|get|security":                                                                                          `[]`,
		"components|responses|MethodNotAllowed|headers|Allow":                                                               `{"$ref":"#/components/headers/Allow"}`,
		"components|responses|Unauthorized|headers|WWW-Authenticate":                                                        `{"$ref":"#/components/headers/WWW-Authenticate"}`,
		"components|responses|TooManyRequests|headers|Retry-After":                                                          `{"$ref":"#/components/headers/Retry-After"}`,
		"components|responses|Forbidden|headers|X-RateLimit-Reset":                                                          `{"$ref":"#/components/headers/X-RateLimit-Reset"}`,
		"components|responses|ReportForbidden|content|application/json|schema":                                              `{"$ref":"#/components/schemas/ReportErrorBody"}`,
		"components|schemas|ErrorBody|required":                                                                             `["errors"]`,
		"components|schemas|SampleFaultList|properties|links|$ref":                                                          `"#/components/schemas/Links"`,
		"components|schemas|SampleFaultList|required":                                                                       `["links","results"]`,
		"components|schemas|Links|required":                                                                                 `["self"]`,
		"components|schemas|SampleChange|properties|fault|properties|state|enum":                                            `["open","done",null]`,
		"components|schemas|SampleChange|properties|fault|properties|frequency":                                             `{"enum":[1,5,15],"format":"int64","type":"integer"}`,
		"components|schemas|SampleChange|properties|fault|properties|resolved":                                              `{"description":"Marks it as fixed.","type":["boolean","null"]}`,
		"components|schemas|SampleChange|properties|fault|properties|title":                                                 `{"maxLength":255,"minLength":1,"type":"string"}`,
		"components|schemas|SampleChange|properties|fault|properties|note":                                                  `{"maxLength":80,"type":["string","null"]}`,
		"components|schemas|SampleChange|properties|fault|properties|days":                                                  `{"format":"int64","maximum":3650,"minimum":1,"type":"integer"}`,
		"components|schemas|SampleChange|properties|fault|required":                                                         `["days","title"]`,
		"components|schemas|SampleChange|properties|fault|anyOf":                                                            `null`,
		"components|schemas|SampleChange|properties|fault|if":                                                               `{"not":{"required":["note"]}}`,
		"components|schemas|SampleChange|properties|fault|then":                                                             `{"required":["remark"]}`,
		"paths|/v2/projects/{project_id}/faults|get|parameters|8|schema":                                                    `{"format":"int64","minimum":1,"type":"integer"}`,
		"paths|/v2/projects/{project_id}/faults|get|parameters|2|allowEmptyValue":                                           `true`,
		"paths|/v2/projects/{project_id}/faults|get|parameters|9|schema":                                                    `{"format":"int64","maximum":25,"minimum":1,"type":"integer"}`,
		"paths|/health|get|responses|503|content|application/json|schema|type":                                              `"object"`,
		"paths|/health|get|responses|200|headers":                                                                           `{"X-Request-Id":{"$ref":"#/components/headers/X-Request-Id"}}`,
		"paths|/figures|get|responses|200|content":                                                                          `{"text/plain":{"schema":{"type":"string"}}}`,
		"components|securitySchemes|projectKey|name":                                                                        `"X-API-Key"`,
		"paths|/v2/projects/occurrences|get|responses|200|headers|X-RateLimit-Limit":                                        `{"$ref":"#/components/headers/X-RateLimit-Limit"}`,
		"paths|/v2/projects/{project_id}/faults/{fault_id}|put|requestBody|required":                                        `true`,
		"paths|/v2/projects/{project_id}/faults/{fault_id}|put|responses|204|description":                                   `"No Content"`,
		"paths|/v2/projects/{project_id}/faults/{fault_id}|get|parameters|0|schema":                                         `{"format":"int64","type":"integer"}`,
		"paths|/v2/projects/{project_id}/faults/{fault_id}|get|parameters|0|description":                                    `"Number of the project."`,
		"paths|/v1/notices|post|responses|201|content|application/json|schema|properties|id":                                `{"type":"string"}`,
		"paths|/v2/projects/occurrences|get|responses|200|content|application/json|schema|type":                             `"object"`,
		"paths|/v2/projects/{project_id}/reports/{report}|get|responses|200|content|application/json|schema|items|maxItems": `2`,
	} {
		got, err := json.Marshal(at(doc, strings.Split(path, "|")))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
	}
	for _, status := range []string{"204", "404"} {
		if op := at(doc, []string{"paths", "/v2/projects/{project_id}/faults/{fault_id}", "put", "responses", status, "content"}); op != nil {
			t.Errorf("a changed fault is answered with %v", op)
		}
	}
}

// at follows keys into objects and one-digit positions into arrays.
func at(v any, path []string) any {
	for _, key := range path {
		switch in := v.(type) {
		case map[string]any:
			v = in[key]
		case []any:
			v = in[key[0]-'0']
		default:
			return nil
		}
	}
	return v
}

func TestOpenAPIRefuses(t *testing.T) {
	t.Parallel()
	route := Route{Method: "GET", Path: "/a", Name: "a", Permission: accounts.Public}
	nameless, twin, opaque := route, route, route
	nameless.Name, twin.Path, opaque.Result = "", "/b", ownJSON{}
	for _, tt := range []struct {
		routes []Route
		want   string
	}{
		{[]Route{nameless}, `GET /a needs a Name of its own, not ""`},
		{[]Route{route, twin}, `GET /b needs a Name of its own, not "a"`},
		{[]Route{opaque}, "writes its own JSON"},
	} {
		_, err := OpenAPI(Info{Title: "T", Version: "1"}, tt.routes)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("got %v, want …%s…", err, tt.want)
		}
	}
	data, err := OpenAPI(Info{Title: "T", Version: "1", Server: "https://sett.test"}, nil)
	if err != nil || !strings.Contains(string(data), `"url": "https://sett.test"`) {
		t.Errorf("no routes: %s, %v", data, err)
	}
}

// HEAD changes nothing that others may have changed, and curl knows by --head alone that no body comes.
func TestHeadIsDocumented(t *testing.T) {
	t.Parallel()
	head := Route{Method: "HEAD", Path: "/v1/a", Name: "a", Permission: accounts.Public}
	data, err := OpenAPI(Info{Title: "T", Version: "1"}, []Route{head})
	if err != nil || !strings.Contains(string(data), `"head": {`) || strings.Contains(string(data), `"409"`) {
		t.Errorf("%s, %v", data, err)
	}
	if got, want := curlOf(Info{}, head), `curl --head "$ADDRESS/v1/a"`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// What the mux answers is what the document promises, judged by kin-openapi with JSON Schema 2020-12.
func TestAnswersAgreeWithOpenAPI(t *testing.T) {
	t.Parallel()
	_, doc := load(t)
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		t.Fatal(err)
	}
	h := NewMux(sampleRoutes(), MuxOptions{})
	for _, tt := range []struct {
		method, target, body string
		status               int
	}{
		{"GET", "/v2/projects/1/faults?limit=5", "", 200},
		{"GET", "/v2/projects/1/faults?page=0", "", 422},
		{"GET", "/v2/projects/1/faults/5", "", 200},
		{"GET", "/v2/projects/1/faults/404", "", 404},
		{"PUT", "/v2/projects/1/faults/5", `{"fault":{"resolved":null,"state":"done"}}`, 204},
		{"PUT", "/v2/projects/1/faults/5", `{"fault":`, 400},
		{"PUT", "/v2/projects/1/faults/5", `[]`, 422},
		{"GET", "/v2/projects/1/reports/notices_by_class", "", 200},
		{"GET", "/v2/projects/occurrences", "", 200},
		{"POST", "/v1/notices", `{"error":{}}`, 201},
		{"GET", "/health", "", 503},
		{"GET", "/figures", "", 200},
		{"GET", "/boom", "", 500},
	} {
		w := do(t, h, tt.method, tt.target, tt.body)
		if w.Code != tt.status {
			t.Errorf("%s %s: %d, want %d", tt.method, tt.target, w.Code, tt.status)
		}
		if err := judge(t, router, tt.method, tt.target, w.Code, w.Header(), w.Body.Bytes()); err != nil {
			t.Errorf("%s %s: %v", tt.method, tt.target, err)
		}
	}
	for body, status := range map[string]int{`[["a",1]]`: 200, `{"results":[]}`: 200, `{"errors":["a"]}`: 500, `{}`: 418} {
		header := http.Header{"Content-Type": {"application/json"}}
		if err := judge(t, router, "GET", "/v2/projects/1/reports/notices_by_class", status, header, []byte(body)); err == nil {
			t.Errorf("%d %s was taken for a report", status, body)
		}
	}
}

func judge(t *testing.T, router routers.Router, method, target string, status int, h http.Header, body []byte) error {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, target, nil)
	route, params, err := router.FindRoute(r)
	if err != nil {
		t.Fatalf("%s %s: %v", method, target, err)
	}
	return openapi3filter.ValidateResponse(t.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: r, PathParams: params, Route: route},
		Status:                 status, Header: h, Body: io.NopCloser(bytes.NewReader(body)),
		Options: &openapi3filter.Options{IncludeResponseStatus: true},
	})
}
