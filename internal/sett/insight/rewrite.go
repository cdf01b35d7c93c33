package insight

import (
	"regexp"
	"slices"
	"strings"
)

// part is a function of a statement with its arguments: its first character, and the one behind it, from 0.
type part struct {
	name     string
	from, to int
}

// Is says that a key has a value.
type Is struct {
	Key   string
	Value Value
}

// plainName is a name that needs no backticks.
var plainName = regexp.MustCompile(`^[A-Za-z_@][A-Za-z0-9_@.]*$`)

// writeName writes the name of a field; ok is false if no query can name it.
func writeName(name string) (text string, ok bool) {
	if plainName.MatchString(name) && !slices.Contains(reserved, strings.ToLower(name)) {
		return name, true
	}
	return "`" + name + "`", name != "" && !strings.ContainsAny(name, "`\n")
}

// reserved are words that a query reads as its own where a field may stand.
var reserved = []string{"not", "by", "as", "and", "or"}

// write writes the condition of a filter; ok is false if there is none that holds for exactly these values.
func (is Is) write() (text string, ok bool) {
	name, ok := writeName(is.Key)
	if strings.HasPrefix(is.Key, "@") {
		return "", false
	}
	switch is.Value.Kind {
	case Absent:
		return "isNull(" + name + ")", ok
	case Text:
		return name + ` == "` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(is.Value.Text) + `"`, ok
	case Number, Bool:
		return name + " == " + is.Value.Text, ok && (is.Value.Kind == Bool || !strings.ContainsAny(is.Value.Text, "eE"))
	}
	return "", false
}

// Narrow returns the query for those of its events that have some values; "" if no query can ask for them. Of one with stats, it is about the
// events of a group.
func (s *Statement) Narrow(all ...Is) string {
	var conditions []string
	for _, is := range all {
		text, ok := is.write()
		if !ok {
			return ""
		}
		conditions = append(conditions, text)
	}
	text, at := []rune(s.Text), len([]rune(s.Text))
	for _, p := range slices.Backward(s.parts) {
		if p.name != "fields" && p.name != "filter" && p.name != "parse" {
			at = p.from
		}
	}
	for i, p := range s.parts {
		if i > 0 && p.name == "stats" && p.from != at { // rows were limited or expanded before they were grouped
			return ""
		}
	}
	rest := ""
	if !s.Counts() {
		rest = string(text[at:])
	}
	filter := ""
	if len(conditions) > 0 {
		filter = "filter " + strings.Join(conditions, " and ")
	}
	return joined(string(text[:at]), filter, rest)
}

// SortedBy returns the query with its rows in the order of a column; "" if no query can name it.
func (s *Statement) SortedBy(column AnswerColumn, desc bool) string {
	name, ok := s.writeColumn(column.Name)
	if !ok {
		return ""
	}
	clause := "sort " + name + map[bool]string{true: " desc", false: " asc"}[desc]
	text := []rune(s.Text)
	for _, p := range s.parts[s.lastStage():] {
		switch p.name {
		case "sort":
			return joined(string(text[:p.from]), clause, string(text[p.to:]))
		case "limit":
			return joined(string(text[:p.from]), clause, string(text[p.from:]))
		}
	}
	return joined(s.Text, clause)
}

// lastStage returns the number of the part behind the last one that makes new rows.
func (s *Statement) lastStage() (n int) {
	for i, p := range s.parts {
		if p.name == "stats" || p.name == "expand" || p.name == "fill" {
			n = i + 1
		}
	}
	return n
}

// writeColumn writes the name of a column, or the function that it is named by.
func (s *Statement) writeColumn(name string) (text string, ok bool) {
	for _, stat := range s.groupings {
		if slices.ContainsFunc(stat.Agg, func(a Agg) bool { return a.Name == hidden+name }) || slices.ContainsFunc(stat.By, func(b By) bool { return b.Name == name && strings.HasSuffix(name, ")") }) {
			return name, !strings.Contains(name, "…")
		}
	}
	return writeName(name)
}

// Sorted returns by which column rows are sorted first; "" if the query does not say.
func (s *Statement) Sorted() (column string, desc bool) {
	if len(s.sort) == 0 {
		return "", false
	}
	return s.sort[0].Name, s.sort[0].Desc
}

// joined joins parts of a query by pipes. Parts may have their own around them.
func joined(parts ...string) string {
	var all []string
	for _, p := range parts {
		if p = strings.Trim(p, " \t\r\n|"); p != "" {
			all = append(all, p)
		}
	}
	if strings.Contains(strings.Join(parts, ""), "\n") {
		return strings.Join(all, "\n| ")
	}
	return strings.Join(all, " | ")
}
