package triage

import (
	"strings"

	"sett/internal/payload"
)

// Browser is a family of clients, with the pattern that finds what they call themselves.
type Browser struct{ Name, Pattern string }

// browsers are the families that call themselves Mozilla. Each also names those that it resembles, so the pattern includes how the name ends
// where only that distinguishes them.
var browsers = []Browser{
	{"Edge", "*edg*/*"},
	{"Opera", "*opr/*"},
	{"Firefox", "*firefox/*"},
	{"Firefox on iOS", "*fxios/*"},
	{"Chrome on iOS", "*crios/*"},
	{"Chrome", "*chrome/*safari/537.36"},
	{"Safari", "*version/*safari/60*"},
}

// BrowserOf returns the family of a client by what it calls itself: a browser, or the product that the name begins with. ok is false for none.
func BrowserOf(userAgent string) (b Browser, ok bool) {
	userAgent = strings.ToLower(userAgent)
	for _, b := range browsers {
		if payload.MatchesPattern(userAgent, b.Pattern) {
			return b, true
		}
	}
	product, _, ok := strings.Cut(userAgent, "/")
	return Browser{product, product + "/*"}, ok && product != "" && product != "mozilla" && !strings.ContainsAny(product, "* ")
}

// BrowserBy returns the family that a pattern finds, or one that has the pattern as its name.
func BrowserBy(pattern string) Browser {
	for _, b := range browsers {
		if strings.EqualFold(b.Pattern, pattern) {
			return b
		}
	}
	return Browser{strings.TrimSuffix(pattern, "/*"), pattern}
}
