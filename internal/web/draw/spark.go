package draw

import (
	"fmt"
	"html/template"
	"strings"
)

// Spark is a small row of bars, such as one for each of 24 hours.
type Spark struct {
	Width, Height int
	Bars          string // path
	Mark          string // path of a deploy; "" for none
	Text          string
}

// HTML returns the image. It is built here, and not in a template, because lists have many.
func (s Spark) HTML() template.HTML {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="spark" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="%s"><path class="bar" d="%s"/>`,
		s.Width, s.Height, s.Width, s.Height, template.HTMLEscapeString(s.Text), s.Bars)
	if s.Mark != "" {
		fmt.Fprintf(&b, `<path class="mark" d="%s"/>`, s.Mark)
	}
	b.WriteString("</svg>")
	return template.HTML(b.String()) //nolint:gosec // paths consist of numbers, the text is escaped
}

// Measures of a spark, in pixels.
const (
	sparkBar    = 3
	sparkStep   = 4.3
	sparkHeight = 20
	sparkLeast  = 1 // height of a zero, so that the row is visible
)

// NewSpark returns a spark of counts, the oldest first; mark is the position of a deploy in bars, negative for none. unit names what
// is counted, such as "events in 24 hours".
func NewSpark(counts []int64, mark float64, unit string) Spark {
	s := Spark{Width: int(float64(len(counts))*sparkStep + 0.5), Height: sparkHeight}
	top := highest(counts)
	var bars strings.Builder
	for i, n := range counts {
		h := float64(sparkLeast)
		if n > 0 {
			h = 2 + float64(n)/float64(top)*(sparkHeight-2)
		}
		bars.WriteString(bar(float64(i)*sparkStep, sparkHeight-h, sparkBar, h))
	}
	s.Bars = bars.String()
	if mark >= 0 && mark <= float64(len(counts)) {
		s.Mark = bar(mark*sparkStep, 0, 1.5, sparkHeight)
	}
	s.Text = several(sum(counts), unit)
	return s
}
