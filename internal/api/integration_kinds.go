package api

import (
	"fmt"
	"net/http"
	"strings"

	"sett/internal/notify/channel"
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
	b.WriteString("The options depend on the type (GET /v2/integration_kinds). Values are strings; secrets are shown as " + channel.Mask + ".")
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
	Type    string              `json:"type" doc:"Value of type in integrations."`
	Name    string              `json:"name" doc:"Display name."`
	About   string              `json:"about"`
	Tracker bool                `json:"tracker" doc:"Whether it is an issue tracker, which creates, closes and reopens issues."`
	Options []IntegrationOption `json:"options"`

	LinkOnly bool `json:"link_only" doc:"For an issue tracker: whether faults can only be linked with it, and nothing is sent to it."`
}

// IntegrationOption is one option of a type.
type IntegrationOption struct {
	Name     string   `json:"name"`
	Label    string   `json:"label"`
	About    string   `json:"about"`
	Form     string   `json:"form" enum:"text,address,flag,choice,emails" doc:"Format of the value: one line of text, a URL that starts with http:// or https://, 0 or 1, one of choices, or email addresses separated by commas."`
	Choices  []string `json:"choices" doc:"For the form choice."`
	Required bool     `json:"required"`
	Secret   bool     `json:"secret" doc:"Whether the value is a secret that is not shown again."`
	Default  *string  `json:"default" doc:"Default value; null for none, or for a value that is generated for each integration."`
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
