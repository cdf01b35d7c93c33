package query

import "fmt"

// Word is one word or phrase of a search over anything, with the key that it may begin with. Languages that have other keys than faults are
// typed in the same way.
type Word struct {
	Negated bool
	Quoted  bool   // the phrase, or the value behind the key, stood in quotes
	Key     string // before the first colon, as typed; "" without one
	Value   string // behind it
	Text    string // all of it but the minus and the quotes
}

// Words cuts a search into its words and phrases. problem says what is wrong with it, "" for nothing.
func Words(q string) (words []Word, problem string) {
	tokens := searchTokens(storableText(q))
	switch {
	case len(q) > MaxBytes:
		return nil, tooLong()
	case len(tokens) > MaxTerms:
		return nil, tooManyTerms()
	}
	for _, t := range tokens {
		words = append(words, Word{t.negated, t.quoted, t.key, t.value, t.text})
	}
	return words, ""
}

func tooManyTerms() string {
	return fmt.Sprintf("may have at most %d terms; put words that belong together in quotes", MaxTerms)
}
