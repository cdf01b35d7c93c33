// Package locale has the languages of the public status pages. From the Accept-Language header of a browser it chooses the language that
// fits best, and it returns texts, times and numbers in that language. All texts are in one catalogue, in every language. The package never
// sees what owners of pages write: their texts are shown as they are.
package locale

import (
	"fmt"
	"strconv"
	"strings"
)

// Language is a language of the catalogue, as HTML names it.
type Language string

// The languages, in the order of the columns of the catalogue.
const (
	English    Language = "en"
	German     Language = "de"
	French     Language = "fr"
	Spanish    Language = "es"
	Portuguese Language = "pt"
	Japanese   Language = "ja"
)

// languages has every language at the number of its column.
var languages = [columns]Language{English, German, French, Spanish, Portuguese, Japanese}

// columns is how many languages there are.
const columns = 6

// All returns every language.
func All() []Language { return languages[:] }

// Codes returns the codes of all languages.
func Codes() (codes []string) {
	for _, l := range languages {
		codes = append(codes, string(l))
	}
	return codes
}

// Known reports whether there is such a language.
func Known(code string) bool {
	for _, l := range languages {
		if code == string(l) {
			return true
		}
	}
	return false
}

// column returns the number of the column of the language; that of English for one that there is not.
func (l Language) column() int {
	for n, known := range languages {
		if l == known {
			return n
		}
	}
	return 0
}

// Name returns the name of the language in itself.
func (l Language) Name() string { return names[l.column()] }

var names = [columns]string{"English", "Deutsch", "Français", "Español", "Português", "日本語"}

// mostAccepted bounds how many entries of a header are read.
const mostAccepted = 20

// Match returns the language that a browser prefers, by its header Accept-Language (RFC 9110, 12.5.4), or English. Regions are ignored.
func Match(accept string) Language {
	best, most := English, 0.0
	for n := 0; accept != "" && n < mostAccepted; n++ {
		var entry string
		entry, accept, _ = strings.Cut(accept, ",")
		code, weight := weighed(entry)
		if weight > most && Known(code) {
			best, most = Language(code), weight
		}
	}
	return best
}

// weighed returns the language of an entry of Accept-Language, without its region, and its weight; 0 for what is no entry.
func weighed(entry string) (code string, weight float64) {
	tag, parameter, given := strings.Cut(entry, ";")
	code, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(tag)), "-")
	if !given {
		return code, 1
	}
	value, isWeight := strings.CutPrefix(strings.TrimSpace(parameter), "q=")
	weight, err := strconv.ParseFloat(value, 64)
	if !isWeight || err != nil || !(weight >= 0 && weight <= 1) {
		return code, 0
	}
	return code, weight
}

// Text returns the text of a key with its values; the key itself if the catalogue does not have it, which a test excludes.
func (l Language) Text(key string, values ...any) string {
	row, ok := texts[key]
	switch {
	case !ok:
		return key
	case len(values) == 0:
		return row[l.column()]
	}
	return fmt.Sprintf(row[l.column()], values...)
}

// Around returns the parts of a text before, between and after its values, for templates that mark values up.
func (l Language) Around(key string) []string { return strings.Split(l.Text(key), "%s") }

// Count returns a text about a number of things: the keys are key.one and key.other.
func (l Language) Count(key string, n int64) string {
	form := ".other"
	if n == 1 || n == 0 && (l == French || l == Portuguese) {
		form = ".one"
	}
	return l.Text(key+form, n)
}

// List joins texts.
func (l Language) List(texts []string) string { return strings.Join(texts, l.Text("list_separator")) }
