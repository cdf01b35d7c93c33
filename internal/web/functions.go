package web

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"
	"time"
	"unicode"

	"sett/internal/base/phrase"
	"sett/internal/sett/accounts"
	"sett/internal/sett/checks"
	"sett/internal/web/draw"
)

// functions are the functions of the templates.
func (p *Pages) functions() template.FuncMap {
	return template.FuncMap{
		"at":       p.At,
		"asset":    p.Asset,
		"iso":      iso,
		"ago":      Ago,
		"span":     Span,
		"number":   Number,
		"bytes":    Bytes,
		"open":     func(errors int64) string { return UpTo(accounts.MostOpenErrors, errors) },
		"count":    Count,
		"initials": Initials,
		"soft":     draw.Soft,
		"reason":   checks.PlainReason,
	}
}

// At returns a path with the prefix of the base URL; with ids, path is a format string.
func (p *Pages) At(path string, ids ...any) string {
	if len(ids) > 0 {
		path = fmt.Sprintf(path, ids...)
	}
	return p.root + path
}

// Ago formats the distance of a time from now, in one unit: "3 min ago", "in 2 h".
func Ago(now, t time.Time) string {
	d := now.Sub(t)
	switch {
	case d < 0:
		if -d < time.Second {
			return "now"
		}
		return "in " + Span(-d)
	case d < 10*time.Second:
		return "just now"
	default:
		return Span(d) + " ago"
	}
}

// Span formats a duration in its largest unit, rounded down: "48 s", "3 min", "2 h", "5 d". Days are used from two days on.
func Span(d time.Duration) string {
	switch {
	case d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + " ms"
	case d < time.Minute:
		return strconv.Itoa(int(d/time.Second)) + " s"
	case d < time.Hour:
		return strconv.Itoa(int(d/time.Minute)) + " min"
	case d < 48*time.Hour:
		return strconv.Itoa(int(d/time.Hour)) + " h"
	default:
		return strconv.Itoa(int(d/(24*time.Hour))) + " d"
	}
}

// UpTo formats a number that was counted only up to a limit: "999+" above it.
func UpTo(most, n int64) string {
	if n > most {
		return Number(most) + "+"
	}
	return Number(n)
}

// Number formats an integer with thousands separators: "1,204".
func Number(n int64) string { return phrase.Number(n) }

// Count formats a number with a noun, which is given in the singular: "1 event", "1,204 events".
func Count(n int64, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return Number(n) + " " + one + "s"
}

// Initials returns at most two initials of a name.
func Initials(name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if len(words) == 0 {
		return "?"
	}
	first := string([]rune(words[0])[:1])
	if len(words) > 1 {
		first += string([]rune(words[len(words)-1])[:1])
	}
	return strings.ToUpper(first)
}

// Bytes returns a number of bytes as people read it.
func Bytes(n int64) string {
	switch {
	case n < 10_000:
		return Number(n) + " bytes"
	case n < 10_000_000:
		return Number(n/1000) + " kB"
	}
	return Number(n/1_000_000) + " MB"
}
