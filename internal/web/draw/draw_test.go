package draw

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func TestSpark(t *testing.T) {
	t.Parallel()
	s := NewSpark([]int64{0, 4, 2}, 1.5, "events in 3 hours")
	if got := strings.Count(s.Bars, "M"); got != 3 {
		t.Errorf("%d bars, want one for each hour: %s", got, s.Bars)
	}
	for what, want := range map[string]string{
		"nothing, which is still seen": "M0 19h3v1h-3z", "the most": "M4.3 0h3v20h-3z", "half of it": "M8.6 9h3v11h-3z",
	} {
		if !strings.Contains(s.Bars, want) {
			t.Errorf("%s is not drawn as %s: %s", what, want, s.Bars)
		}
	}
	if s.Mark != "M6.5 0h1.5v20h-1.5z" || s.Text != "6 events in 3 hours" || s.Width != 13 {
		t.Errorf("%+v", s)
	}
	for _, mark := range []float64{-1, 3.1} {
		if s := NewSpark([]int64{1, 2, 3}, mark, "events"); s.Mark != "" {
			t.Errorf("a deploy at %v is drawn: %s", mark, s.Mark)
		}
	}
	if s := NewSpark([]int64{1}, -1, "events in 3 hours"); s.Text != "1 event in 3 hours" {
		t.Errorf("one event is %q", s.Text)
	}
	if s := NewSpark(nil, -1, "events"); s.Bars != "" || s.Text != "0 events" {
		t.Errorf("nothing is drawn as %+v", s)
	}
}

// What is not as it should be is taller, so that it is seen without colour.
func TestStrip(t *testing.T) {
	t.Parallel()
	s := NewStrip([]string{"ok", "crit", "ok", "none", "odd"}, 5, "5 checks")
	want := []StripPath{{"ok", "M0 3h4v14h-4zM10 3h4v14h-4z"}, {"crit", "M5 0h4v20h-4z"}, {"none", "M15 8h4v4h-4z"}, {"odd", "M20 3h4v14h-4z"}}
	if diff := cmp.Diff(want, s.Paths); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if s.Width != 25 || s.Text != "5 checks" {
		t.Errorf("%+v", s)
	}
}

func TestBars(t *testing.T) {
	t.Parallel()
	axis := Axis{From: noon.Add(-4 * time.Hour), To: noon, Layout: "15:04"}
	deploys := []Event{{From: noon.Add(-2 * time.Hour), Title: "Deploy 9c2ab10", Path: "/releases/9c2ab10"}, {From: noon.Add(-5 * time.Hour), Title: "before"}, {From: noon.Add(time.Hour), Title: "after"}}
	outages := []Event{{From: noon.Add(-6 * time.Hour), To: noon.Add(-3 * time.Hour), Title: "shop was down"}, {From: noon.Add(-time.Hour), Title: "shop is down"}, {From: noon.Add(-9 * time.Hour), To: noon.Add(-8 * time.Hour)}}
	c := NewBars(axis, []int64{0, 10, 5, 20}, deploys, outages, "events")
	if diff := cmp.Diff([][]string{{"08:00", "0"}, {"09:00", "10"}, {"10:00", "5"}, {"11:00", "20"}}, c.Rows); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
	if len(c.Bars) != 3 || c.Bars[2].Title != "11:00: 20" || c.Bars[2].Y != num(c.Top) || c.Bars[0].H != num((c.Bottom-c.Top)/2) {
		t.Errorf("bars %+v", c.Bars)
	}
	if len(c.Marks) != 1 || c.Marks[0].Title != "Deploy 9c2ab10" || c.Linked()[0].Path != "/releases/9c2ab10" || c.Marks[0].X != across((c.Left+c.Right)/2) {
		t.Errorf("marks %+v", c.Marks)
	}
	if len(c.Bands) != 2 || c.Bands[0].X != across(c.Left) || c.Bands[1].Title != "shop is down" {
		t.Errorf("bands %+v", c.Bands)
	}
	if want := "35 events from 20 Nov 08:00 to 20 Nov 12:00 UTC, 1 deploy, 2 outages"; c.Text != want {
		t.Errorf("it says %q, want %q", c.Text, want)
	}
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	there := NewBars(axis.In(berlin, time.Hour), []int64{0, 10, 5, 20}, nil, nil, "events")
	if there.Rows[0][0] != "09:00" || there.Bars[0].Title != "10:00: 10" || there.Columns[0] != "Time (Europe/Berlin)" || there.Text != "35 events from 20 Nov 09:00 to 20 Nov 13:00 CET" {
		t.Errorf("in Berlin: %+v", there)
	}
	if days := NewBars(axis.In(berlin, 24*time.Hour), []int64{1}, nil, nil, "events"); days.Zone != "UTC" {
		t.Errorf("days, which are counted in UTC, are said to be in %s", days.Zone)
	}
	if c.Lines[1].Label != "10" || c.Lines[2].Label != "20" {
		t.Errorf("axis %+v", c.Lines)
	}
}

// A gap in a line is where nothing was measured; one value between two gaps is still seen.
func TestLines(t *testing.T) {
	t.Parallel()
	axis := Axis{From: noon.Add(-4 * time.Hour), To: noon, Layout: "15:04"}
	c := NewLines(axis, []Values{{"Virginia", []float64{100, 50, Gap, 25, Gap}}, {"Oregon", []float64{Gap, Gap, Gap, Gap, Gap}}}, nil, nil, "ms")
	if want := "M44 14L282 84M758 119h.1"; c.Series[0].Path != want {
		t.Errorf("line %s, want %s", c.Series[0].Path, want)
	}
	if c.Series[1].Path != "" || c.Series[1].Number != 2 {
		t.Errorf("line of nothing %+v", c.Series[1])
	}
	if diff := cmp.Diff([]string{"10:00", "–", "–"}, c.Rows[2]); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
}

func TestNothingIsDrawn(t *testing.T) {
	t.Parallel()
	axis := Axis{From: noon.Add(-time.Hour), To: noon, Layout: "15:04"}
	if c := NewBars(axis, nil, nil, nil, "events"); len(c.Bars) != 0 || len(c.Lines) != 3 {
		t.Errorf("%+v", c)
	}
	if c := NewLines(axis, nil, nil, nil, "ms"); len(c.Series) != 0 || strings.Contains(c.Text, "NaN") {
		t.Errorf("%+v", c)
	}
}

// The half of an axis is a whole number, and the axis is not much longer than what it shows.
func TestNice(t *testing.T) {
	t.Parallel()
	for top := 1.0; top < 100_000; top = top*1.07 + 1 {
		got := nice(float64(int(top)))
		if got < float64(int(top)) || got > 2.1*top+2 || int(got)%2 != 0 {
			t.Errorf("nice(%v) = %v", int(top), got)
		}
	}
}

// A chart has the values that it is given: also those below zero and below one.
func TestScaleOfLines(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		values []float64
		labels []string
		path   string
	}{
		{[]float64{0, 3}, []string{"0", "2", "4"}, "M44 154L996 49"},
		{[]float64{-5, 8}, []string{"-8", "0", "8"}, "M44 127.8L996 14"},
		{[]float64{-8, -2}, []string{"-8", "-4", "0"}, "M44 154L996 49"},
		{[]float64{0.01, 0.04}, []string{"0", "0.02", "0.04"}, "M44 119L996 14"},
		{[]float64{Gap, Gap}, []string{"0", "1", "2"}, ""},
	} {
		c := NewLines(Axis{From: noon.Add(-time.Hour), To: noon, Layout: "15:04"}, []Values{{"n", tt.values}}, nil, nil, "")
		var labels []string
		for _, l := range c.Lines {
			labels = append(labels, l.Label)
		}
		if diff := cmp.Diff(tt.labels, labels); diff != "" || c.Series[0].Path != tt.path {
			t.Errorf("%v: %s, labels (-want +got):\n%s", tt.values, c.Series[0].Path, diff)
		}
	}
	if c := NewLines(Axis{From: noon.Add(-time.Hour), To: noon, Layout: "15:04"}, []Values{{"n", []float64{-2.5, 0.0312}}}, nil, nil, ""); c.Rows[0][1] != "-2.5" || c.Rows[1][1] != "0.0312" {
		t.Errorf("table %q", c.Rows)
	}
}
