package channel

import (
	"sett/internal/sett/alerts"
)

// Rules returns of all kinds what the rules of integrations have to know.
func Rules() []alerts.IntegrationKind {
	var rules []alerts.IntegrationKind
	for _, k := range Kinds() {
		rules = append(rules, alerts.IntegrationKind{Type: k.Type, Tracker: k.Tracker, LinkOnly: k.LinkOnly, Hears: k.Hears, Options: k.Apply})
	}
	return rules
}
