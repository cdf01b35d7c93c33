package draw

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"sett/internal/base/phrase"
)

// Chart is bars or lines over time, with deploys and outages. Horizontal coordinates are percentages of the width, so that a chart
// fills the available width while texts keep their size; vertical coordinates are in pixels.
type Chart struct {
	Height                   int
	Left, Right, Top, Bottom float64 // of the plot area
	TickY                    float64
	Lines                    []GridLine
	Limit                    *GridLine // of lines, over which values are bad
	Ticks                    []Tick
	Bars                     []Box
	Bands                    []Box
	Series                   []Series
	Marks                    []Mark
	Text                     string
	Zone                     string   // name of the time zone of its times
	Columns                  []string // of the table with the same data
	Rows                     [][]string
}

// GridLine is a horizontal line with its value.
type GridLine struct {
	X, Y, TextY string
	Label       string
}

// Tick is a time below the chart.
type Tick struct {
	X      string
	Anchor string // text-anchor: middle, or end at the right edge
	Label  string
}

// Box is a bar, or a band in the background.
type Box struct {
	X, Y, W, H string
	Title      string
}

// Series is one line.
type Series struct {
	Number int // from 1; it selects the color
	Name   string
	Path   string
	Area   string // path of what is filled below the line; "" for nothing
}

// Mark is something that happened at a time.
type Mark struct {
	X     string
	Title string
	Path  string // of a page about it, or ""
}

// Linked returns the marks that have a page.
func (c Chart) Linked() (linked []Mark) {
	for _, m := range c.Marks {
		if m.Path != "" {
			linked = append(linked, m)
		}
	}
	return linked
}

// Axis is the time range of a chart and the format of its times.
type Axis struct {
	From, To time.Time
	Layout   string         // format of the times, such as 15:04
	Short    string         // format of the times below the chart, if it differs
	Zone     *time.Location // of the times; nil for UTC, in which days are counted
}

// In returns the axis with the times in a zone. Parts of a day or more are counted in UTC, and stay in it.
func (a Axis) In(zone *time.Location, part time.Duration) Axis {
	if part < 24*time.Hour {
		a.Zone = zone
	}
	return a
}

func (a Axis) zone() *time.Location {
	if a.Zone == nil {
		return time.UTC
	}
	return a.Zone
}

// part formats when one of so many equal parts of the axis begins.
func (a Axis) part(i, parts int) string {
	return a.label(a.partTime(i, parts))
}

func (a Axis) partTime(i, parts int) time.Time {
	return a.From.Add(a.To.Sub(a.From) / time.Duration(max(1, parts)) * time.Duration(i))
}

// short formats a time below the chart.
func (a Axis) short(t time.Time) string {
	if a.Short == "" {
		return a.label(t)
	}
	return t.In(a.zone()).Format(a.Short)
}

// label formats a time of the axis.
func (a Axis) label(t time.Time) string { return t.In(a.zone()).Format(a.Layout) }

// Event is a mark at one time, or a band from one time to another.
type Event struct {
	From, To time.Time // To is zero for a mark
	Title    string
	Path     string // of a page about it, or ""
}

// measures are those of a chart: vertical in pixels, horizontal in percent of the width.
type measures struct {
	height, top, bottom int // the last two are the room above and below the plot area
	left, right         float64
}

var (
	large = measures{height: 180, top: 14, bottom: 26, left: 4.4, right: 99.6}
	small = measures{height: 48, top: 12, bottom: 1, left: 0, right: 100}
)

const (
	tickRoom = 11  // minimum distance of two times, in percent of the width
	barGap   = 0.1 // share of a bar's width
)

// across formats a horizontal position or length.
func across(share float64) string { return strconv.FormatFloat(share, 'f', 2, 64) + "%" }

// tick returns a time below the chart.
func tick(x float64, label string) Tick {
	if x > 93 {
		return Tick{across(large.right), "end", label}
	}
	return Tick{across(x), "middle", label}
}

func newPlot(a Axis, m measures) *Chart {
	return &Chart{Height: m.height, Left: m.left, Right: m.right, Top: float64(m.top), Bottom: float64(m.height - m.bottom), Zone: a.zone().String()}
}

func newChart(a Axis, s scale, unit string) *Chart {
	c := newPlot(a, large)
	c.TickY = float64(c.Height) - 8
	for _, share := range [...]float64{0, 0.5, 1} {
		y := c.Bottom - share*(c.Bottom-c.Top)
		c.Lines = append(c.Lines, GridLine{across(c.Left - 0.6), num(y), num(y + 4), strings.TrimSpace(short(s.value(share)) + " " + unit)})
	}
	return c
}

// x returns the horizontal position of a time.
func (c *Chart) x(a Axis, t time.Time) float64 {
	return c.Left + float64(t.Sub(a.From))/float64(a.To.Sub(a.From))*(c.Right-c.Left)
}

// y returns the vertical position of a value.
func (c *Chart) y(s scale, v float64) float64 { return c.Bottom - s.at(v)*(c.Bottom-c.Top) }

// mark adds the marks and bands within the axis.
func (c *Chart) mark(a Axis, deploys, outages []Event) {
	for _, e := range deploys {
		if e.From.Before(a.From) || e.From.After(a.To) {
			continue
		}
		c.Marks = append(c.Marks, Mark{across(c.x(a, e.From)), e.Title, e.Path})
	}
	for _, e := range outages {
		from, to := e.From, e.To
		if to.IsZero() || to.After(a.To) {
			to = a.To
		}
		if from.Before(a.From) {
			from = a.From
		}
		if to.Before(from) {
			continue
		}
		x := c.x(a, from)
		c.Bands = append(c.Bands, Box{across(x), num(c.Top), across(max(0.2, c.x(a, to)-x)), num(c.Bottom - c.Top), e.Title})
	}
}

// NewBars returns a bar chart of counts, the oldest first, for equal parts of the axis. unit names what is counted, such as "events".
func NewBars(a Axis, counts []int64, deploys, outages []Event, unit string) Chart {
	top := nice(float64(highest(counts)))
	c := newChart(a, scale{0, top}, "")
	c.Columns = []string{"Time (" + c.Zone + ")", strings.ToUpper(unit[:1]) + unit[1:]}
	c.bars(a, counts, top)
	room := (c.Right - c.Left) / float64(max(1, len(counts)))
	every := max(1, int(tickRoom/room+0.999))
	for i, n := range counts {
		at := a.part(i, len(counts))
		if i%every == 0 {
			c.Ticks = append(c.Ticks, tick(c.Left+(float64(i)+0.5)*room, a.short(a.partTime(i, len(counts)))))
		}
		c.Rows = append(c.Rows, []string{at, strconv.FormatInt(n, 10)})
	}
	c.mark(a, deploys, outages)
	c.Text = c.describe(a, several(sum(counts), unit))
	return *c
}

// NewSmallBars returns the bars of NewBars in the height of a few lines of text, without texts and links.
func NewSmallBars(a Axis, counts []int64, deploys, outages []Event, unit string) Chart {
	c := newPlot(a, small)
	c.bars(a, counts, float64(highest(counts)))
	c.mark(a, deploys, outages)
	for i := range c.Marks {
		c.Marks[i].Path = ""
	}
	c.Text = c.describe(a, several(sum(counts), unit))
	return *c
}

// bars adds a bar for each count that is not zero; one of top is as high as the plot area.
func (c *Chart) bars(a Axis, counts []int64, top float64) {
	room := (c.Right - c.Left) / float64(max(1, len(counts)))
	for i, n := range counts {
		if n > 0 {
			x, h := c.Left+float64(i)*room, max(1, float64(n)/top*(c.Bottom-c.Top))
			c.Bars = append(c.Bars, Box{across(x + room*barGap/2), num(c.Bottom - h), across(room * (1 - barGap)), num(h), fmt.Sprintf("%s: %d", a.part(i, len(counts)), n)})
		}
	}
}

// describe returns a sentence that describes a chart.
func (c *Chart) describe(a Axis, what string) string {
	const layout = "2 Jan 15:04"
	text := fmt.Sprintf("%s from %s to %s", what, a.From.In(a.zone()).Format(layout), phrase.Time(a.To.In(a.zone()), layout))
	for _, m := range []struct {
		n   int
		one string
	}{{len(c.Marks), "deploy"}, {len(c.Bands), "outage"}} {
		if m.n > 0 {
			text += ", " + plural(m.n, m.one)
		}
	}
	return text
}

// several formats a number with a unit such as "events in 24 hours".
func several(n int64, unit string) string {
	if name, rest, _ := strings.Cut(unit, " "); n == 1 {
		unit = strings.TrimSpace(strings.TrimSuffix(name, "s") + " " + rest)
	}
	return strconv.FormatInt(n, 10) + " " + unit
}

func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + one + "s"
}

// Values is the values of a line, one for each equal part of the axis; Gap where there is none.
type Values struct {
	Name   string
	Values []float64
}

// NewLines returns a line chart. unit follows the values, such as "ms"; "" for none.
func NewLines(a Axis, all []Values, deploys, outages []Event, unit string) Chart {
	return NewLimitedLines(a, 0, all, deploys, outages, unit)
}

// NewLimitedLines is NewLines with a line at a limit; 0 for none. A limit far above all values is left out: it would flatten them.
func NewLimitedLines(a Axis, limit float64, all []Values, deploys, outages []Event, unit string) Chart {
	most := 0
	for _, v := range all {
		most = max(most, len(v.Values))
	}
	shown := scaleOf(all)
	limited := limit > 0 && limit <= mostLimit*shown.top
	if limited {
		shown = scaleOf(append(slices.Clip(all), Values{Values: []float64{limit}}))
	}
	c := newChart(a, shown, unit)
	c.Columns = []string{"Time (" + c.Zone + ")"}
	for i, v := range all {
		c.Columns = append(c.Columns, strings.TrimSuffix(v.Name+" ("+unit+")", " ()"))
		c.Series = append(c.Series, Series{Number: i%Colors + 1, Name: v.Name, Path: c.line(v.Values, shown)})
	}
	c.times(a, most, all)
	if limited {
		c.Limit = &GridLine{Y: num(c.y(shown, limit)), Label: "Limit: " + strings.TrimSpace(short(limit)+" "+unit)}
	}
	c.mark(a, deploys, outages)
	c.Text = c.describe(a, plural(len(all), "line"))
	return *c
}

// mostLimit is how many times the highest value on the scale a limit may be to be drawn.
const mostLimit = 4

// lineScale is the number of path units per percent of the width, so that one decimal is enough.
const lineScale = 10

// line returns the path of values, which ends at a Gap. A value between two gaps is a dot.
func (c *Chart) line(values []float64, s scale) string {
	var b strings.Builder
	room := (c.Right - c.Left) / float64(max(1, len(values)-1))
	drawing := false
	for i, v := range values {
		if math.IsNaN(v) {
			drawing = false
			continue
		}
		letter := "M"
		if drawing {
			letter = "L"
		}
		b.WriteString(path(letter, lineScale*(c.Left+float64(i)*room), c.y(s, v)))
		if !drawing && (i+1 == len(values) || math.IsNaN(values[i+1])) {
			b.WriteString("h.1")
		}
		drawing = true
	}
	return b.String()
}

// times adds the times below lines, and the table of their values.
func (c *Chart) times(a Axis, n int, all []Values) {
	room := (c.Right - c.Left) / float64(max(1, n-1))
	every := max(1, int(tickRoom/room+0.999))
	width := a.To.Sub(a.From) / time.Duration(max(1, n-1))
	for i := range n {
		at := a.From.Add(time.Duration(i) * width)
		if i%every == 0 {
			c.Ticks = append(c.Ticks, tick(c.Left+float64(i)*room, a.short(at)))
		}
		row := []string{a.label(at)}
		for _, v := range all {
			cell := "–"
			if i < len(v.Values) && !math.IsNaN(v.Values[i]) {
				cell = short(v.Values[i])
			}
			row = append(row, cell)
		}
		c.Rows = append(c.Rows, row)
	}
}
