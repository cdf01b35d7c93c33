package sett

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// Scrubbing is what sett removes from the events of a project before it stores them. The zero value removes what is secret by its name or
// its form.
type Scrubbing struct {
	Off      bool     `json:"off" doc:"Store events as they are sent."`
	OwnOnly  bool     `json:"own_only" doc:"Remove only what the names and patterns of the project match, and nothing else."`
	Names    []string `json:"names" doc:"Names of keys whose values are removed, at most 50. An asterisk at the beginning or end stands for any text." example:"[\"iban\",\"*_phone\"]"`
	Keep     []string `json:"keep" doc:"Names of keys whose values are not removed because of their name, at most 50." example:"[\"csrf_token\"]"`
	Patterns []string `json:"patterns" doc:"Regular expressions (RE2). What they match is removed from all texts. At most 20." example:"[\"CUST-[0-9]{6}\"]"`
}

// The most that a project can have.
const (
	MostScrubbedNames    = 50
	MostScrubbedPatterns = 20
	longestScrubbedName  = 100 // characters
	longestPattern       = 300 // characters
)

// Check returns an Invalid error if the settings are not valid.
func (s Scrubbing) Check() error {
	var p Problems
	checkNames(&p, "names", s.Names)
	checkNames(&p, "keep", s.Keep)
	if len(s.Patterns) > MostScrubbedPatterns {
		p.Add("patterns", "has %d patterns; at most %d are possible", len(s.Patterns), MostScrubbedPatterns)
	}
	for _, text := range s.Patterns {
		checkPattern(&p, text)
	}
	return p.Err()
}

func checkNames(p *Problems, field string, names []string) {
	if len(names) > MostScrubbedNames {
		p.Add(field, "has %d names; at most %d are possible", len(names), MostScrubbedNames)
	}
	for _, name := range names {
		switch {
		case utf8.RuneCountInString(name) > longestScrubbedName:
			p.Add(field, "has a name of more than %d characters", longestScrubbedName)
		case strings.Trim(name, "*_-. ") == "":
			p.Add(field, "has the name %q, which needs a letter or digit", name)
		case strings.Contains(strings.Trim(name, "*"), "*"):
			p.Add(field, "has the name %q; an asterisk is possible at the beginning and at the end", name)
		}
	}
}

func checkPattern(p *Problems, text string) {
	if utf8.RuneCountInString(text) > longestPattern {
		p.Add("patterns", "has a pattern of more than %d characters", longestPattern)
		return
	}
	compiled, err := regexp.Compile(text)
	switch {
	case err != nil:
		p.Add("patterns", "has the pattern %q, which is not a regular expression: %v", text, err)
	case compiled.MatchString(""):
		p.Add("patterns", "has the pattern %q, which matches the empty text", text)
	}
}
