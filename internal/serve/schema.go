package serve

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"
)

// JSONSchemaer is implemented by types that describe their own JSON form, in the words of JSON Schema 2020-12, because
// their Go form does not show it: a pair of a time and a count, or a string with a fixed list of values.
type JSONSchemaer interface{ JSONSchema() map[string]any }

type object = map[string]any

// schemas makes JSON Schemas of Go types. A named struct becomes a component that is referred to by its name without
// the package, List[Fault] as FaultList. The first problem is kept in err.
type schemas struct {
	components object
	place      string                  // of the components, as references name it
	types      map[string]reflect.Type // component → the type that it describes
	err        error
}

func newSchemas() *schemas {
	return &schemas{components: object{}, place: "#/components/schemas/", types: map[string]reflect.Type{}}
}

// of returns the schema of the JSON that encoding/json writes for t and reads into it.
func (s *schemas) of(t reflect.Type) object {
	switch {
	case t.Kind() == reflect.Pointer:
		return nullable(s.of(t.Elem()))
	case isOptional(t):
		return nullable(s.of(optionalElem(t)))
	}
	if own := ownSchema(t); own != nil {
		return own
	}
	if _, custom := reflect.New(t).Interface().(json.Marshaler); custom {
		s.fail("%v writes its own JSON: give it a method JSONSchema that describes it", t)
	}
	return s.ofKind(t)
}

// ownSchema is what is known of t without looking inside, or nil.
func ownSchema(t reflect.Type) object {
	switch v := reflect.New(t).Interface().(type) {
	case JSONSchemaer:
		return v.JSONSchema()
	case *time.Time:
		return object{"type": "string", "format": "date-time"}
	case *json.RawMessage:
		return anyJSON()
	case *[]byte:
		return object{"type": "string", "contentEncoding": "base64"}
	case json.Marshaler:
		return nil
	case encoding.TextMarshaler:
		return object{"type": "string"}
	}
	return nil
}

// anyJSON takes every JSON value. Generators make of it the type that their language has for that; of a list of all six
// types many make nothing that works.
func anyJSON() object { return object{} }

func (s *schemas) ofKind(t reflect.Type) object {
	switch t.Kind() {
	case reflect.Interface:
		return anyJSON()
	case reflect.Slice, reflect.Array:
		return object{"type": "array", "items": s.of(t.Elem())}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": s.of(t.Elem())}
	case reflect.Struct:
		return s.ofStruct(t)
	}
	word := jsonType(t)
	if word == "" {
		s.fail("%v has no JSON form", t)
	}
	schema := object{"type": word}
	if kind := t.Kind(); kind == reflect.Int || kind == reflect.Int64 {
		schema["format"] = "int64" // without it, generators of Go and Java take 32 bits
	}
	return schema
}

func (s *schemas) ofStruct(t reflect.Type) object {
	return s.component(componentName(t), t, nil)
}

// component describes a struct under a name, and returns a reference to it. Without a name it returns the description.
func (s *schemas) component(name string, t reflect.Type, needs []string) object {
	if name == "" {
		return s.properties(t, needs)
	}
	if known, ok := s.types[name]; !ok {
		s.types[name] = t // before its fields are read, as they may refer back to it
		s.components[name] = s.properties(t, needs)
	} else if known != t || needs != nil {
		s.fail("two types share the name %s in the documentation: %v and %v", name, known, t)
	}
	return object{"$ref": s.place + name}
}

// stricter describes the struct in a field with a tag needs of the struct outer. Its name is that of outer without
// "Body": of createProjectBody, CreateProject. An allOf of the struct and what it needs says the same, but many
// generators lose it.
func (s *schemas) stricter(outer reflect.Type, f field) object {
	inner, name := f.Type, ""
	if isOptional(inner) {
		inner = optionalElem(inner)
	}
	if own := componentName(inner); own != "" {
		name = strings.TrimSuffix(componentName(outer), "Body")
		if name == own {
			s.fail("the component %s is %v already: tag what it needs as required", name, inner)
		}
	}
	return s.component(name, inner, f.Needs)
}

// properties describes the members of a struct; those in needs must be there, and not be null.
func (s *schemas) properties(t reflect.Type, needs []string) object {
	properties := object{}
	schema := object{"type": "object", "properties": properties}
	var required []string
	for _, f := range fieldsOf(t) {
		if slices.Contains(needs, f.Name) {
			f.require()
		}
		if f.Needs != nil {
			properties[f.Name] = annotated(s.stricter(t, f), f.remarks)
		} else {
			properties[f.Name] = s.ofField(f)
		}
		if f.Required {
			required = append(required, f.Name)
		}
	}
	alternatives(schema, fieldsOf(t))
	if len(required) > 0 {
		slices.Sort(required)
		schema["required"] = slices.Compact(required)
	}
	return schema
}

// alternatives describes members of which one must be there, some of them with another one. An anyOf says the same, but of one beside
// properties typescript-fetch makes a type that does not compile.
func alternatives(schema object, fields []field) {
	for _, f := range slices.Backward(fields) {
		if f.Instead == "" {
			continue
		}
		together := []string{f.Name}
		for _, w := range fields {
			if w.With == f.Name {
				together = append(together, w.Name)
			}
		}
		then := object{"required": together}
		if next, more := schema["then"]; more {
			then = object{"if": object{"not": then}, "then": next}
		}
		schema["if"], schema["then"] = object{"not": object{"required": []string{f.Instead}}}, then
	}
}

func (s *schemas) ofField(f field) object {
	schema := s.of(f.Type)
	if f.AsText {
		schema = object{"type": "string"}
		if f.Type.Kind() == reflect.Pointer {
			schema = nullable(schema)
		}
	}
	return annotated(schema, f.remarks)
}

// typesOf lists the types that a schema names itself; none when it is a reference or takes anything.
func typesOf(schema object) []string {
	switch t := schema["type"].(type) {
	case string:
		return []string{t}
	case []string:
		return t
	default:
		return nil
	}
}

// nullable returns a schema that takes null as well.
func nullable(schema object) object {
	types := typesOf(schema)
	switch {
	case slices.Contains(types, "null"), len(schema) == 0:
		return schema
	case len(types) == 0 || schema["enum"] != nil:
		return object{"anyOf": []any{schema, object{"type": "null"}}}
	}
	out := annotated(schema, remarks{})
	out["type"] = append(slices.Clone(types), "null")
	return out
}

func (s *schemas) fail(format string, args ...any) {
	if s.err == nil {
		s.err = fmt.Errorf(format, args...)
	}
}

// field is one member of a JSON object, as a struct field declares it.
type field struct {
	Name     string
	Type     reflect.Type // without what would make it nullable where null is refused
	Required bool         // always there in a response, and expected in a request
	Needs    []string     // tag `needs:"a,b"`: what the struct in this member must have beyond what its type says
	With     string       // tag `with:"a"`: the member beside which alone this one can be sent
	Instead  string       // tag `instead:"a"`: the member that this one is sent in place of; one of them must be there
	AsText   bool         // json option "string"
	remarks
}

// fieldsOf lists the JSON members of a struct type in the order of its fields; those of embedded structs belong to it.
func fieldsOf(t reflect.Type) []field {
	var fields []field
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if inner := pointee(f.Type); f.Anonymous && name == "" && inner.Kind() == reflect.Struct {
			fields = append(fields, fieldsOf(inner)...)
			continue
		}
		if !f.IsExported() || f.Tag.Get("json") == "-" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		fields = append(fields, fieldOf(f, name, strings.Split(options, ",")))
	}
	return fields
}

// fieldOf reads the tags of one struct field. `required:"true"` says that a request must have the member, and not as
// null; `null:"no"` the latter alone.
func fieldOf(f reflect.StructField, name string, options []string) field {
	must := f.Tag.Get("required") == "true"
	made := field{Name: name, Type: f.Type, remarks: remarksOf(f.Tag), With: f.Tag.Get("with"), Instead: f.Tag.Get("instead"), AsText: slices.Contains(options, "string")}
	made.Required = !slices.Contains(options, "omitempty") && !slices.Contains(options, "omitzero") && !isOptional(f.Type)
	if isOptional(f.Type) && f.Tag.Get("null") == "no" {
		made.Type = optionalElem(f.Type)
	}
	if must {
		made.require()
	}
	if needs := f.Tag.Get("needs"); needs != "" {
		made.Needs = strings.Split(needs, ",")
	}
	return made
}

// require makes a member one that a request must have, and not as null.
func (f *field) require() {
	f.Required = true
	if isOptional(f.Type) {
		f.Type = optionalElem(f.Type)
	}
}

// pointee is the element type of a pointer, or t itself.
func pointee(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// componentName is the type's name in the document, or "" when it has none. The argument of a generic type goes before
// the type's own name, and an unexported name gets a capital.
func componentName(t reflect.Type) string {
	base, argument, _ := strings.Cut(strings.TrimSuffix(t.Name(), "]"), "[")
	if base == "" {
		return ""
	}
	argument = argument[strings.LastIndexByte(argument, '.')+1:]
	return capital(argument) + capital(base)
}

func capital(s string) string {
	for i, c := range s {
		return string(unicode.ToUpper(c)) + s[i+len(string(c)):]
	}
	return ""
}
