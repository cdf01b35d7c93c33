package insight

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"sett/internal/event/query"
)

// Hint is a text that completes what is typed, with a few words about it.
type Hint struct{ Text, About string }

// Known is a field that events have, with what its values are.
type Known struct{ Key, Kind string }

// Typing is what may follow the beginning of a question.
type Typing struct {
	Typed  string // the characters before the cursor that a hint replaces
	Key    string // the field whose values may follow; "": none
	Fields bool   // names of fields may follow
	words  []Hint // of the language that may follow
	calls  []Hint // functions that may stand where fields may
	write  func(text string) string
}

// MostHints is how many hints there are at most.
const MostHints = 30

// The words of the language that are offered, with what they do. Those of clauses and functions are in their tables.
var (
	binHints = []Hint{{"bin(1h)", "by hour"}, {"bin(1d)", "by day"}, {"bin(5m)", "by 5 minutes"}, {"bin()", "by time, in about 100 steps"}}
	operator = []Hint{
		{"==", "is"},
		{"!=", "is not"},
		{">", "more than"},
		{">=", "at least"},
		{"<", "less than"},
		{"<=", "at most"},
		{"like", `pattern, as in "/api/%"`},
		{"in [", "one of several"},
		{"between", "from one to another"},
		{"match", "regular expression"},
	}
	joinHints  = []Hint{{"and", "both"}, {"or", "one of them"}, {"|", "next clause"}}
	byHints    = []Hint{{"by", "for each value or step of time"}, {"as", "name the column"}, {"|", "next clause"}}
	orderHints = []Hint{{"desc", "highest first"}, {"asc", "lowest first"}, {"|", "next clause"}}
	nextHints  = []Hint{{"|", "next clause"}}
)

// clauseHints offers what stands between pipes.
func clauseHints() (hints []Hint) {
	for _, c := range clauses() {
		hints = append(hints, Hint{c.name, inShort(c.about)})
	}
	return hints
}

// isTest reports whether a function is a condition.
func isTest(f *function) bool { return f.kind == kindTest && !f.loose }

// functionHints offers some of the functions.
func functionHints(offered func(f *function) bool) (hints []Hint) {
	for _, f := range functions() {
		if offered(&f) {
			hints = append(hints, Hint{f.typed(), inShort(f.about)})
		}
	}
	return hints
}

// valueHints offers functions of single values.
func valueHints() []Hint {
	return functionHints(func(f *function) bool { return f.kind != kindAgg && !isTest(f) })
}

// typed is how the function begins.
func (f *function) typed() string {
	switch {
	case f.name == "count" || f.name == "now":
		return f.name + "()"
	case f.agg == Quantile:
		return f.name + "(95, "
	}
	return f.name + "("
}

// inShort returns the first words about something, as plain text.
func inShort(about string) string {
	if end := strings.IndexAny(about, ".;:"); end > 0 {
		about = about[:end]
	}
	return strings.ReplaceAll(about, "`", "")
}

var (
	openText  = regexp.MustCompile("([A-Za-z0-9_.@]+|`[^`]+`)(?:::[a-z]+)?\\s*(?:==|!=|=|in\\s*[\\[(](?:\\s*\"[^\"]*\"\\s*,)*)\\s*(\"[^\"]*)$")
	openName  = regexp.MustCompile("(`[^`]*|[\\p{L}_@][\\p{L}0-9_.@]*)$")
	isCompare = regexp.MustCompile("([A-Za-z0-9_.@]+|`[^`]+`)(?:::[a-z]+)?\\s*(?:==|!=|=)\\s*$")
)

// Type reads what is typed before the cursor.
func Type(before string) Typing {
	if !IsQuery(before) {
		return typedSearch(before)
	}
	part := before
	if at := pipes(before); len(at) > 0 {
		part = before[at[len(at)-1]+1:]
	}
	part = strings.TrimLeft(part, " \t\r\n")
	return typedQuery(before[:len(before)-len(part)], part)
}

// typedSearch completes the last term of a search.
func typedSearch(before string) Typing {
	term := query.LastTerm(before)
	typed := strings.TrimPrefix(term, "-")
	sign := term[:len(term)-len(typed)]
	key, value, isKey := strings.Cut(typed, ":")
	if isKey && typedKey.MatchString(key) && !strings.HasPrefix(value, ":") {
		return Typing{Typed: term, Key: key, write: func(text string) string { return sign + query.Write(query.Key(key), text) }}
	}
	t := Typing{Typed: term, Fields: !strings.Contains(typed, `"`), write: func(text string) string { return sign + text + ":" }}
	if strings.TrimSpace(strings.TrimSuffix(before, term)) == "" && sign == "" {
		t.words = clauseHints()
	}
	return t
}

// typedQuery completes a function and its arguments; head is what is before it.
func typedQuery(head, part string) Typing {
	if open := openText.FindStringSubmatch(part); open != nil {
		return Typing{Typed: open[2], Key: strings.Trim(open[1], "`"), write: quoted}
	}
	typed := openName.FindString(part)
	before := strings.TrimRight(part[:len(part)-len(typed)], " \t\r\n")
	t := Typing{Typed: typed, write: func(text string) string { text, _ = writeName(text); return text }}
	if strings.Count(before, `"`)%2 == 1 {
		return t
	}
	name, rest, _ := strings.Cut(before, " ")
	switch strings.ToLower(name) {
	case "":
		t.words = clauseHints()
	case "filter":
		t.filter(rest)
	case "stats":
		t.stats(rest)
	case "sort":
		t.sort(head, rest)
	case "fields", "only", "unique", "expand", "fill":
		if t.Fields = rest == "" || strings.HasSuffix(rest, ","); t.Fields {
			t.calls = valueHints()
		}
		t.columns(head)
		if !t.Fields {
			t.words = nextHints
		}
	case "limit":
		t.words = nextHints
	}
	return t
}

func quoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

func (t *Typing) filter(before string) {
	last := query.LastTerm(before)
	switch compares := isCompare.FindStringSubmatch(before); {
	case compares != nil:
		t.Key, t.write = strings.Trim(compares[1], "`"), quoted
	case before == "" || strings.HasSuffix(before, "(") || slices.Contains(reserved, strings.ToLower(last)):
		t.Fields, t.words, t.calls = true, append([]Hint{{"not ", "the opposite"}}, functionHints(isTest)...), valueHints()
	case openName.MatchString(last) && !isLiteral(last):
		t.words = operator
	case strings.HasSuffix(before, `"`) || strings.HasSuffix(before, ")") || strings.HasSuffix(before, "]") || isLiteral(last):
		t.words = joinHints
	}
}

// isLiteral reports whether a word of a query is a number, true or false.
func isLiteral(word string) bool {
	return word == "true" || word == "false" || word != "" && isDigit(word[0])
}

func (t *Typing) stats(before string) {
	calls, by, grouped := strings.Cut(before+" ", " by ")
	calls, by = strings.TrimSpace(calls), strings.TrimSpace(by)
	switch {
	case grouped && (by == "" || strings.HasSuffix(by, ",")):
		t.Fields, t.words, t.calls = true, binHints, valueHints()
	case grouped:
		t.words = nextHints
	case strings.Count(calls, "(") > strings.Count(calls, ")"):
		t.Fields = !strings.HasSuffix(calls, "count(")
	case calls == "" || strings.HasSuffix(calls, ","):
		t.words = append(functionHints(func(f *function) bool { return f.kind == kindAgg }), Hint{"by", "for each value or step of time"})
	default:
		t.words = byHints
	}
}

func (t *Typing) sort(head, before string) {
	if before != "" && !strings.HasSuffix(before, ",") {
		t.words = orderHints
		return
	}
	t.Fields = true
	t.columns(head)
}

// columns offers the columns of stats instead of fields, if the query before has some.
func (t *Typing) columns(head string) {
	s, err := ParseStatement(strings.TrimRight(head, " \t\r\n|"))
	if err != nil || !s.Counts() || !t.Fields {
		return
	}
	t.Fields = false
	for _, c := range s.columns {
		if name, ok := s.writeColumn(c.name); ok {
			t.words = append(t.words, Hint{name, "column"})
		}
	}
}

// Hints returns what completes the typed text, of the language, of some fields and of values of Typing.Key.
func (t Typing) Hints(fields []Known, values []string) (hints []Hint) {
	hints = append(hints, t.words...)
	if t.Fields {
		for _, f := range fields {
			hints = append(hints, Hint{t.write(f.Key), f.Kind})
		}
	}
	hints = append(hints, t.calls...)
	for _, v := range values {
		hints = append(hints, Hint{Text: t.write(v)})
	}
	typed := strings.ToLower(strings.TrimSuffix(t.Typed, `"`))
	meets := func(h Hint) int { return strings.Index(strings.ToLower(h.Text), typed) }
	hints = slices.DeleteFunc(hints, func(h Hint) bool { return meets(h) < 0 || h.Text == t.Typed })
	slices.SortStableFunc(hints, func(a, b Hint) int { return cmp.Compare(min(1, meets(a)), min(1, meets(b))) }) // those that begin so are first
	return hints[:min(len(hints), MostHints)]
}

// KindOf returns what the values of a column are, in a word; "" if the frame has none.
func KindOf(c *Column) string {
	if c == nil || len(c.Values) == 0 {
		return ""
	}
	return map[Kind]string{Text: "text", Number: "number", Bool: "true or false", List: "list"}[c.Values[0].Kind]
}
