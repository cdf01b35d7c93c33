package events

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"sett/internal/sett/insight"
	"sett/internal/web"
	"sett/internal/web/draw"
)

// The bounds of a chart.
const (
	mostSeries = 5 // as many as there are colours
	mostSteps  = 500
)

// drawGroups draws groups: over time as bars or lines, and others as a bar in each row of the table.
func (v *result) drawGroups(s web.Shell, a asked, answer insight.Answer, plan insight.Plan, shape insight.Shape, as style) {
	switch {
	case !shape.Drawn() || len(answer.Rows) == 0:
		return
	case shape.Time < 0:
		v.Bars = true
		return
	}
	by, ok := a.Question.Statement.By(answer.Columns[shape.Time].Name)
	if !ok {
		return
	}
	for _, b := range plan.Stat.By { // whose step is known
		if b.Name == by.Name {
			by = b
		}
	}
	t := timeline{shape: shape, answer: answer, step: time.Duration(by.Step) * time.Microsecond, zone: s.Now.Location()}
	t.from = by.Start(time.UnixMicro(plan.From))
	if t.steps = int(time.UnixMicro(plan.To-1).Sub(t.from)/t.step) + 1; t.steps > mostSteps {
		v.drawing(fmt.Sprintf("The steps are too short for a chart of this period. Choose a shorter period, or longer steps such as bin(%s).", wide(insight.StepOf(time.Duration(plan.To-plan.From)*time.Microsecond))))
		return
	}
	t.collect(a.Question.Statement)
	if t.left > 0 {
		v.drawing(fmt.Sprintf("The chart shows the %d largest of %d groups.", mostSeries, mostSeries+t.left))
	}
	v.Chart, v.Lines = t.draw(as)
}

// drawing notes what is left out of the chart.
func (v *result) drawing(note string) {
	v.Notes, v.ofChart = append(v.Notes, note), append(v.ofChart, note)
}

// wide writes a step for a query.
func wide(step time.Duration) string {
	if step >= time.Hour {
		return fmt.Sprintf("%dh", step/time.Hour)
	}
	return fmt.Sprintf("%dm", max(1, step/time.Minute))
}

// timeline is numbers over time, in series.
type timeline struct {
	shape  insight.Shape
	answer insight.Answer
	from   time.Time
	step   time.Duration
	steps  int
	zone   *time.Location
	series []series
	left   int // series that are not drawn
}

type series struct {
	draw.Values
	adds bool // has 0 where there is no row
	sum  float64
}

// collect makes a series of each group, or of each number if there are no groups.
func (t *timeline) collect(s *insight.Statement) {
	number := map[string]int{}
	for _, row := range t.answer.Rows {
		cells := row.Values()
		step := int((time.UnixMicro(int64(cells[t.shape.Time].Num)).Sub(t.from) + t.step/2) / t.step)
		for _, i := range t.shape.Numbers {
			column := t.answer.Columns[i].Name
			name := column
			if t.shape.Group >= 0 {
				name = cmp.Or(short(cells[t.shape.Group].Text), none)
			}
			n, known := number[name]
			if !known {
				n = len(t.series)
				number[name] = n
				t.series = append(t.series, t.empty(name, s.Adds(column)))
			}
			if cells[i].Kind == insight.Number && step >= 0 && step < t.steps {
				t.series[n].add(step, cells[i].Num)
			}
			if t.shape.Group >= 0 {
				break // the first number alone
			}
		}
	}
	if t.shape.Group >= 0 {
		slices.SortStableFunc(t.series, func(a, b series) int { return cmp.Compare(b.sum, a.sum) })
	}
	t.left = max(0, len(t.series)-mostSeries)
	t.series = t.series[:len(t.series)-t.left]
}

// none is what people read where events have no value.
const none = "(none)"

func (t *timeline) empty(name string, adds bool) series {
	nothing := draw.Gap
	if adds {
		nothing = 0
	}
	return series{draw.Values{Name: name, Values: slices.Repeat([]float64{nothing}, t.steps)}, adds, 0}
}

// add sets the value of a step. Groups that share what is drawn are added up.
func (s *series) add(step int, n float64) {
	if s.adds {
		n += s.Values.Values[step]
	}
	s.Values.Values[step] = n
	s.sum += n
}

// style is how a widget wants numbers over time to be drawn; the zero value is what fits.
type style struct{ lines, areas, stacked bool }

// draw returns bars of one series of counts, and lines of all others.
func (t *timeline) draw(as style) (c *draw.Chart, lines bool) {
	to := t.from.Add(time.Duration(t.steps) * t.step)
	if counts, ok := t.counts(); ok && !as.lines && !as.areas {
		bars := draw.NewBars(axisOf(t.from, to, t.zone), counts, nil, nil, t.series[0].Name)
		return &bars, false
	}
	var all []draw.Values
	for _, s := range t.series {
		all = append(all, s.Values)
	}
	axis := axisOf(t.from, to.Add(-t.step), t.zone)
	drawn := draw.Chart{}
	if as.areas {
		drawn = draw.NewAreas(axis, all, as.stacked)
	} else {
		drawn = draw.NewLines(axis, all, nil, nil, "")
	}
	return &drawn, true
}

// counts returns the only series, if it is one of whole numbers.
func (t *timeline) counts() (counts []int64, ok bool) {
	if len(t.series) != 1 || !t.series[0].adds || t.steps < 2 && len(t.series) != 1 {
		return nil, false
	}
	for _, n := range t.series[0].Values.Values {
		if n != float64(int64(n)) || n < 0 {
			return nil, false
		}
		counts = append(counts, int64(n))
	}
	return counts, true
}
