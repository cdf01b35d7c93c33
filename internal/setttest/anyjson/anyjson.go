// Package anyjson is for tests only: kin-openapi, with which tests compare answers and document, does not read everything that OpenAPI
// allows. The package turns a document into one that means the same, in words that kin-openapi reads. It never changes what the document
// means, and the product never imports it.
package anyjson

import "encoding/json"

// SpellOut lists all types where a schema takes any value: kin-openapi 0.152 refuses null where {} stands beside
// references.
func SpellOut(document []byte) ([]byte, error) {
	var v any
	if err := json.Unmarshal(document, &v); err != nil {
		return nil, err
	}
	spellOut(v)
	return json.Marshal(v)
}

func spellOut(v any) {
	switch v := v.(type) {
	case []any:
		for _, inner := range v {
			spellOut(inner)
		}
	case map[string]any:
		for _, name := range []string{"items", "additionalProperties", "schema"} {
			takesAny(v[name])
		}
		properties, _ := v["properties"].(map[string]any)
		for _, schema := range properties {
			takesAny(schema)
		}
		for _, inner := range v {
			spellOut(inner)
		}
	}
}

// takesAny lists the types of a schema that says nothing but what it is for.
func takesAny(v any) {
	schema, ok := v.(map[string]any)
	_, described := schema["description"]
	if ok && (len(schema) == 0 || described && len(schema) == 1) {
		schema["type"] = []string{"null", "boolean", "object", "array", "number", "string"}
	}
}
