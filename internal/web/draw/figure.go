package draw

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// Figure is a drawing of the rows of a table: bars of values, slices of a whole, points, or cells of two directions. Horizontal coordinates are
// percentages of the width, vertical ones pixels, as in a Chart. Its numbers are in the table that its page has beside it.
type Figure struct {
	Height      int
	Left, Right float64 // of the plot area
	Lines       []GridLine
	Ticks       []Tick
	TickY       float64
	Shapes      []Shape
	Round       bool // the shapes are slices of a circle
	Legend      []Entry
	Text        string
}

// Shape is a rectangle, a circle with a radius, or a slice with a path.
type Shape struct {
	Class         string // its color
	X, Y, W, H, R string
	Path          string
	Title         string
}

// Entry names a color.
type Entry struct{ Class, Name string }

// Part is a named number.
type Part struct {
	Name  string
	Value float64
}

// Colors is how many colors there are for what is distinguished.
const Colors = 5

// other is the class of what is left when all colors are used.
const other = "f0"

// color returns the class of the n-th color, from 0.
func color(n int) string {
	if n >= Colors {
		return other
	}
	return "f" + strconv.Itoa(n+1)
}

// NewPie returns slices of a whole: the largest parts, and one for all others. Parts below zero are left out.
func NewPie(parts []Part) Figure {
	parts = slices.DeleteFunc(slices.Clone(parts), func(p Part) bool { return !(p.Value > 0) })
	slices.SortStableFunc(parts, func(a, b Part) int {
		if a.Value > b.Value {
			return -1
		} else if a.Value < b.Value {
			return 1
		}
		return 0
	})
	all := 0.0
	for _, p := range parts {
		all += p.Value
	}
	if len(parts) > Colors {
		rest := Part{Name: fmt.Sprintf("%d others", len(parts)-Colors)}
		for _, p := range parts[Colors:] {
			rest.Value += p.Value
		}
		parts = append(parts[:Colors:Colors], rest)
	}
	f := Figure{Height: large.height, Round: true, Text: plural(len(parts), "part") + " of " + short(all)}
	from := 0.0
	for i, p := range parts {
		share := p.Value / all
		label := fmt.Sprintf("%s: %s (%s%%)", p.Name, short(p.Value), short(100*share))
		f.Shapes = append(f.Shapes, Shape{Class: color(i), Path: slice(from, from+share), Title: label})
		f.Legend = append(f.Legend, Entry{color(i), label})
		from += share
	}
	return f
}

// slice returns the path of a part of a circle of radius 100 around 0; shares of the whole begin at the top.
func slice(from, to float64) string {
	if to-from > 0.9999 {
		return "M0-100A100 100 0 1 1-.1-100z"
	}
	at := func(share float64) (x, y float64) {
		return 100 * math.Sin(2*math.Pi*share), -100 * math.Cos(2*math.Pi*share)
	}
	x1, y1 := at(from)
	x2, y2 := at(to)
	wide := 0
	if to-from > 0.5 {
		wide = 1
	}
	return fmt.Sprintf("M0 0L%s %sA100 100 0 %d 1 %s %sz", num(x1), num(y1), wide, num(x2), num(y2))
}

// newFigure returns a plot area with three lines.
func newFigure(y scale) Figure {
	f := Figure{Height: large.height, Left: 6, Right: large.right, TickY: float64(large.height) - 8}
	for _, share := range [...]float64{0, 0.5, 1} {
		at := f.y(share)
		f.Lines = append(f.Lines, GridLine{across(f.Left - 0.6), num(at), num(at + 4), short(y.value(share))})
	}
	return f
}

// y returns the vertical position of a share of the plot area.
func (f *Figure) y(share float64) float64 {
	bottom := float64(large.height - large.bottom)
	return bottom - share*(bottom-float64(large.top))
}

func (f *Figure) x(share float64) float64 { return f.Left + share*(f.Right-f.Left) }

// names writes the names of equal parts below the plot area, as many as there is room for.
func (f *Figure) names(names []string) {
	room := (f.Right - f.Left) / float64(max(1, len(names)))
	every := max(1, int(nameRoom/room+0.999))
	for i := 0; i < len(names); i += every {
		f.Ticks = append(f.Ticks, tick(f.Left+(float64(i)+0.5)*room, brief(names[i])))
	}
}

// nameRoom is the minimum distance of two names, in percent of the width.
const nameRoom = 17

// brief shortens a name to what fits below a bar.
func brief(name string) string {
	const most = 12
	if letters := []rune(name); len(letters) > most {
		return string(letters[:most-1]) + "…"
	}
	return name
}

// NewHistogram returns a bar for each part, in their order.
func NewHistogram(parts []Part) Figure {
	values := make([]float64, 0, len(parts))
	names := make([]string, 0, len(parts))
	for _, p := range parts {
		values, names = append(values, p.Value), append(names, p.Name)
	}
	s := scaleOf([]Values{{Values: values}})
	f := newFigure(s)
	room := (f.Right - f.Left) / float64(max(1, len(parts)))
	for i, p := range parts {
		low, high := f.y(s.at(min(0, p.Value))), f.y(s.at(max(0, p.Value)))
		f.Shapes = append(f.Shapes, Shape{
			Class: color(0), X: across(f.Left + float64(i)*room + room*barGap/2), W: across(room * (1 - barGap)), Y: num(high), H: num(max(1, low-high)), Title: p.Name + ": " + short(p.Value),
		})
	}
	f.names(names)
	f.Text = plural(len(parts), "bar")
	return f
}

// Point is a value with two coordinates. Size is from 0 to 1; Group selects its color.
type Point struct {
	X, Y, Size float64
	Group      string
	Title      string
}

// NewScatter returns points. label formats a value of the horizontal axis.
func NewScatter(points []Point, label func(float64) string) Figure {
	var ys []float64
	low, top := math.Inf(1), math.Inf(-1)
	for _, p := range points {
		ys = append(ys, p.Y)
		low, top = min(low, p.X), max(top, p.X)
	}
	y := scaleOf([]Values{{Values: ys}})
	if top <= low {
		low, top = low-1, low+1
	}
	x := scale{low, top}
	f := newFigure(y)
	groups := map[string]int{}
	for _, p := range points {
		n, known := groups[p.Group]
		if !known {
			n = len(groups)
			groups[p.Group] = n
			if name := p.Group; name != "" && n <= Colors {
				if n == Colors {
					name = "others"
				}
				f.Legend = append(f.Legend, Entry{color(n), name})
			}
		}
		f.Shapes = append(f.Shapes, Shape{Class: color(n) + " dot", X: across(f.x(x.at(p.X))), Y: num(f.y(y.at(p.Y))), R: num(3.5 + 8*p.Size), Title: p.Title})
	}
	for _, share := range [...]float64{0, 0.25, 0.5, 0.75, 1} {
		f.Ticks = append(f.Ticks, tick(f.x(share), label(x.value(share))))
	}
	f.Text = plural(len(points), "point")
	return f
}

// Cell is a value of a column and a row.
type Cell struct {
	Column, Row string
	Value       float64
}

// NewHeatmap returns a cell for each value, darker in so many steps. Columns and rows are in the order of the cells.
func NewHeatmap(cells []Cell, steps int) Figure {
	var columns, rows []string
	top := 0.0
	for _, c := range cells {
		if !slices.Contains(columns, c.Column) {
			columns = append(columns, c.Column)
		}
		if !slices.Contains(rows, c.Row) {
			rows = append(rows, c.Row)
		}
		top = max(top, c.Value)
	}
	const rowHeight, darkest = 22, 10
	f := Figure{Height: large.top + rowHeight*len(rows) + large.bottom, Left: 20, Right: large.right, Text: fmt.Sprintf("%s and %s", plural(len(columns), "column"), plural(len(rows), "row"))}
	f.TickY = float64(f.Height) - 8
	for i, name := range rows {
		y := float64(large.top + rowHeight*i)
		f.Lines = append(f.Lines, GridLine{across(f.Left - 0.6), num(y + rowHeight), num(y + 15), brief(name)})
	}
	room := (f.Right - f.Left) / float64(max(1, len(columns)))
	for _, c := range cells {
		step := 1
		if top > 0 {
			step = min(steps, max(1, int(math.Ceil(c.Value/top*float64(steps)))))
		}
		f.Shapes = append(f.Shapes, Shape{
			Class: fmt.Sprintf("f1 o%d", max(1, darkest*step/steps)), Title: fmt.Sprintf("%s, %s: %s", c.Column, c.Row, short(c.Value)),
			X: across(f.Left + float64(slices.Index(columns, c.Column))*room), W: across(room), Y: num(float64(large.top + rowHeight*slices.Index(rows, c.Row))), H: num(rowHeight - 1),
		})
	}
	f.names(columns)
	return f
}

// NewAreas is NewLines with the area below each line filled. Stacked ones stand on one another.
func NewAreas(a Axis, all []Values, stacked bool) Chart {
	drawn := slices.Clone(all)
	if stacked {
		sum := []float64{}
		for i, v := range all {
			values := slices.Clone(v.Values)
			for n := range values {
				if math.IsNaN(values[n]) {
					values[n] = 0
				}
				if n < len(sum) {
					values[n] += sum[n]
				}
			}
			sum = values
			drawn[i].Values = values
		}
	}
	c := NewLines(a, drawn, nil, nil, "")
	bottom := c.y(scaleOf(drawn), 0)
	for i, v := range drawn {
		c.Series[i].Area = c.area(v.Values, scaleOf(drawn), bottom)
	}
	if stacked {
		slices.Reverse(c.Series) // the lower ones are in front
		plain := NewLines(a, all, nil, nil, "")
		c.Rows = plain.Rows // as they were, not their sums
	}
	return c
}

// area returns the path around the area between values and a height. A gap counts as 0.
func (c *Chart) area(values []float64, s scale, bottom float64) string {
	room := (c.Right - c.Left) / float64(max(1, len(values)-1))
	d := path("M", lineScale*c.Left, bottom)
	for i, v := range values {
		if math.IsNaN(v) {
			v = 0
		}
		d += path("L", lineScale*(c.Left+float64(i)*room), c.y(s, v))
	}
	return d + path("V", bottom) + "z"
}
