package query

import (
	"strings"
	"time"
)

// Spelling is a term with its text in a search.
type Spelling struct {
	Term
	Text string
}

// Spellings returns the terms of a search one by one, as they are typed. What is wrong is the zero Term.
func Spellings(q string, now time.Time) (all []Spelling) {
	for tokens := searchTokens(storableText(q)); len(tokens) > 0; {
		term, used, problem := parseSearchTerm(tokens, now.UTC())
		if problem != "" {
			term, used = Term{}, 1
		}
		var texts []string
		for _, t := range tokens[:used] {
			texts = append(texts, t.raw)
		}
		all = append(all, Spelling{term, strings.Join(texts, " ")})
		tokens = tokens[used:]
	}
	return all
}

// means reports whether both find the same, whatever their spelling.
func (s Spelling) means(other Spelling) bool {
	return len(s.Values) == 1 && len(other.Values) == 1 && s.Key == other.Key && s.Path == other.Path && s.Negated == other.Negated &&
		s.Values[0].Op == other.Values[0].Op && strings.EqualFold(s.Values[0].Text, other.Values[0].Text)
}

// Toggle returns a search without a term if it had that, and with it otherwise.
func Toggle(q, term string, now time.Time) (changed string, had bool) {
	one := Spellings(term, now)
	if len(one) != 1 {
		return q, false
	}
	changed = without(q, now, one[0].means)
	if had = len(Spellings(changed, now)) < len(Spellings(q, now)); had {
		return changed, true
	}
	return With(q, term), false
}

// With returns a search with one more term. A quote that was left open ends before it.
func With(q, term string) string {
	var texts []string
	for _, t := range searchTokens(storableText(q)) {
		if t.open {
			if slashes := len(t.raw) - len(strings.TrimRight(t.raw, `\`)); slashes%2 == 1 {
				t.raw += `\`
			}
			t.raw += `"`
		}
		texts = append(texts, t.raw)
	}
	return strings.Join(append(texts, term), " ")
}

// Without returns a search without its terms of a key, except negated ones.
func Without(q string, key Key, now time.Time) string {
	return without(q, now, func(s Spelling) bool { return s.Key == key && !s.Negated })
}

func without(q string, now time.Time, is func(Spelling) bool) string {
	var kept []string
	for _, s := range Spellings(q, now) {
		if !is(s) {
			kept = append(kept, s.Text)
		}
	}
	return strings.Join(kept, " ")
}
