package serve

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"sett/internal/sett/accounts"
)

// curlOf is a command line that calls the route; what the reader must fill in is a shell variable or "…".
func curlOf(info Info, rt Route) string {
	lines := []string{"curl" + curlAccess(rt.Permission) + curlMethod(rt.Method) + ` "` + curlAddress(info, rt) + `"`}
	if rt.Body != nil {
		body, err := json.MarshalIndent(exampleOf(reflect.TypeOf(rt.Body), remarks{}, nil), "", "  ")
		if err != nil {
			panic(fmt.Errorf("draw example of %s: %w", rt.Name, err)) // an enum of an integer names no integer
		}
		quoted := strings.ReplaceAll(string(body), "'", `'\''`)
		lines = append(lines, `-H "Content-Type: application/json"`, "-d '"+quoted+"'")
	}
	return strings.Join(lines, " \\\n  ")
}

func curlAccess(p accounts.Permission) string {
	switch p {
	case accounts.Public:
		return ""
	case accounts.ReportWithKey:
		return ` -H "X-API-Key: $KEY"`
	case accounts.ReadFigures:
		return ` -H "Authorization: Bearer $METRICS_TOKEN"`
	default:
		return ` -u "$TOKEN:"`
	}
}

func curlMethod(method string) string {
	switch method {
	case http.MethodGet:
		return ""
	case http.MethodHead:
		return " --head" // with -X it would wait for a body
	}
	return " -X " + method
}

func curlAddress(info Info, rt Route) string {
	server := info.Server
	if server == "" {
		server = "$ADDRESS"
	}
	path := rt.template()
	for _, name := range rt.pathParams() {
		path = strings.ReplaceAll(path, "{"+name+"}", "$"+strings.ToUpper(name))
	}
	return server + path
}

// exampleOf is a JSON value as a field of type t takes it. A type within itself is left empty.
func exampleOf(t reflect.Type, r remarks, within []reflect.Type) any {
	elem, path := element(t)
	value := exampleOfOne(elem, r, within)
	for range strings.Count(path, "[]") {
		value = []any{value}
	}
	return value
}

func exampleOfOne(t reflect.Type, r remarks, within []reflect.Type) any {
	own, enum := ownSchema(t), r.Enum
	switch {
	case r.Example != "":
		return r.Example
	case t == reflect.TypeFor[time.Time]():
		return "2026-01-31T12:00:00Z"
	case own != nil:
		return exampleOfType(typesOf(own))
	case t.Kind() == reflect.Struct && !slices.Contains(within, t):
		return exampleObject(t, append(slices.Clone(within), t))
	case enum != nil && jsonType(t) == "integer":
		return json.Number(enum[0])
	case enum != nil:
		return enum[0]
	default:
		return exampleOfType([]string{jsonType(t)})
	}
}

func exampleOfType(types []string) any {
	if len(types) != 1 {
		return object{}
	}
	switch types[0] {
	case "string":
		return "…"
	case "integer", "number":
		return 1
	case "boolean":
		return true
	case "array":
		return []any{}
	default:
		return object{}
	}
}

func exampleObject(t reflect.Type, within []reflect.Type) object {
	o := object{}
	for _, f := range fieldsOf(t) {
		if f.Instead == "" && f.With == "" {
			o[f.Name] = exampleOf(f.Type, f.remarks, within)
		}
	}
	return o
}
