package payload

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"sett/internal/event/query"
)

// NeedsBody reports whether the index of facets may say that a notice has what the search asks for when it has not:
// the index holds only the first MaxFacets bytes of a notice, and MaxFacetText bytes of a value. A term that asks for a short value
// can only miss notices; one that asks for what is absent, or for the end of a value, can find too many.
func NeedsBody(s query.Search) bool {
	return slices.ContainsFunc(s.Terms, func(t query.Term) bool {
		key, ofFacets := t.FacetKey()
		return ofFacets && (t.Negated || mayBeCut(key) || slices.ContainsFunc(t.Values, func(v query.Value) bool { return valueMayBeCut(t, v) }))
	})
}

// valueMayBeCut reports whether a value that is cut off can match although the whole does not.
func valueMayBeCut(t query.Term, v query.Value) bool {
	pattern := t.Pattern(v)
	return !strings.HasSuffix(pattern, "*") && (pattern == "" || strings.Contains(pattern, "*")) || mayBeCut(v.Text)
}

// mayBeCut reports whether a key or a value is so long that the index may hold only its beginning.
func mayBeCut(text string) bool { return len(foldText(text)) > MaxFacetText-utf8.UTFMax }

// Matches reports whether all terms about what was sent with a notice hold of a stored body; searchField is the project's
// user_search_field. The error is that of a body that cannot be read.
func Matches(s query.Search, b Body, searchField string) (bool, error) {
	r, err := b.reader()
	if err != nil {
		return false, err
	}
	facets, err := r.facets(b.JSON, searchField)
	if err != nil {
		return false, fmt.Errorf("read what was sent: %w", err)
	}
	return !slices.ContainsFunc(s.Terms, func(t query.Term) bool {
		key, ofFacets := t.FacetKey()
		return ofFacets && t.Negated == facets.haveAny(t, foldText(key))
	}), nil
}

// haveAny reports whether the notice has any of the values of a term.
func (a payloadFacets) haveAny(t query.Term, key string) bool {
	return slices.ContainsFunc(t.Values, func(v query.Value) bool {
		pattern := foldText(t.Pattern(v))
		hasKey := false
		for _, f := range a {
			if f.key != key {
				continue
			}
			hasKey = true
			if query.MatchesPattern(f.value, pattern) {
				return true
			}
		}
		return v.Text == "" && !hasKey
	})
}

// HasValue reports whether a value was sent in a stored body, in any case, under some keys of searches, or under any if there are none. searchField is the
// project's user_search_field. The error is that of a body that cannot be read.
func HasValue(b Body, searchField, value string, keys ...string) (bool, error) {
	value = foldText(value)
	if !mayContain(b.JSON, value) {
		return false, nil
	}
	r, err := b.reader()
	if err != nil {
		return false, err
	}
	facets, err := r.facets(b.JSON, searchField)
	if err != nil {
		return false, fmt.Errorf("read what was sent: %w", err)
	}
	asked := map[string]bool{}
	for _, key := range keys {
		asked[foldText(key)] = true
	}
	return slices.ContainsFunc(facets, func(f facet) bool { return f.value == value && (len(keys) == 0 || asked[f.key]) }), nil
}

// mayContain reports whether JSON may contain an email address: it saves reading most notices for an erasure. For other texts, and where characters
// may be written in several ways, it does not know.
func mayContain(json []byte, value string) bool {
	ascii := func(c rune) bool { return c < utf8.RuneSelf }
	if !strings.Contains(value, "@") || strings.ContainsAny(value, `/\" `) || strings.ContainsFunc(value, func(c rune) bool { return !ascii(c) }) {
		return true
	}
	if bytes.Contains(json, []byte(`\u`)) || bytes.ContainsFunc(json, func(c rune) bool { return !ascii(c) }) {
		return true
	}
	return bytes.Contains(bytes.ToLower(json), []byte(value))
}
