package dashboard

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sett/internal/sett"
)

// MostHeight is how many rows of a widget the page has. board.js knows this number, and the rule of Settle.
const MostHeight = 24

// Settle closes the grid upward: no widget overlaps another, and none has room above it. Widgets keep their columns. One that is held goes before
// others of its row, which move down.
func (s *Settings) Settle(held string) {
	order := make([]*Widget, len(s.Widgets))
	for i := range s.Widgets {
		order[i] = &s.Widgets[i]
	}
	slices.SortStableFunc(order, func(a, b *Widget) int { return before(a, b, held) })
	var heights [Columns]int // of what is placed, by column
	for _, w := range order {
		w.Grid = w.Grid.within()
		under := heights[w.Grid.X : w.Grid.X+w.Grid.W]
		w.Grid.Y = slices.Max(under)
		for i := range under {
			under[i] = w.Grid.Y + w.Grid.H
		}
	}
}

// before compares two widgets as they are read: row by row, from the left.
func before(a, b *Widget, held string) int {
	switch {
	case a.Grid.Y != b.Grid.Y:
		return a.Grid.Y - b.Grid.Y
	case held != "" && a.ID == held:
		return -1
	case held != "" && b.ID == held:
		return 1
	}
	return a.Grid.X - b.Grid.X
}

// within returns the nearest place that the page has.
func (g Grid) within() Grid {
	g.W, g.H = min(max(g.W, 1), Columns), min(max(g.H, 1), MostHeight)
	g.X, g.Y = min(max(g.X, 0), Columns-g.W), min(max(g.Y, 0), mostRow-1)
	return g
}

// Step moves a widget up or down, by as many rows as change the order of the page. It stays where nothing is above or below it.
func (s *Settings) Step(id string, by int) {
	i := s.index(id)
	if i < 0 {
		return
	}
	s.Settle("")
	was := slices.Clone(s.Widgets)
	for y := was[i].Grid.Y + by; y >= 0 && y <= bottom(was); y += by {
		s.Widgets = slices.Clone(was)
		s.Widgets[i].Grid.Y = y
		if s.Settle(id); s.Widgets[i].Grid.Y != was[i].Grid.Y {
			return
		}
	}
	s.Widgets = was
}

// bottom returns the first row below all widgets.
func bottom(widgets []Widget) (row int) {
	for _, w := range widgets {
		row = max(row, w.Grid.Y+w.Grid.H)
	}
	return row
}

// free returns the highest place at the end of the page that has room for a width.
func (s *Settings) free(w, h int) Grid {
	var heights [Columns]int
	for _, o := range s.Widgets {
		for i := range heights[o.Grid.X : o.Grid.X+o.Grid.W] {
			heights[o.Grid.X+i] = max(heights[o.Grid.X+i], o.Grid.Y+o.Grid.H)
		}
	}
	at := Grid{0, mostRow, w, h}
	for x := 0; x+w <= Columns; x++ {
		if y := slices.Max(heights[x : x+w]); y < at.Y {
			at.X, at.Y = x, y
		}
	}
	return at
}

// Arrange gives widgets the places that a page has sent, such as "a:0,0,6,3 b:6,0,6,3": of each widget its id, column, row, width and height.
// Widgets that it does not name keep their places while there is room. The error is Invalid if the text cannot be read, or names no widget.
func (s *Settings) Arrange(text string) error {
	entries := strings.Fields(text)
	if len(entries) == 0 || len(entries) > MostWidgets {
		return sett.Errorf(sett.Invalid, "Send the places of all widgets, such as a:0,0,6,3.")
	}
	for _, entry := range entries {
		id, place, _ := strings.Cut(entry, ":")
		g, ok := parsePlace(place)
		if !ok {
			return sett.Errorf(sett.Invalid, "The place %.40q is not a column, a row, a width and a height.", printable(place))
		}
		i := s.index(id)
		if i < 0 {
			return sett.Errorf(sett.Invalid, "There is no widget %.64q on this dashboard. Reload the page.", printable(id))
		}
		s.Widgets[i].Grid = g
	}
	s.Settle("")
	return nil
}

func parsePlace(text string) (g Grid, ok bool) {
	parts, to := strings.Split(text, ","), []*int{&g.X, &g.Y, &g.W, &g.H}
	if len(parts) != len(to) {
		return g, false
	}
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 10, 16)
		if err != nil {
			return g, false
		}
		*to[i] = int(n)
	}
	return g, true
}

// Place is where a widget stands on the page. The page has a line wherever a widget begins or ends, and no others.
type Place struct {
	Grid
	Row, Rows int // the line at which it begins, from 1, and over how many rows between lines it goes
}

// Class returns the classes of the place, which the stylesheet of dashboards has.
func (p Place) Class() string {
	return fmt.Sprintf("x%d w%d r%d n%d h%d", p.X, p.W, p.Row, p.Rows, p.H)
}

// Places returns the places of widgets of a settled dashboard.
func Places(widgets []Widget) (places []Place) {
	var lines []int
	for _, w := range widgets {
		lines = append(lines, w.Grid.Y, w.Grid.Y+w.Grid.H)
	}
	slices.Sort(lines)
	lines = slices.Compact(lines)
	for _, w := range widgets {
		first, last := slices.Index(lines, w.Grid.Y), slices.Index(lines, w.Grid.Y+w.Grid.H)
		places = append(places, Place{w.Grid, first + 1, last - first})
	}
	return places
}
