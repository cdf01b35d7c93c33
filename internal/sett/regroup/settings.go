package regroup

import (
	"time"

	"sett/internal/sett"
)

// Settings are the rules of a project, and those before their last change: an error that was known by these goes on. The zero value has none.
type Settings struct {
	Rules     string    `json:"rules,omitzero"`
	Before    string    `json:"before,omitzero"`
	ChangedAt time.Time `json:"changed_at,omitzero"` // zero: never
}

// SettingsOf returns the settings in a text that Text returned. A text that is none stands for the zero value.
func SettingsOf(text string) Settings { return sett.ReadStored[Settings](text) }

// Text returns the settings as they are stored; "" for the zero value.
func (s Settings) Text() string { return sett.StoredText(s) }

// Change returns the settings with other rules. The error is Invalid if they cannot be used.
func (s Settings) Change(rules string, now time.Time) (Settings, error) {
	if _, err := Parse(rules); err != nil {
		return s, err
	}
	if rules == s.Rules {
		return s, nil
	}
	return Settings{Rules: rules, Before: s.Rules, ChangedAt: now.UTC()}, nil
}

// Compiled are settings as intake uses them.
type Compiled struct {
	Rules, Before *Rules
	ChangedAt     time.Time // zero if the rules never changed
}

// Stored returns the settings in a text compiled.
func Stored(text string) *Compiled { return SettingsOf(text).Compiled() }

// Compiled returns the settings compiled. Rules that cannot be used any more are left out as a whole.
func (s Settings) Compiled() *Compiled {
	c := &Compiled{ChangedAt: s.ChangedAt}
	c.Rules, _ = Parse(s.Rules)
	c.Before, _ = Parse(s.Before)
	return c
}

// Version is a version of a project's rules.
type Version struct {
	ID     int64
	Rules  string
	Joined int64 // errors that were merged into others when it was applied
	By     sett.Person
	At     time.Time
}
