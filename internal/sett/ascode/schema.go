package ascode

import "encoding/json"

// Schema returns the JSON Schema of files, which editors complete and check them with; id is its own address.
func Schema(id string) []byte {
	root := Root().schema()
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["$id"] = id
	root["title"] = "Configuration of sett as code"
	root["$defs"] = map[string]any{"reference": map[string]any{
		"type": "object", "description": "Where the value of a secret is: a variable, or a file, relative to this one.",
		"properties":    map[string]any{"env": map[string]any{"type": "string", "minLength": 1}, "file": map[string]any{"type": "string", "minLength": 1}},
		"minProperties": 1, "maxProperties": 1, "additionalProperties": false,
	}}
	text, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		panic("ascode: a schema of texts cannot be written as JSON: " + err.Error())
	}
	return append(text, '\n')
}

// schema returns what a thing of the kind may have.
func (k *Kind) schema() map[string]any {
	properties := map[string]any{}
	for _, f := range k.Fields {
		properties[f.Name] = f.schema()
	}
	for _, inside := range k.Kinds {
		one := inside.schema()
		if inside.Single {
			properties[inside.Name] = one
			continue
		}
		properties[inside.Name] = map[string]any{
			"type": []string{"object", "null"}, "description": inside.Doc, "propertyNames": map[string]any{"pattern": keyForm.String()}, "additionalProperties": one,
		}
	}
	schema := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if k.Doc != "" {
		schema["description"] = k.Doc
	}
	return schema
}

// schema returns what a value of the field may be. Numbers and words that YAML takes for something else are texts where a text is needed.
func (f Field) schema() map[string]any {
	scalar := map[string]any{"type": []string{"string", "number", "boolean"}}
	if len(f.Enum) > 0 {
		scalar = map[string]any{"type": "string", "enum": f.Enum}
	}
	var schema map[string]any
	switch f.Type {
	case text:
		schema = scalar
		if f.Secret {
			schema = map[string]any{"anyOf": []any{scalar, map[string]any{"$ref": "#/$defs/reference"}}}
		}
	case number:
		schema = map[string]any{"type": "integer"}
		if len(f.Enum) > 0 {
			schema["enum"] = numbersOf(f.Enum)
		}
	case flag:
		schema = map[string]any{"type": "boolean"}
	case texts, keys:
		schema = map[string]any{"type": "array", "items": scalar}
	case list:
		schema = map[string]any{"type": "array", "items": map[string]any{"type": "object"}}
	case object:
		schema = map[string]any{"type": "object"}
	}
	schema["description"] = f.Doc
	if f.Example != "" {
		schema["examples"] = []any{f.Example}
	}
	switch d := f.Default.(type) {
	case bool, float64, string:
		schema["default"] = d
	}
	return schema
}

// numbersOf returns the numbers of an enumeration.
func numbersOf(words []string) (numbers []json.Number) {
	for _, w := range words {
		numbers = append(numbers, json.Number(w))
	}
	return numbers
}
