package draw

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestPie(t *testing.T) {
	t.Parallel()
	f := NewPie([]Part{{"a", 1}, {"b", 3}, {"nothing", 0}, {"less", -1}})
	if diff := cmp.Diff([]Shape{
		{Class: "f1", Path: "M0 0L0 -100A100 100 0 1 1 -100 0z", Title: "b: 3 (75%)"}, {Class: "f2", Path: "M0 0L-100 0A100 100 0 0 1 0 -100z", Title: "a: 1 (25%)"},
	}, f.Shapes); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var many []Part
	for range 8 {
		many = append(many, Part{"x", 1})
	}
	if f = NewPie(many); len(f.Shapes) != Colors+1 || f.Legend[Colors].Name != "3 others: 3 (37.5%)" || f.Shapes[Colors].Class != "f0" {
		t.Errorf("many parts are %+v", f)
	}
	if f = NewPie([]Part{{"all", 2}}); strings.Contains(f.Shapes[0].Path, "L") {
		t.Errorf("one part is no circle: %s", f.Shapes[0].Path)
	}
	if f = NewPie(nil); len(f.Shapes) != 0 {
		t.Errorf("nothing is %+v", f)
	}
}

func TestHistogram(t *testing.T) {
	t.Parallel()
	f := NewHistogram([]Part{{"a", 4}, {"a name that is long", -2}})
	up, down := f.Shapes[0], f.Shapes[1]
	if up.Y != "14" || up.H != "70" || down.Y != "84" || down.H != "35" || up.Title != "a: 4" || f.Ticks[1].Label != "a name that…" {
		t.Errorf("%+v", f)
	}
}

func TestScatter(t *testing.T) {
	t.Parallel()
	f := NewScatter([]Point{{X: 0, Y: 0, Group: "a"}, {X: 10, Y: 10, Group: "b", Size: 1}}, short)
	first, last := f.Shapes[0], f.Shapes[1]
	if first.X != across(f.Left) || first.Y != "154" || first.R != "3.5" || last.X != across(f.Right) || last.Y != "14" || last.R != "11.5" || first.Class != "f1 dot" || last.Class != "f2 dot" || len(f.Legend) != 2 || f.Ticks[4].Label != "10" {
		t.Errorf("%+v", f)
	}
	if f = NewScatter([]Point{{X: 5, Y: 1}}, short); strings.Contains(f.Shapes[0].X, "NaN") || len(f.Legend) != 0 {
		t.Errorf("one point is %+v", f)
	}
}

func TestHeatmap(t *testing.T) {
	t.Parallel()
	f := NewHeatmap([]Cell{{"x", "a", 10}, {"y", "a", 1}, {"y", "b", 5}, {"x", "b", -1}}, 5)
	var classes []string
	for _, s := range f.Shapes {
		classes = append(classes, s.Class)
	}
	if diff := cmp.Diff([]string{"f1 o10", "f1 o2", "f1 o6", "f1 o2"}, classes); diff != "" || f.Shapes[2].Title != "y, b: 5" || f.Height != 84 || len(f.Lines) != 2 {
		t.Errorf("%+v\n%s", f, diff)
	}
}

// Stacked areas stand on one another; their table has the numbers themselves.
func TestAreas(t *testing.T) {
	t.Parallel()
	axis := Axis{From: noon.Add(-time.Hour), To: noon, Layout: "15:04"}
	all := []Values{{"a", []float64{1, 1}}, {"b", []float64{1, Gap}}}
	if c := NewAreas(axis, all, false); c.Series[0].Area != "M44 154L44 84L996 84V154z" || c.Series[1].Area != "M44 154L44 84L996 154V154z" {
		t.Errorf("%+v", c.Series)
	}
	c := NewAreas(axis, all, true)
	if c.Series[0].Name != "b" || c.Series[0].Area != "M44 154L44 14L996 84V154z" || c.Rows[1][2] != "–" || c.Rows[0][2] != "1" {
		t.Errorf("%+v %v", c.Series, c.Rows)
	}
}
