package serve

import (
	"strings"
	"testing"

	"sett/internal/sett/accounts"
)

// Generators of Go clients make a function of every component, with New before its name.
func TestOpenAPIRefusesNamesThatCollideInGo(t *testing.T) {
	t.Parallel()
	type Thing struct{}
	type NewThing struct{}
	_, err := OpenAPI(Info{}, []Route{
		{Method: "GET", Path: "/a", Name: "a", Result: Thing{}}, {Method: "POST", Path: "/a", Name: "b", Body: NewThing{}, Result: Thing{}},
	})
	if err == nil || !strings.Contains(err.Error(), "NewThing cannot stand beside Thing") {
		t.Errorf("error %v", err)
	}
}

// No body has any media type, with which generated clients do nothing or break.
func TestOpenAPIHasNoBodyOfAnyType(t *testing.T) {
	t.Parallel()
	data, err := OpenAPI(Info{}, []Route{{Method: "POST", Path: "/v1/x", Name: "x", Raw: true, Body: struct {
		A any `json:"a"`
	}{}}})
	if err != nil || strings.Contains(string(data), `*/*`) || !strings.Contains(string(data), `"a": {}`) {
		t.Errorf("%v: %s", err, data)
	}
}

type sampleChoice int

func (sampleChoice) JSONSchema() map[string]any { return object{"type": []string{"string", "integer"}} }

// A route or type that has one of these is refused, wherever it stands.
func TestOpenAPIRefusesWhatGeneratorsCannotRead(t *testing.T) {
	t.Parallel()
	text, number, null := object{"type": "string"}, object{"type": "integer"}, object{"type": "null"}
	for _, tt := range []struct {
		schema object
		want   string // "" when it is taken
	}{
		{object{"type": []string{"string", "null"}}, ""},
		{object{"anyOf": []any{text, null}}, ""},
		{object{"type": []string{"string", "integer"}}, "types [string integer]"},
		{object{"type": []string{"string", "integer", "null"}}, "types [string integer null]"},
		{object{"type": "array", "items": object{"type": []string{"integer", "string"}}}, "types [integer string]"},
		{object{"anyOf": []any{text, number}}, "is anyOf"},
		{object{"anyOf": []any{text, number, null}}, "is anyOf"},
		{object{"oneOf": []any{text, number}}, "is oneOf"},
		{object{"properties": object{"a": object{"allOf": []any{text, object{"required": []string{"b"}}}}}}, "is allOf"},
	} {
		s := newSchemas()
		s.checkTypes(object{"get": object{"parameters": []object{{"schema": tt.schema}}}})
		if refused := s.err != nil; refused != (tt.want != "") || refused && !strings.Contains(s.err.Error(), tt.want) {
			t.Errorf("%v: got %v, want …%s…", tt.schema, s.err, tt.want)
		}
	}
	type query struct {
		Choice sampleChoice `query:"choice"`
	}
	type answer struct {
		Choice sampleChoice `json:"choice"`
	}
	for _, route := range []Route{
		{Method: "GET", Path: "/a", Name: "a", Permission: accounts.Public, Query: query{}},
		{Method: "GET", Path: "/a", Name: "a", Permission: accounts.Public, Result: answer{}},
	} {
		if _, err := OpenAPI(Info{Title: "T", Version: "1"}, []Route{route}); err == nil || !strings.Contains(err.Error(), "types [string integer]") {
			t.Errorf("%+v: got %v", route, err)
		}
	}
}
