package apiv3

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"net/http"
	"strings"
	"sync"

	"sett/internal/serve"
	"sett/internal/sett/accounts"
)

// documentRoute serves the table as an OpenAPI document, made when it is first asked for.
func (d *Door) documentRoute() serve.Route {
	made := sync.OnceValues(d.document)
	return serve.Route{
		Method: "GET", Path: "/v3/openapi.json", Name: "v3.openapi", Tag: "v3", Permission: accounts.Public, Doc: "This API as an OpenAPI 3.1 document.",
		Handle: func(w http.ResponseWriter, r *http.Request) error {
			text, err := made()
			if err != nil {
				return err
			}
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("ETag", fmt.Sprintf(`W/"%x"`, crc32.ChecksumIEEE(text)))
			w.Header().Set("Access-Control-Allow-Origin", "*")
			w.Header().Set("Cache-Control", "no-cache")
			serve.ServePacked(w, r, text, serve.Gzip(text))
			return nil
		},
	}
}

type object = map[string]any

// document describes the operations as serve.OpenAPI describes routes, with the errors and credentials of /v3.
func (d *Door) document() ([]byte, error) {
	var routes []serve.Route
	named := map[string]operation{}
	for _, op := range d.operations {
		if d.missing(op) == "" && op.Not == "" {
			routes = append(routes, d.described(op))
			named[op.Name] = op
		}
	}
	text, err := serve.OpenAPI(serve.Info{
		Title: "sett v3", Version: d.Version, Server: d.BaseURL,
		Description: "The API below /v3. Send a token in the header Authorization: Bearer; x-scope is what an operation needs.",
	}, routes)
	if err != nil {
		return nil, err
	}
	var doc object
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	components, _ := doc["components"].(object)
	components["securitySchemes"] = object{"bearer": object{"type": "http", "scheme": "bearer"}}
	responses := object{}
	for name, answer := range components["responses"].(object) { //nolint:forcetypeassert // made by serve
		if !strings.HasPrefix(name, "Report") {
			responses[name] = object{"description": answer.(object)["description"], "content": object{"application/json": object{"schema": failureSchema()}}} //nolint:forcetypeassert // as above
		}
	}
	components["responses"] = responses
	for _, item := range doc["paths"].(object) { //nolint:forcetypeassert // as above
		for _, described := range item.(object) { //nolint:forcetypeassert // as above
			described := described.(object)                //nolint:forcetypeassert // as above
			op := named[described["operationId"].(string)] //nolint:forcetypeassert // as above
			described["security"] = []object{{"bearer": []string{}}}
			described["x-scope"] = op.Scope
			delete(described, "x-permission")
			if taken := d.takes(op); len(taken) > 0 {
				described["requestBody"] = bodySchema(taken)
			}
		}
	}
	return json.MarshalIndent(doc, "", " ")
}

// described is an operation as a route for the document.
func (d *Door) described(op operation) serve.Route {
	rt := serve.Route{
		Method: op.Method, Path: "/v3" + op.Path, Name: op.Name, Tag: tagOf(op.Path), Permission: accounts.SignedIn, Status: op.status(),
		Doc: strings.TrimSpace(d.behind[op.Route].Doc + " " + op.Differs),
	}
	switch {
	case op.List == pages:
		rt.Query, rt.Result = pageQuery{}, op.View.list
	case op.List == cursors || op.List == reversed:
		rt.Query, rt.Result = timeQuery{}, op.View.list
	case op.List == whole:
		rt.Result = op.View.list
	case op.Method == http.MethodDelete && op.Read == "":
	default:
		rt.Result = op.View.one
	}
	return rt
}

func tagOf(path string) string {
	parts := strings.Split(path, "/")
	if len(parts) > 3 && parts[1] == "projects" && parts[2] == "{project_id}" {
		return parts[3]
	}
	return parts[1]
}

// takes lists the members of a body of an operation.
func (d *Door) takes(op operation) []string {
	c := &call{door: d, op: op}
	if op.reads() && op.Method == http.MethodGet || op.Method == http.MethodDelete {
		return nil
	}
	return c.taken()
}

func bodySchema(names []string) object {
	properties := object{}
	for _, name := range names {
		properties[name] = object{}
	}
	schema := object{"type": "object", "properties": properties, "additionalProperties": false}
	return object{"content": object{"application/json": object{"schema": schema}}}
}

func failureSchema() object {
	text := object{"type": "string"}
	return object{"type": "object", "properties": object{
		"error": object{"type": "object", "properties": object{"code": text, "message": text, "details": object{}}, "required": []string{"code", "message"}},
		"meta":  object{"type": "object", "properties": object{"request_id": text}},
	}}
}

// pageQuery and timeQuery document the parameters of lists.
type pageQuery struct {
	Page    int `query:"page" doc:"From 1."`
	PerPage int `query:"per_page" doc:"1 to 100; 25 by default."`
}

type timeQuery struct {
	Limit  int    `query:"limit" doc:"1 to 100; 25 by default."`
	Before string `query:"before" doc:"The oldest_cursor of a page: what is older."`
	After  string `query:"after" doc:"The newest_cursor of a page: what is newer."`
}
