package status

import (
	"slices"
	"testing"
	"time"

	"sett/internal/sett/status/locale"
)

// inGroup returns a component of a group with ninety days.
func inGroup(name, group string, state ComponentState) ComponentView {
	c := ninetyDays()
	c.Name, c.Group, c.State = name, group, state
	return c
}

func TestGroups(t *testing.T) {
	t.Parallel()
	v := StatusView{Components: []ComponentView{
		inGroup("a", "Europe", ComponentUp), inGroup("b", "", ComponentUp), inGroup("c", "Asia", ComponentPaused), inGroup("d", "Europe", ComponentDown), inGroup("e", "", ComponentUp),
	}}
	groups := v.Groups()
	var got []string
	for _, g := range groups {
		text := g.Name + ":"
		for _, c := range g.Components {
			text += c.Name
		}
		got = append(got, text)
	}
	if want := []string{"Europe:ad", ":b", "Asia:c", ":e"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if s := groups[0].State(); s != OverallMixed || groups[0].Paused() {
		t.Errorf("Europe is %s", s)
	}
	if s := groups[2].State(); s != OverallUnknown || !groups[2].Paused() {
		t.Errorf("Asia is %s", s)
	}
}

// The bar of a group shows the worst of each day, and its percentage all of its components.
func TestDaysOfAGroup(t *testing.T) {
	t.Parallel()
	a, b := ninetyDays(downOn(88, 12*time.Hour, 1, 1), bareUntil(88)), ninetyDays(downOn(89, time.Hour, 1, 1), bareUntil(89))
	b.Days[88].Measured = 0
	g := ComponentGroup{Name: "Europe", Components: []ComponentView{a, b}}
	worst := g.Worst()
	if len(worst.Days) != 90 || worst.Days[88].Down != 12*time.Hour || worst.Days[89].Down != time.Hour || worst.Days[0].Measured != 0 {
		t.Errorf("%+v", worst.Days[87:])
	}
	if text := worst.Summary(locale.English); text != "90 days, 88 without data, 2 outages of 13 hours in all between 17 Nov and 18 Nov" {
		t.Errorf("%q", text)
	}
	var measured, down time.Duration
	for _, c := range g.Components {
		for _, d := range c.Days {
			measured, down = measured+d.Measured, down+d.Down
		}
	}
	if p, ok := g.Percent(); !ok || p != 100*float64(measured-down)/float64(measured) {
		t.Errorf("%v", p)
	}
	if _, ok := (ComponentGroup{}).Percent(); ok {
		t.Error("a group of nothing has a share")
	}
}
