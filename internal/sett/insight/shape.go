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
	if s.stat == nil {
		return b, false
	}
	i := slices.IndexFunc(s.stat.By, func(b By) bool { return b.Name == column })
	if i < 0 {
		return b, false
	}
	return s.stat.By[i], true
}

// Key returns the field that a column of events shows.
func (s *Statement) Key(column string) string {
	for _, c := range s.shownColumns() {
		if c.name == column {
			return c.key
		}
	}
	return column
}

// Adds reports whether a column of stats has 0 where there are no events, as counts and sums have.
func (s *Statement) Adds(column string) bool {
	return s.stat != nil && slices.ContainsFunc(s.stat.Agg, func(a Agg) bool {
		return a.Name == column && (a.Func == Count || a.Func == Unique || a.Func == Sum)
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
	if s.stat == nil {
		return nil
	}
	for _, b := range s.stat.By {
		if !slices.ContainsFunc(columns, func(c AnswerColumn) bool { return c.Name == b.Name }) {
			left = append(left, b.Name)
		}
	}
	return left
}
