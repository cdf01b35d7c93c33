package notify

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"sett/internal/notify/channel"
	"sett/internal/serve"
	"sett/internal/sett/alerts"
)

// schemaOf compiles the published schema of an event; strict refuses members that it does not name, too.
func schemaOf(t *testing.T, e alerts.AlertEvent, strict bool) *jsonschema.Schema {
	t.Helper()
	return compiled(t, append(Payloads("https://sett.example.org"), StatusPayloads("https://sett.example.org")...), e, strict)
}

// schemaV3Of is schemaOf for payloads of version 3.
func schemaV3Of(t *testing.T, e alerts.AlertEvent, strict bool) *jsonschema.Schema {
	t.Helper()
	return compiled(t, PayloadsV3("https://sett.example.org"), e, strict)
}

func compiled(t *testing.T, all []Payload, e alerts.AlertEvent, strict bool) *jsonschema.Schema {
	t.Helper()
	i := slices.IndexFunc(all, func(p Payload) bool { return p.Event == string(e) })
	text, err := serve.WebhookSchema("https://sett.example.org/docs/webhooks/"+string(e)+".json", serve.Webhook{Event: string(e), Doc: all[i].About, Payload: all[i].Type})
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if strict {
		refuseMore(document)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	compiler.AssertVocabs()
	if err := compiler.AddResource("schema.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("schema.json")
	if err != nil {
		t.Fatalf("schema of %s: %v", e, err)
	}
	return schema
}

// refuseMore has every object of a schema refuse members that it does not name.
func refuseMore(v any) {
	switch v := v.(type) {
	case map[string]any:
		if _, named := v["properties"].(map[string]any); named {
			v["additionalProperties"] = false
		}
		for _, inner := range v {
			refuseMore(inner)
		}
	case []any:
		for _, inner := range v {
			refuseMore(inner)
		}
	}
}

func check(t *testing.T, schema *jsonschema.Schema, body []byte) {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(value); err != nil {
		t.Errorf("%v\n%.2000s", err, body)
	}
}

// checkSchema holds a message's payload against the schema of its event; trackers have none.
func (s *scene) checkSchema(m channel.Message) {
	s.t.Helper()
	if !strings.HasPrefix(string(m.Event), "issue_") {
		check(s.t, schemaOf(s.t, m.Event, true), m.Body)
	}
}

// Every golden payload is what its published schema says, as another program reads it.
func TestGoldenPayloadsAreAsPublished(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.golden.json")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[alerts.AlertEvent]bool{}
	for _, file := range files {
		var m channel.Message
		readJSON(t, file, &m)
		if strings.HasPrefix(string(m.Event), "issue_") {
			continue
		}
		seen[m.Event] = true
		check(t, schemaOf(t, m.Event, true), m.Body)
	}
	for _, p := range Payloads("https://sett.example.org") {
		if !seen[alerts.AlertEvent(p.Event)] {
			t.Errorf("%s has no golden payload", p.Event)
		}
	}
}

// The examples of the documentation are payloads too, and every event is explained.
func TestExamplesAreAsPublished(t *testing.T) {
	t.Parallel()
	all := Payloads("https://sett.example.org")
	if len(all) != len(alerts.AlertEvents())+1 {
		t.Errorf("%d events", len(all))
	}
	v3 := PayloadsV3("https://sett.example.org")
	if len(v3) != len(all) {
		t.Errorf("%d events of version 3", len(v3))
	}
	for _, p := range v3 {
		check(t, schemaV3Of(t, alerts.AlertEvent(p.Event), true), p.Example)
	}
	for _, p := range slices.Concat(all, v3, StatusPayloads("https://sett.example.org")) {
		if !bytes.Contains(p.Example, []byte(`"payload_version"`)) {
			check(t, schemaOf(t, alerts.AlertEvent(p.Event), true), p.Example)
		}
		if p.About == "" || !json.Valid(p.Example) || bytes.Contains(p.Example, []byte(`"test"`)) || bytes.Contains(p.Example, []byte(`0001-01-01`)) {
			t.Errorf("%s: %q, %s", p.Event, p.About, p.Example)
		}
	}
}

// A schema takes what another version may add, and refuses what lacks a member or is another event.
func TestSchemasRefuse(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	for name, c := range map[string]struct {
		change func(map[string]any)
		taken  bool
	}{
		"as it is":          {func(map[string]any) {}, true},
		"another member":    {func(b map[string]any) { b["links"] = map[string]any{} }, true},
		"another event":     {func(b map[string]any) { b["event"] = "up" }, false},
		"no fault":          {func(b map[string]any) { delete(b, "fault") }, false},
		"a text for an id":  {func(b map[string]any) { b["fault"].(map[string]any)["id"] = "7" }, false},
		"no time":           {func(b map[string]any) { b["fault"].(map[string]any)["created_at"] = "today" }, false},
		"a nameless person": {func(b map[string]any) { b["project"].(map[string]any)["users"] = []any{map[string]any{"id": 1}} }, false},
	} {
		body := s.payloadOf(s.alert(alerts.AlertOccurred))
		c.change(body)
		if err := schemaOf(t, alerts.AlertOccurred, false).Validate(body); (err == nil) != c.taken {
			t.Errorf("%s: %v", name, err)
		}
	}
}
