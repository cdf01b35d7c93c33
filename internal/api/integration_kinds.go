package api

import (
	"fmt"
	"net/http"
	"strings"

	"sett/internal/channel"
	"sett/internal/serve"
)

// kindName is the type of an integration.
type kindName string

// JSONSchema lists the types that there are.
func (kindName) JSONSchema() map[string]any {
	var names []any
	for _, k := range channel.Kinds() {
		names = append(names, k.Type)
	}
	return map[string]any{"type": "string", "enum": names}
}

// kindOptions are the options of an integration.
type kindOptions map[string]any

// JSONSchema says which options each type has.
func (kindOptions) JSONSchema() map[string]any {
	var b strings.Builder
	b.WriteString("What it holds depends on the type (GET /v2/integration_kinds). Values are strings; secrets are shown as " + channel.Mask + ".")
	for _, k := range channel.Kinds() {
		fmt.Fprintf(&b, " %s:", k.Type)
		for i, o := range k.AllOptions() {
			fmt.Fprintf(&b, "%s %s%s", map[bool]string{true: ","}[i > 0], o.Name, map[bool]string{true: " (required)"}[o.Required])
		}
		b.WriteString(".")
	}
	return map[string]any{"type": "object", "additionalProperties": true, "description": b.String()}
}

// IntegrationKind is a type that integrations can have, with all that a form for one needs.
type IntegrationKind struct {
	Type    string              `json:"type" doc:"As integrations name it."`
	Name    string              `json:"name" doc:"As people name it."`
	About   string              `json:"about"`
	Tracker bool                `json:"tracker" doc:"Whether it is an issue tracker, which makes, closes and reopens issues."`
	Options []IntegrationOption `json:"options"`

	LinkOnly bool `json:"link_only" doc:"Of a tracker: whether faults are only linked with it, and nothing is sent to it."`
}

// IntegrationOption is one option of a type.
type IntegrationOption struct {
	Name     string   `json:"name"`
	Label    string   `json:"label"`
	About    string   `json:"about"`
	Form     string   `json:"form" enum:"text,address,flag,choice,emails" doc:"What its value looks like: one line of text, an address that starts with http:// or https://, 0 or 1, one of choices, or email addresses with commas between them."`
	Choices  []string `json:"choices" doc:"Of the form choice."`
	Required bool     `json:"required"`
	Secret   bool     `json:"secret" doc:"Whether it is never shown again."`
	Default  *string  `json:"default" doc:"What it is when it is not sent; null for nothing, or for what is made anew for each integration."`
}

func viewKind(k channel.Kind) IntegrationKind {
	return IntegrationKind{
		Type: k.Type, Name: k.Name, About: k.About, Tracker: k.Tracker, LinkOnly: k.LinkOnly, Options: viewAll(k.AllOptions(), func(o channel.Option) IntegrationOption {
			return IntegrationOption{
				Name: o.Name, Label: o.Label, About: o.About, Form: string(o.Form), Choices: orEmpty(o.Choices), Required: o.Required,
				Secret: o.Secret, Default: nullText(o.Default),
			}
		}),
	}
}

// listIntegrationKinds answers with a bare array, as the list of integrations does.
func (a *API) listIntegrationKinds(w http.ResponseWriter, _ *http.Request) error {
	return serve.WriteJSON(w, http.StatusOK, viewAll(channel.Kinds(), viewKind))
}
