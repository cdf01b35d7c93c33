package draw

import "strings"

// Strip is a row of cells of which each has a state, such as the last 60 checks of a site.
type Strip struct {
	Width, Height int
	Paths         []StripPath // one for each state
	Text          string
}

// StripPath is all cells of one state.
type StripPath struct{ Class, D string }

// The measures of a strip, in pixels. Cells that are not as they should be are taller, so that they are seen without colour.
const (
	stripHeight = 20
	stripGap    = 1
)

// cellHeights are how tall cells of a state are; what is not named here is as tall as the state "ok".
var cellHeights = map[string]float64{"ok": 14, "warn": 18, "crit": 20, "none": 4}

// NewStrip draws cells, the oldest first, each a class of the style: ok, warn, crit or none. width is that of one cell with
// its gap, in pixels. text tells what the row shows.
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
