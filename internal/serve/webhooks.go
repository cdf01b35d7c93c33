package serve

import (
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"reflect"
)

// Webhook documents one event for webhooks.
type Webhook struct {
	Event   string // the value of the payload's member event, or type where it has no event
	Doc     string // a sentence: when it is sent
	Payload any    // a value of the struct that is sent as JSON
	Example []byte // JSON
}

// WebhookSchema returns the JSON Schema (2020-12) of a webhook's payload as indented JSON; id is where it is served. It
// fails when the payload does not show its JSON form. Members that it does not name are allowed: more may come.
func WebhookSchema(id string, w Webhook) ([]byte, error) {
	s := newSchemas()
	s.place = "#/$defs/"
	schema := s.properties(reflect.TypeOf(w.Payload), nil)
	if s.err != nil {
		return nil, fmt.Errorf("describe webhook %s: %w", w.Event, s.err)
	}
	if properties, ok := schema["properties"].(object); ok {
		name := "type"
		if _, named := properties["event"]; named {
			name = "event"
		}
		properties[name] = object{"const": w.Event}
	}
	schema["$schema"], schema["$id"] = "https://json-schema.org/draft/2020-12/schema", id
	schema["title"], schema["description"], schema["$defs"] = w.Event, w.Doc, s.components
	data, err := json.MarshalIndent(schema, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode schema of webhook %s: %w", w.Event, err)
	}
	return data, nil
}

// webhooksPage is what webhooks.html shows.
type webhooksPage struct {
	Info     Info
	Style    template.CSS
	V3       bool // the payloads are of version 3
	Webhooks []docsWebhook
}

type docsWebhook struct {
	Webhook
	Members []member
	Schema  string // where its JSON Schema is
	Text    string // the example
}

// WebhooksHandler serves the documentation of webhooks as one page without scripts, made once: each event with an example
// and the fields of its payload. v3 says that these are of version 3, whose page is below that of the others. It panics when the page cannot be
// drawn, because a payload's tags contradict its types.
func WebhooksHandler(info Info, v3 bool, webhooks []Webhook) http.Handler {
	page := webhooksPage{Info: info, Style: template.CSS(docsCSS), V3: v3} //nolint:gosec // a file of our own
	path := info.Webhooks
	if v3 {
		path += "/v3"
	}
	for _, w := range webhooks {
		page.Webhooks = append(page.Webhooks, docsWebhook{
			Webhook: w, Members: membersOf(reflect.TypeOf(w.Payload), "", nil), Schema: path + "/" + w.Event + ".json",
			Text: string(w.Example),
		})
	}
	return drawn(docsTemplate("webhooks.html"), page)
}
