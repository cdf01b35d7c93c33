package channel

import "sett/internal/sett"

// Rules returns of all kinds what the rules of integrations have to know.
func Rules() []sett.IntegrationKind {
	var rules []sett.IntegrationKind
	for _, k := range Kinds() {
		rules = append(rules, sett.IntegrationKind{Type: k.Type, Tracker: k.Tracker, LinkOnly: k.LinkOnly, Options: k.Apply})
	}
	return rules
}
