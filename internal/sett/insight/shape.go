package insight

import (
	"slices"
	"strings"
	"time"
)

// Shape says which columns of an answer a chart shows; -1 is none. The first time is across, the first text splits the numbers into series.
type Shape struct {
	Time, Group int
	Numbers     []int
}

// ShapeOf returns the shape of an answer with groups.
func ShapeOf(a Answer) Shape {
	s := Shape{Time: -1, Group: -1}
	for i, c := range a.Columns {
		switch {
		case c.Type == "datetime" && s.Time < 0:
			s.Time = i
		case c.Result && (c.Type == "integer" || c.Type == "float"):
			s.Numbers = append(s.Numbers, i)
		case !c.Result && c.Type != "datetime" && s.Group < 0:
			s.Group = i
		}
	}
	return s
}

// Drawn reports whether there is anything to draw.
func (s Shape) Drawn() bool { return len(s.Numbers) > 0 && (s.Time >= 0 || s.Group >= 0) }

// By returns what a column of stats groups events by.
func (s *Statement) By(column string) (b By, ok bool) {
	stat, shown := s.grouping(), s.column(column)
	if stat == nil || shown == nil {
		return b, false
	}
	i := slices.IndexFunc(stat.By, func(b By) bool { return b.Name == shown.key })
	if i < 0 {
		return b, false
	}
	return stat.By[i], true
}

// grouping returns the only thing that groups events; nil if there is none, or more than one.
func (s *Statement) grouping() *Stat {
	if len(s.groupings) != 1 {
		return nil
	}
	return s.groupings[0]
}

// column returns what a column of the result shows.
func (s *Statement) column(name string) *expr {
	for _, c := range s.columns {
		if c.name == name {
			return c.of
		}
	}
	return nil
}

// Key returns the field that a column of events shows.
func (s *Statement) Key(column string) string {
	switch x := s.column(column); {
	case x == nil:
		return column
	case x.key != "" && len(s.stages) == 1:
		return x.key
	case x.rowly && x.name == atTime:
		return atTime
	}
	return calculatedKey
}

// Adds reports whether a column of stats has 0 where there are no events, as counts and sums have.
func (s *Statement) Adds(column string) bool {
	stat, shown := s.grouping(), s.column(column)
	return stat != nil && shown != nil && slices.ContainsFunc(stat.Agg, func(a Agg) bool {
		return (a.Name == shown.key || a.Name == hidden+column) && (a.Func == Count || a.Func == Unique || a.Func == Sum)
	})
}

// Start returns when the step of a time began.
func (b By) Start(at time.Time) time.Time {
	return time.UnixMicro(b.start(Micros(at))).In(at.Location())
}

// Grouped returns the query for the number of events that a search finds, for each value of a field, and for numbers of another; "" is no field.
func Grouped(search, by, of string) string {
	stats := "stats count() as events"
	if name, ok := writeName(of); ok {
		stats += ", sum(" + name + "), avg(" + name + "), percentile(95, " + name + "), max(" + name + ")"
	}
	if name, ok := writeName(by); ok {
		stats += " by " + name
	}
	search = strings.TrimSpace(search)
	if search != "" && !searchHead.MatchString(search) {
		first, rest, _ := strings.Cut(search, " ")
		search = `"` + first + `" ` + rest
	}
	return joined(strings.TrimSpace(search), stats)
}

// Ungrouped returns by what events are grouped, but for some columns.
func (s *Statement) Ungrouped(columns []AnswerColumn) (left []string) {
	stat := s.grouping()
	if stat == nil {
		return []string{calculatedKey}
	}
	for _, b := range stat.By {
		if !slices.ContainsFunc(columns, func(c AnswerColumn) bool { by, ok := s.By(c.Name); return ok && by.Name == b.Name }) {
			left = append(left, b.Name)
		}
	}
	return left
}
