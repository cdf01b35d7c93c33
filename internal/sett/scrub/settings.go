package scrub

import (
	"strings"
	"time"
	"unicode/utf8"

	"sett/internal/sett"
)

// Settings are what sett removes from the events of a project before it stores them. The zero value removes what is secret by its name or
// its form.
type Settings struct {
	Off      bool     `json:"off,omitzero"`      // nothing is removed
	OwnOnly  bool     `json:"own_only,omitzero"` // only what the project's own names and patterns match is removed
	Names    []string `json:"names,omitzero"`    // of keys whose values are removed; an asterisk at the beginning or end stands for any text
	Keep     []string `json:"keep,omitzero"`     // of keys whose values are not removed because of their name
	Patterns []string `json:"patterns,omitzero"` // regular expressions (RE2); what they match is removed from texts
}

// The most that a project can have.
const (
	mostNames      = 50
	mostPatterns   = 20
	longestEntry   = 100 // characters
	longestPattern = 300 // characters
)

// SettingsOf returns the settings in a text that Text returned. A text that is none stands for the zero value.
func SettingsOf(text string) Settings { return sett.ReadStored[Settings](text) }

// Text returns the settings as they are stored; "" for the zero value.
func (s Settings) Text() string {
	for _, list := range []*[]string{&s.Names, &s.Keep, &s.Patterns} {
		if len(*list) == 0 {
			*list = nil
		}
	}
	return sett.StoredText(s)
}

// Removed is how many values were removed from the events of a project on a day, for one reason: "name", "card", "credential",
// "environment" or "pattern".
type Removed struct {
	ProjectID int64
	Day       time.Time
	Kind      string
	Count     int64
}

// check adds to p what is wrong with the settings.
func (s Settings) check(p *sett.Problems) {
	checkNames(p, "names", s.Names)
	checkNames(p, "keep", s.Keep)
	if len(s.Patterns) > mostPatterns {
		p.Add("patterns", "has %d patterns; at most %d are possible", len(s.Patterns), mostPatterns)
	}
	for _, text := range s.Patterns {
		checkPattern(p, text)
	}
}

func checkNames(p *sett.Problems, field string, names []string) {
	if len(names) > mostNames {
		p.Add(field, "has %d names; at most %d are possible", len(names), mostNames)
	}
	for _, name := range names {
		switch {
		case utf8.RuneCountInString(name) > longestEntry:
			p.Add(field, "has a name of more than %d characters", longestEntry)
		case strings.Trim(name, "*_-. ") == "":
			p.Add(field, "has the name %q, which needs a letter or digit", name)
		case strings.Contains(strings.Trim(name, "*"), "*"):
			p.Add(field, "has the name %q; an asterisk is possible at the beginning and at the end", name)
		}
	}
}

func checkPattern(p *sett.Problems, text string) {
	if utf8.RuneCountInString(text) > longestPattern {
		p.Add("patterns", "has a pattern of more than %d characters", longestPattern)
		return
	}
	compiled, err := newRule(text)
	switch {
	case err != nil:
		p.Add("patterns", "has the pattern %q, which is not a regular expression: %v", text, err)
	case compiled.instructions > mostInstructions:
		p.Add("patterns", "has the pattern %q, which takes too much work for each event: it has %d steps, and %d are possible. Write + or * instead of numbers such as {1,200}",
			text, compiled.instructions, mostInstructions)
	case compiled.MatchString(""):
		p.Add("patterns", "has the pattern %q, which matches the empty text", text)
	}
}
