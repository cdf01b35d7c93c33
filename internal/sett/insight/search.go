package insight

import (
	"regexp"
	"strings"
	"time"

	"sett/internal/event/query"
	"sett/internal/sett"
)

// requestWord is the key under which a search finds the events of a request or trace, whatever their own key for it.
const requestWord = "request"

// typedKey is how a key looks that may be typed without quotes; other words with a colon are words.
var typedKey = regexp.MustCompile(`^[A-Za-z_@][A-Za-z0-9_@./\-]*$`)

// ParseSearch reads a search in the language of errors: key:value, also with >, >=, < and <= before a number, and a * for any text; a key
// without a value asks for events without the key; words and quoted phrases are found in any text; a minus negates. A key that is typed again adds a
// value, except with an operator. The error is Invalid, for a search that is too long.
func ParseSearch(text string) (Filter, error) {
	terms, problem := readSearch(text)
	if problem != "" {
		return nil, sett.Refuse("q", "%s", problem)
	}
	return terms, nil
}

// readSearch is ParseSearch with the problem in words; "" for none.
func readSearch(text string) (terms all, problem string) {
	words, problem := query.Words(text)
	if problem != "" {
		return nil, problem
	}
	equals := map[string]int{} // the term of each key that asks for values
	for _, w := range words {
		f := wordFilter(w)
		if c, ok := f.(compare); ok && c.op == Equal && !w.Negated {
			if i, known := equals[w.Key]; known {
				before := terms[i].(compare)
				before.operands = append(before.operands, c.operands...)
				terms[i] = before
				continue
			}
			equals[w.Key] = len(terms)
		}
		if w.Negated {
			f = not{f}
		}
		terms = append(terms, f)
	}
	return terms, ""
}

func wordFilter(w query.Word) Filter {
	if w.Key == "" || !typedKey.MatchString(w.Key) || !w.Quoted && (strings.HasPrefix(w.Value, ":") || strings.HasPrefix(w.Value, "//")) {
		return anywhere{w.Text}
	}
	names := []string{w.Key}
	if w.Key == requestWord {
		names = requestKeys
	}
	if w.Quoted {
		return compare{names, Equal, []string{w.Value}}
	}
	for _, op := range []Op{GreaterEqual, LessEqual, Greater, Less} {
		if operand, ok := strings.CutPrefix(w.Value, string(op)); ok && operand != "" {
			return compare{names, op, []string{operand}}
		}
	}
	switch w.Value {
	case "":
		return not{compare{names, Has, []string{""}}}
	case "*":
		return compare{names, Has, []string{""}}
	}
	return compare{names, Equal, []string{w.Value}}
}

// WriteRequest returns the search for the events of a request or trace.
func WriteRequest(id string) string { return query.Write(requestWord, id) }

// longestRequest is how many bytes the id of a request may have to be looked for.
const longestRequest = 200

// RequestOf returns the id of the request or trace that the correlation context of a report names; "" if it names none, or events of that
// age are not stored any longer.
func RequestOf(correlation map[string]any, age time.Duration) string {
	id, _ := correlation["request_id"].(string)
	if id = strings.TrimSpace(id); len(id) > longestRequest || age > Keep {
		return ""
	}
	return id
}
