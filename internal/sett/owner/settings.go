package owner

import (
	"sett/internal/sett"
)

// Settings are what a project decides about the owners of its errors. The zero value has no rules.
type Settings struct {
	Rules      string `json:"rules,omitzero"`       // as Parse reads them
	OnlyOwners bool   `json:"only_owners,omitzero"` // personal notifications of new and reopened errors go to their owners only, if there are any
}

// SettingsOf returns the settings in a text that Text returned. A text that is none stands for the zero value.
func SettingsOf(text string) Settings { return sett.ReadStored[Settings](text) }

// Text returns the settings as they are stored; "" for the zero value.
func (s Settings) Text() string { return sett.StoredText(s) }

// OwnershipChange is the body of an update of these settings: only the fields that were sent change; null resets one.
type OwnershipChange struct {
	Rules      sett.Optional[string] `json:"rules,omitzero" doc:"One rule per line, as in a CODEOWNERS file: a pattern of files, or component: and the name of a component, then the email addresses of users and the names of teams (@payments) that own it. The last rule that matches decides."`
	OnlyOwners sett.Optional[bool]   `json:"notify_only_owners,omitzero" doc:"Whether users receive personal notifications of new and reopened errors only if they own them. Errors without an owner are for everyone."`
}

// Apply returns the settings with the change made, or an Invalid error that names what is wrong.
func (c OwnershipChange) Apply(have Settings) (Settings, error) {
	var p sett.Problems
	sett.SetField(&p, "rules", c.Rules, &have.Rules, "")
	sett.SetField(&p, "notify_only_owners", c.OnlyOwners, &have.OnlyOwners, false)
	Parse(&p, "rules", have.Rules)
	return have, p.Refusal()
}

// Parsed returns the rules, without lines that are wrong.
func (s Settings) Parsed() Rules { return Parse(new(sett.Problems), "rules", s.Rules) }
