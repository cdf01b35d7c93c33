package serve

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
)

// Info is what the documentation says beside the routes.
type Info struct {
	Title       string
	Version     string
	Description string
	Server      string               // base address without trailing slash; "" leaves it to the reader
	Docs        string               // path of the documentation for people, such as "/docs/api"
	Document    string               // path of the OpenAPI document in links, such as "/openapi.json"; "" when nowhere
	Webhooks    string               // path of WebhooksHandler in links, such as "/docs/webhooks"; "" when nowhere
	Params      map[string]PathParam // by name; one that is missing here is a string without explanation
}

// PathParam describes a parameter of paths, the same wherever its name occurs.
type PathParam struct {
	Type string   // "integer", or "string", which "" stands for
	Doc  string   // one sentence
	Enum []string // the only values; nil for any
}

// OpenAPI returns the OpenAPI 3.1 document of a route table as indented JSON, the same bytes for the same table. It is
// made from the routes' Go values alone, so it fails when one does not show its JSON form or when names collide.
func OpenAPI(info Info, routes []Route) ([]byte, error) {
	d := &document{info: info, schemas: newSchemas(), tags: []object{}, paths: object{}, names: map[string]bool{}}
	for _, rt := range routes {
		d.add(rt)
	}
	components := d.components()
	d.schemas.checkNames()
	d.schemas.checkTypes(d.paths)
	d.schemas.checkTypes(components)
	if d.schemas.err != nil {
		return nil, fmt.Errorf("describe routes: %w", d.schemas.err)
	}
	doc := object{
		"openapi":    "3.1.0",
		"info":       object{"title": info.Title, "version": info.Version, "description": info.Description},
		"tags":       d.tags,
		"paths":      d.paths,
		"components": components,
	}
	if info.Server != "" {
		doc["servers"] = []object{{"url": info.Server}}
	}
	data, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode OpenAPI document: %w", err)
	}
	return data, nil
}

type document struct {
	info    Info
	schemas *schemas
	tags    []object // in the order of their first route
	paths   object   // path → method → operation
	names   map[string]bool
}

func (d *document) add(rt Route) {
	if rt.Name == "" || d.names[rt.Name] {
		d.schemas.fail("%s needs a Name of its own, not %q", rt.pattern(), rt.Name)
	}
	d.names[rt.Name] = true
	if named := func(tag object) bool { return tag["name"] == rt.Tag }; rt.Tag != "" && !slices.ContainsFunc(d.tags, named) {
		d.tags = append(d.tags, object{"name": rt.Tag})
	}
	item, ok := d.paths[rt.template()].(object)
	if !ok {
		item = object{}
		d.paths[rt.template()] = item
	}
	item[strings.ToLower(rt.Method)] = d.operation(rt)
}

func (d *document) operation(rt Route) object {
	op := object{
		"operationId":  rt.Name,
		"summary":      rt.Doc,
		"security":     securityOf(rt.Permission),
		"x-permission": string(rt.Permission),
		"responses":    d.responses(rt),
	}
	if rt.Tag != "" {
		op["tags"] = []string{rt.Tag}
	}
	if params := d.params(rt); len(params) > 0 {
		op["parameters"] = params
	}
	if rt.Body != nil {
		op["requestBody"] = d.requestBody(rt)
	}
	return op
}

func (d *document) params(rt Route) []object {
	var params []object
	for _, name := range rt.pathParams() {
		p := d.info.Params[name]
		schema := annotated(p.schema(), remarks{Enum: p.Enum})
		params = append(params, withDoc(object{"name": name, "in": "path", "required": true, "schema": schema}, p.Doc))
	}
	for _, f := range routeQuery(rt) {
		t := f.Type
		if isOptional(t) {
			t = optionalElem(t)
		}
		schema := annotated(d.schemas.of(t), remarks{Enum: f.Enum, Span: f.Span, Default: f.Default})
		p := withDoc(object{"name": f.Name, "in": "query", "schema": schema}, f.Doc)
		if f.Enum != nil {
			p["allowEmptyValue"] = true // as if it were not there
		}
		params = append(params, p)
	}
	return params
}

func (p PathParam) typeName() string {
	if p.Type == "" {
		return "string"
	}
	return p.Type
}

func (p PathParam) schema() object {
	if p.Type == "integer" {
		return object{"type": p.Type, "format": "int64"}
	}
	return object{"type": p.typeName()}
}

func withDoc(o object, doc string) object {
	if doc != "" {
		o["description"] = doc
	}
	return o
}

// routeQuery lists the query parameters of a route: those of its Query, and for a list those of PageOf that Query does
// not describe itself.
func routeQuery(rt Route) []queryField {
	var fields []queryField
	if rt.Query != nil {
		fields = queryFields(reflect.TypeOf(rt.Query))
	}
	if _, list := rt.Result.(paged); !list {
		return fields
	}
	for _, f := range queryFields(reflect.TypeFor[pageQuery]()) {
		if f.Name == "limit" {
			f.remarks = limitOf(rt.pageSize())
		}
		if !slices.ContainsFunc(fields, func(own queryField) bool { return own.Name == f.Name }) {
			fields = append(fields, f)
		}
	}
	return fields
}

func (d *document) requestBody(rt Route) object {
	body := object{"required": true, "content": jsonContent(d.schemas.of(reflect.TypeOf(rt.Body)))}
	if rt.Raw { // said where generators do not look: they make unusable clients of a body of any type
		body["x-other-media-types"] = true
	}
	return body
}

func (d *document) responses(rt Route) object {
	responses := object{}
	for _, code := range codesOf(rt) {
		name := errorName(Status(code), rt.reporting())
		responses[strconv.Itoa(Status(code))] = object{"$ref": "#/components/responses/" + name}
	}
	for _, status := range append([]int{rt.success()}, rt.Also...) {
		responses[strconv.Itoa(status)] = d.answer(rt, status)
	}
	if rt.Moved != "" {
		headers := headersOf(rt)
		headers["Location"] = object{"description": "The URL to request instead, with the same query.", "schema": object{"type": "string", "format": "uri"}}
		responses["301"] = object{"description": rt.Moved, "headers": headers, "content": jsonContent(d.schemas.of(reflect.TypeFor[errorBody]()))}
	}
	return responses
}

func (d *document) answer(rt Route, status int) object {
	answer := object{"description": http.StatusText(status), "headers": headersOf(rt)}
	switch {
	case rt.Media != "":
		answer["content"] = object{rt.Media: object{"schema": object{"type": "string"}}}
	case rt.Result != nil:
		answer["content"] = jsonContent(d.schemas.of(reflect.TypeOf(rt.Result)))
	}
	return answer
}

func jsonContent(schema object) object { return object{"application/json": object{"schema": schema}} }

// codesOf lists the errors that a route can answer with. Its 405 cannot be listed: it belongs to no method.
func codesOf(rt Route) []sett.Code {
	codes := []sett.Code{sett.Unavailable, internal}
	if rt.management() || rt.reporting() {
		codes = append(codes, sett.NotFound, sett.Invalid, sett.TooMany)
	}
	if rt.takesBody() {
		codes = append(codes, sett.Malformed, sett.TooSlow, sett.TooLarge)
	}
	switch {
	case rt.Permission != accounts.Public:
		codes = append(codes, sett.Unauthenticated, sett.Forbidden)
	case rt.takesBody(): // with a signature, or the token of an agent
		codes = append(codes, sett.Unauthenticated)
	}
	if rt.Method != http.MethodGet && rt.Method != http.MethodHead {
		codes = append(codes, sett.Conflict)
	}
	return codes
}

// errorName is the name of the component of an error response, such as NotFound, or ReportNotFound under /v1, which has
// another body.
func errorName(status int, reporting bool) string {
	name := strings.ReplaceAll(http.StatusText(status), " ", "")
	if reporting {
		return "Report" + name
	}
	return name
}

func headersOf(rt Route) object {
	names := []string{"X-Request-Id"}
	if rt.management() {
		names = append(names, rateLimitHeaders()...)
	}
	return headerRefs(names)
}

func securityOf(p accounts.Permission) []object {
	switch p {
	case accounts.Public:
		return []object{}
	case accounts.ReportWithKey:
		return []object{{"projectKey": []string{}}}
	case accounts.ReadFigures:
		return []object{{"bearer": []string{}}}
	default:
		return []object{{"token": []string{}}, {"bearer": []string{}}}
	}
}
