package group

import "strings"

// plainMessage is NormalizeMessage by rule 2, which drops fewer words that mean something and more that do not: codes stay, and quoted names of what
// programs are made of; ids go that have signs within or look like words of the wrong case. Only what says what went wrong counts: see withoutDetails.
func plainMessage(s string) string {
	return (&scanner{in: withoutDetails(s), second: true}).normalize()
}

// mostPlain is how many bytes of a message are looked at.
const mostPlain = 1000

// detailed and detailedAfter begin what databases, runtimes and frameworks say behind a message: the statement and its values, where a function was called, what was meant.
// Sources: PostgreSQL's fields of an error, Laravel's QueryException, SQLAlchemy's and Doctrine's exceptions; PHP's TypeError; Python's, Ruby's and Rust's suggestions.
var (
	detailed      = [...]string{", called in ", "Did you mean", "; did you mean", "(Background on this error"}
	detailedAfter = [...]string{"(SQL: ", "(Connection: ", "[SQL: ", " LINE 1:", " DETAIL:", " HINT:", " CONTEXT:"} // in texts with a colon
)

// withoutDetails is the first line of a message, without what only describes it. If it ends in a colon, the next line says what went wrong, and so it does in Elixir's
// exits.
func withoutDetails(s string) string {
	s = strings.TrimSpace(s)
	s = s[:min(len(s), mostPlain)]
	first, rest, _ := strings.Cut(s, "\n")
	first, rest = strings.TrimSpace(first), strings.TrimSpace(rest)
	if call, ok := strings.CutPrefix(strings.TrimPrefix(first, "** (exit) "), "exited in: "); ok {
		name, _, _ := strings.Cut(call, "(") // its arguments are values
		first = "exited in: " + name
	}
	if strings.HasSuffix(first, ":") || strings.HasPrefix(rest, "** (") {
		second, _, _ := strings.Cut(rest, "\n")
		first += " " + second
	}
	first = before(first, detailed[:])
	if strings.IndexByte(first, ':') > 0 {
		first = before(first, detailedAfter[:])
	}
	return first
}

// before cuts a text off before the first of some texts, with the signs and space there.
func before(s string, texts []string) string {
	for _, text := range texts {
		if i := strings.Index(s, text); i > 0 {
			s = strings.TrimRight(s[:i], " .")
		}
	}
	return s
}
