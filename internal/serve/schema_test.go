package serve

import (
	"encoding/json"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
)

type namedText string

type genericPair[T any] struct {
	One T `json:"one"`
}

type ownJSON struct{}

func (ownJSON) MarshalJSON() ([]byte, error) { return []byte(`"x"`), nil }

const anything = `{}`

func TestSchemaOfType(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		value any
		want  string
	}{
		{true, `{"type":"boolean"}`},
		{int64(0), `{"format":"int64","type":"integer"}`},
		{uint8(0), `{"type":"integer"}`},
		{1.5, `{"type":"number"}`},
		{namedText(""), `{"type":"string"}`},
		{time.Time{}, `{"format":"date-time","type":"string"}`},
		{new(time.Time), `{"format":"date-time","type":["string","null"]}`},
		{new(string), `{"type":["string","null"]}`},
		{new(*string), `{"type":["string","null"]}`},
		{sett.Optional[bool]{}, `{"type":["boolean","null"]}`},
		{sett.Optional[[]int]{}, `{"items":{"format":"int64","type":"integer"},"type":["array","null"]}`},
		{[]string{}, `{"items":{"type":"string"},"type":"array"}`},
		{[]byte{}, `{"contentEncoding":"base64","type":"string"}`},
		{[2]float64{}, `{"items":{"type":"number"},"type":"array"}`},
		{map[string]any{}, `{"additionalProperties":` + anything + `,"type":"object"}`},
		{map[string]int{}, `{"additionalProperties":{"format":"int64","type":"integer"},"type":"object"}`},
		{json.RawMessage{}, anything},
		{new(any), anything},
		{netip.Addr{}, `{"type":"string"}`},
		{samplePerson{}, `{"$ref":"#/components/schemas/SamplePerson"}`},
		{new(samplePerson), `{"anyOf":[{"$ref":"#/components/schemas/SamplePerson"},{"type":"null"}]}`},
		{List[samplePerson]{}, `{"$ref":"#/components/schemas/SamplePersonList"}`},
		{genericPair[*samplePerson]{}, `{"$ref":"#/components/schemas/SamplePersonGenericPair"}`},
		{sampleRow{}, `{"maxItems":2,"minItems":2,"prefixItems":[{"type":"integer"},{"type":"string"}],"type":"array"}`},
		{struct {
			A int `json:"a"`
		}{}, `{"properties":{"a":{"format":"int64","type":"integer"}},"required":["a"],"type":"object"}`},
	} {
		s := newSchemas()
		got, err := json.Marshal(s.of(reflect.TypeOf(tt.value)))
		if err != nil || s.err != nil {
			t.Errorf("%T: %v, %v", tt.value, err, s.err)
		}
		if diff := cmp.Diff(tt.want, string(got)); diff != "" {
			t.Errorf("%T: %s", tt.value, diff)
		}
	}
}

func TestSchemaOfStruct(t *testing.T) {
	t.Parallel()
	s := newSchemas()
	s.of(reflect.TypeFor[sampleFault]())
	data, err := json.Marshal(s.components["SampleFault"])
	if err != nil || s.err != nil {
		t.Fatal(err, s.err)
	}
	var got, want map[string]any
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	const text = `{
		"type": "object",
		"required": ["action", "assignee", "component", "count", "created_at", "features", "id", "klass", "last_at",
			"options", "rate", "resolved", "state", "tags"],
		"properties": {
			"id": {"type": "integer", "format": "int64", "description": "Number of the fault."},
			"klass": {"type": "string"},
			"assignee": {"anyOf": [{"$ref": "#/components/schemas/SamplePerson"}, {"type": "null"}]},
			"tags": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}},
			"state": {"type": "string", "enum": ["open", "done"]},
			"component": {"type": ["string", "null"]},
			"features": {"type": "object", "additionalProperties": {}},
			"options": {},
			"action": {},
			"last_at": {"type": ["string", "null"], "format": "date-time"},
			"created_at": {"type": "string", "format": "date-time"},
			"url": {"type": "string"},
			"order": {"type": ["string", "null"], "enum": ["up", "down", null]},
			"count": {"type": "string"},
			"rate": {"type": "number"},
			"parent": {"anyOf": [{"$ref": "#/components/schemas/SampleFault"}, {"type": "null"}]},
			"resolved": {"type": "boolean"},
			"closed_at": {"type": "string", "format": "date-time"}
		}
	}`
	if err := json.Unmarshal([]byte(text), &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// The members that the document lists are those that encoding/json writes.
func TestFieldsAgreeWithEncodingJSON(t *testing.T) {
	t.Parallel()
	url := "up"
	full := sampleFault{URL: "u", Order: &url, Parent: &sampleFault{}, hidden: "h", Options: json.RawMessage("1")}
	full.ClosedAt = time.Unix(1, 0)
	for _, v := range []sampleFault{full, {Options: json.RawMessage("1")}} {
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var written map[string]any
		if err := json.Unmarshal(data, &written); err != nil {
			t.Fatal(err)
		}
		for _, f := range fieldsOf(reflect.TypeFor[sampleFault]()) {
			if _, ok := written[f.Name]; !ok && f.Required {
				t.Errorf("%s is required but not written", f.Name)
			}
			delete(written, f.Name)
		}
		if len(written) > 0 {
			t.Errorf("written but not listed: %v", written)
		}
	}
}

func TestSchemaRefuses(t *testing.T) {
	t.Parallel()
	type samplePerson struct{ Other int }
	for _, tt := range []struct {
		types []reflect.Type
		want  string
	}{
		{[]reflect.Type{reflect.TypeFor[ownJSON]()}, "give it a method JSONSchema"},
		{[]reflect.Type{reflect.TypeFor[struct{ C chan int }]()}, "chan int has no JSON form"},
		{
			[]reflect.Type{reflect.TypeOf(sampleRoutes()[1].Result), reflect.TypeFor[samplePerson]()},
			"two types share the name SamplePerson",
		},
		{[]reflect.Type{reflect.TypeFor[createPlanBody]()}, "tag what it needs as required"},
	} {
		s := newSchemas()
		for _, typ := range tt.types {
			s.of(typ)
		}
		if s.err == nil || !strings.Contains(s.err.Error(), tt.want) {
			t.Errorf("%v: got %v, want …%s…", tt.types, s.err, tt.want)
		}
	}
}

type createPlan struct {
	Name sett.Optional[string] `json:"name,omitzero"`
}

type createPlanBody struct {
	Plan sett.Optional[createPlan] `json:"plan" required:"true" needs:"name"`
}

// Generators lose what an allOf adds, so a struct that needs more than its type says is described in full, under a name
// that is not New and the other's.
func TestSchemaOfNeeds(t *testing.T) {
	t.Parallel()
	type thingChange struct {
		Name sett.Optional[string] `json:"name,omitzero"`
		Note sett.Optional[string] `json:"note,omitzero"`
	}
	type thingBody struct {
		Thing sett.Optional[thingChange] `json:"thing" required:"true"`
	}
	type createThingBody struct {
		Thing sett.Optional[thingChange] `json:"thing" required:"true" needs:"name"`
	}
	s := newSchemas()
	s.of(reflect.TypeFor[createThingBody]())
	s.of(reflect.TypeFor[thingBody]())
	if s.err != nil {
		t.Fatal(s.err)
	}
	for name, want := range map[string]string{
		"CreateThingBody": `{"properties":{"thing":{"$ref":"#/components/schemas/CreateThing"}},"required":["thing"],"type":"object"}`,
		"CreateThing":     `{"properties":{"name":{"type":"string"},"note":{"type":["string","null"]}},"required":["name"],"type":"object"}`,
		"ThingBody":       `{"properties":{"thing":{"$ref":"#/components/schemas/ThingChange"}},"required":["thing"],"type":"object"}`,
		"ThingChange":     `{"properties":{"name":{"type":["string","null"]},"note":{"type":["string","null"]}},"type":"object"}`,
	} {
		got, err := json.Marshal(s.components[name])
		if diff := cmp.Diff(want, string(got)); err != nil || diff != "" {
			t.Errorf("%s: %v %s", name, err, diff)
		}
	}
}
