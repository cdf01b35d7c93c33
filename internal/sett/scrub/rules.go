package scrub

import (
	"strings"
	"time"

	"sett/internal/sett"
)

// Rules is what is replaced in the documents of a project. It is safe for concurrent use. Nil replaces nothing.
type Rules struct {
	off      bool
	usual    bool   // the usual names of secrets, numbers of payment cards, environments of shells and forms of credentials
	names    []name // of the project
	keep     []name // never replaced because of their name
	patterns []rule
	account  *account // of the patterns
	known    *known   // nil for rules of a project's own, which are many
}

// name is the name of a key, as plainName writes it.
type name struct {
	text       string
	open, tail bool // more may come before or after it
}

func newName(text string) name {
	n := name{open: strings.HasPrefix(text, "*"), tail: strings.HasSuffix(text, "*")}
	n.text = string(plainName(nil, text))
	return n
}

func (n name) matches(key []byte) bool {
	switch {
	case len(key) < len(n.text):
		return false
	case n.open && n.tail:
		return strings.Contains(string(key), n.text)
	case n.open:
		return string(key[len(key)-len(n.text):]) == n.text
	case n.tail:
		return hasPrefix(key, n.text)
	default:
		return string(key) == n.text
	}
}

// anyMatches reports whether one of some names is that of a key.
func anyMatches(names []name, key []byte) bool {
	for _, n := range names {
		if n.matches(key) {
			return true
		}
	}
	return false
}

// New returns the rules of a project. The error is Invalid, and says what is wrong with the settings.
func New(settings Settings) (*Rules, error) {
	var p sett.Problems
	if settings.check(&p); p.Refusal() != nil {
		return nil, p.Refusal()
	}
	return newRules(settings, time.Now), nil
}

// Stored returns the rules of settings as they are stored, also if they were stored by a version that allowed more: a text that a pattern
// cannot check within its bounds is replaced whole.
func Stored(text string) *Rules { return newRules(SettingsOf(text), time.Now) }

func newRules(settings Settings, now func() time.Time) *Rules {
	r := &Rules{off: settings.Off, usual: !settings.OwnOnly, account: newAccount(now)}
	if r.usual && len(settings.Names)+len(settings.Keep)+len(settings.Patterns) == 0 {
		r.known = new(known)
	}
	for _, text := range settings.Names {
		r.names = append(r.names, newName(text))
	}
	for _, text := range settings.Keep {
		r.keep = append(r.keep, newName(text))
	}
	for _, text := range settings.Patterns {
		p, _ := newRule(text) // one that is none checks no text
		r.patterns = append(r.patterns, p)
	}
	return r
}
