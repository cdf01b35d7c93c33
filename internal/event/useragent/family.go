package useragent

import (
	"strings"

	"sett/internal/event/query"
)

// Family is a kind of clients, with the pattern that finds what they call themselves.
type Family struct{ Name, Pattern string }

func (k known) asFamily() Family {
	if k.family != "" {
		return Family{k.family, k.pattern}
	}
	return Family{k.name, k.pattern}
}

// FamilyOf returns the family of a User-Agent: a browser, or the product that it begins with. ok is false for none.
func FamilyOf(userAgent string) (f Family, ok bool) {
	userAgent = strings.ToLower(userAgent)
	for _, b := range browsers {
		if b.pattern != "" && query.MatchesPattern(userAgent, b.pattern) {
			return b.asFamily(), true
		}
	}
	name, ok := product(userAgent)
	return Family{name, name + "/*"}, ok
}

// product returns the product that a User-Agent in lower case begins with; ok is false, and name "", for none.
func product(userAgent string) (name string, ok bool) {
	name, _, ok = strings.Cut(userAgent, "/")
	if !ok || name == "mozilla" || strings.ContainsAny(name, "* ") {
		return "", false
	}
	return name, name != ""
}

// FamilyBy returns the family that a pattern finds, or one that has the pattern as its name.
func FamilyBy(pattern string) Family {
	for _, b := range browsers {
		if b.pattern != "" && strings.EqualFold(b.pattern, pattern) {
			return b.asFamily()
		}
	}
	return Family{strings.TrimSuffix(pattern, "/*"), pattern}
}
