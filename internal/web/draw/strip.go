package draw

import "strings"

// Strip is a row of cells with states, such as the last 60 checks of a site.
type Strip struct {
	Width, Height int
	Paths         []StripPath // one for each state
	Text          string
}

// StripPath is all cells of one state.
type StripPath struct{ Class, D string }

// Measures of a strip, in pixels. Cells of bad states are taller, so that they are visible without color.
const (
	stripHeight = 20
	stripGap    = 1
)

// cellHeights are the heights of cells by state; other states have the height of "ok".
var cellHeights = map[string]float64{"ok": 14, "warn": 18, "crit": 20, "none": 4}

// NewStrip returns a strip of cells, the oldest first, each a CSS class: ok, warn, crit or none. width is the width of a cell with its
// gap, in pixels. text describes the row.
func NewStrip(cells []string, width int, text string) Strip {
	s := Strip{Width: len(cells) * width, Height: stripHeight, Text: text}
	paths := map[string]*strings.Builder{}
	var order []string
	for i, class := range cells {
		if paths[class] == nil {
			paths[class] = &strings.Builder{}
			order = append(order, class)
		}
		h, known := cellHeights[class]
		if !known {
			h = cellHeights["ok"]
		}
		paths[class].WriteString(bar(float64(i*width), (stripHeight-h)/2, float64(width-stripGap), h))
	}
	for _, class := range order {
		s.Paths = append(s.Paths, StripPath{class, paths[class].String()})
	}
	return s
}
