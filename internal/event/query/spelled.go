package query

import (
	"slices"
	"strings"
	"time"
)

// Spelled is a search as it is typed, so that terms can be added and left out.
type Spelled struct {
	Terms   []Spelling
	now     time.Time
	problem string // of the whole
}

// Spelling is a term with its text in a search. What is wrong has the zero Term.
type Spelling struct {
	Term
	Text  string
	open  bool // its closing quote is missing
	wrong slip
}

// Spell reads a search term by term. Relative dates count from now, as in Parse.
func Spell(q string, now time.Time) Spelled {
	s, tokens := Spelled{now: now.UTC()}, searchTokens(storableText(q))
	switch {
	case len(q) > MaxBytes:
		s.problem = tooLong()
	case len(tokens) > MaxTerms:
		s.problem = tooManyTerms()
	}
	for len(tokens) > 0 {
		term, used, wrong := Term{}, 1, slip{problem: s.problem}
		if s.problem == "" {
			term, used, wrong = parseSearchTerm(tokens, s.now)
		}
		if wrong.problem != "" {
			term, used = Term{}, 1
		}
		var texts []string
		for _, t := range tokens[:used] {
			texts = append(texts, t.raw)
		}
		s.Terms = append(s.Terms, Spelling{term, strings.Join(texts, " "), tokens[used-1].open, wrong})
		tokens = tokens[used:]
	}
	return s
}

// Search returns what the search asks for, and what is wrong with it, as Parse does.
func (s Spelled) Search() (found Search, problem string) {
	if s.problem != "" {
		return found, s.problem
	}
	for _, t := range s.Terms {
		if t.wrong.problem != "" {
			return found, t.wrong.problem
		}
		found.add(t.Term)
	}
	return found, ""
}

// Wrong says in sentences what is wrong with the search, "" for nothing, and how it was probably meant: the term that replaces the wrong one,
// and the search with that.
func (s Spelled) Wrong() (text, term string, meant Spelled) {
	for i, t := range s.Terms {
		switch {
		case t.wrong.problem == "":
			continue
		case t.wrong.text == "":
			return "This search " + t.wrong.problem + ".", "", s
		}
		if term = t.corrected(); term != "" {
			s.Terms = slices.Clone(s.Terms)
			s.Terms[i].Text = term
			s = Spell(s.String(), s.now)
		}
		return t.wrong.text, term, s
	}
	return "", "", s
}

// corrected returns the text of a term whose key is wrong with the one that was probably meant, or "".
func (s Spelling) corrected() string {
	key, value, _ := strings.Cut(s.Text, ":")
	switch negated := key[:len(key)-len(strings.TrimLeft(key, "-"))]; {
	case s.wrong.meant == "":
		return ""
	case strings.HasSuffix(s.wrong.meant, ":"):
		return negated + s.wrong.meant + value
	default:
		return negated + s.wrong.meant
	}
}

// String returns the text of the search.
func (s Spelled) String() string {
	var texts []string
	for _, t := range s.Terms {
		texts = append(texts, t.Text)
	}
	return strings.Join(texts, " ")
}

// Toggle returns the search without a term if it had that, and with it otherwise.
func (s Spelled) Toggle(term string) (changed Spelled, had bool) {
	one := Spell(term, s.now)
	if len(one.Terms) != 1 {
		return s, false
	}
	changed = s.without(one.Terms[0].means)
	if had = len(changed.Terms) < len(s.Terms); had {
		return changed, true
	}
	return s.with(one), false
}

// With returns the search with one more term.
func (s Spelled) With(term string) Spelled { return s.with(Spell(term, s.now)) }

// with returns the search with those of another behind it. A quote that was left open ends before them.
func (s Spelled) with(more Spelled) Spelled {
	s.Terms = slices.Concat(s.Terms, more.Terms)
	if last := len(s.Terms) - len(more.Terms) - 1; last >= 0 && s.Terms[last].open {
		s.Terms[last] = s.Terms[last].closed()
	}
	return s
}

// closed returns a term whose closing quote is missing with one.
func (s Spelling) closed() Spelling {
	if slashes := len(s.Text) - len(strings.TrimRight(s.Text, `\`)); slashes%2 == 1 {
		s.Text += `\`
	}
	s.Text, s.open = s.Text+`"`, false
	return s
}

// Without returns the search without its terms of a key, except negated ones.
func (s Spelled) Without(key Key) Spelled {
	return s.without(func(t Spelling) bool { return t.Key == key && !t.Negated })
}

func (s Spelled) without(is func(Spelling) bool) Spelled {
	s.Terms = slices.DeleteFunc(slices.Clone(s.Terms), is)
	return s
}

// means reports whether both find the same, whatever their spelling.
func (s Spelling) means(other Spelling) bool {
	return len(s.Values) == 1 && len(other.Values) == 1 && s.Key == other.Key && s.Path == other.Path && s.Negated == other.Negated &&
		s.Values[0].Op == other.Values[0].Op && strings.EqualFold(s.Values[0].Text, other.Values[0].Text)
}
