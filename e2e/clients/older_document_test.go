package clients

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// asOpenAPI30 says an OpenAPI 3.1 document in the words of 3.0, the version that generators of Go know well: null is
// one type of many in 3.1 and the word nullable in 3.0. A schema of several types takes anything in 3.0. Nothing
// else is changed, so that what is generated is the document's.
func asOpenAPI30(document []byte) ([]byte, error) {
	var d map[string]any
	if err := json.Unmarshal(document, &d); err != nil {
		return nil, err
	}
	d["openapi"] = "3.0.3"
	olderWords(d)
	return json.Marshal(d)
}

// olderWords changes every schema in v, in place.
func olderWords(v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			olderWords(e)
		}
	case map[string]any:
		olderTypes(v)
		olderReference(v)
		for _, e := range v {
			olderWords(e)
		}
	}
}

func olderTypes(schema map[string]any) {
	types, several := schema["type"].([]any)
	if !several {
		return
	}
	delete(schema, "type")
	others := slices.DeleteFunc(slices.Clone(types), func(t any) bool { return t == "null" })
	if len(others) != 1 {
		return
	}
	schema["type"] = others[0]
	schema["nullable"] = len(others) < len(types)
	if enum, ok := schema["enum"].([]any); ok {
		schema["enum"] = slices.DeleteFunc(enum, func(e any) bool { return e == nil })
	}
}

// olderReference changes "this component or null".
func olderReference(schema map[string]any) {
	either, ok := schema["anyOf"].([]any)
	if !ok {
		return
	}
	others := slices.DeleteFunc(slices.Clone(either), func(s any) bool { return cmp.Equal(s, map[string]any{"type": "null"}) })
	if len(others) == len(either) {
		return
	}
	delete(schema, "anyOf")
	schema["allOf"], schema["nullable"] = others, true
}

func TestAsOpenAPI30(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, want string }{
		"version":           {`{"openapi":"3.1.0","info":{"version":"3.1.0"}}`, `{"openapi":"3.0.3","info":{"version":"3.1.0"}}`},
		"one type":          {`{"a":{"type":"string","enum":["x"]}}`, `{"openapi":"3.0.3","a":{"type":"string","enum":["x"]}}`},
		"or null":           {`{"a":[{"type":["string","null"],"maxLength":3}]}`, `{"openapi":"3.0.3","a":[{"type":"string","nullable":true,"maxLength":3}]}`},
		"a list, and null":  {`{"a":{"type":["integer","null"],"enum":[1,null]}}`, `{"openapi":"3.0.3","a":{"type":"integer","nullable":true,"enum":[1]}}`},
		"two types":         {`{"a":{"type":["integer","string"],"description":"d"}}`, `{"openapi":"3.0.3","a":{"description":"d"}}`},
		"component or null": {`{"a":{"anyOf":[{"$ref":"b"},{"type":"null"}]}}`, `{"openapi":"3.0.3","a":{"allOf":[{"$ref":"b"}],"nullable":true}}`},
		"other choices":     {`{"a":{"anyOf":[{"required":["b"]},{"required":["c"]}]}}`, `{"openapi":"3.0.3","a":{"anyOf":[{"required":["b"]},{"required":["c"]}]}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := asOpenAPI30([]byte(c.in))
			if err != nil {
				t.Fatal(err)
			}
			var have, want any
			if err := json.Unmarshal(got, &have); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(c.want), &want); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, have); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
