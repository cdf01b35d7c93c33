package stats

import (
	"fmt"
	"slices"
	"testing"

	"sett/internal/sett/faults"
)

func seenIn(id int64, environment, class string, count int64) SeenFault {
	g := faults.Grouping{Rule: 1, Basis: "location", Environment: environment, Class: class, File: "a.rb"}
	g.Key[0] = byte(id)
	return SeenFault{ID: id, Environment: environment, Class: class, Grouping: g, Count: count}
}

func TestEnvironmentsSideBySide(t *testing.T) {
	t.Parallel()
	seen := []SeenFault{
		seenIn(1, "production", "Boom", 5), seenIn(2, "staging", "Boom", 9), seenIn(3, "staging", "Crash", 1), seenIn(4, "production", "Slow", 100), seenIn(5, "", "Boom", 0),
	}
	c := Compare(seen)
	if want := []string{"production", "staging", ""}; !slices.Equal(c.Environments, want) || c.More != 0 {
		t.Errorf("environments %q and %d more, want %q", c.Environments, c.More, want)
	}
	text := func(c Comparison) (all string) {
		for _, f := range c.Faults {
			all += fmt.Sprintf("%s#%d=%d/%d ", f.Class, f.ID, f.Total, len(f.In))
		}
		return all
	}
	if got, want := text(c), "Slow#4=100/1 Boom#2=14/3 Crash#3=1/1 "; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for filter, want := range map[[2]string]string{
		{"staging", "production"}: "Crash#3=1/1 ", {"production", "staging"}: "Slow#4=100/1 ", {"staging", ""}: "Boom#2=14/3 Crash#3=1/1 ",
		{"", "staging"}: "Slow#4=100/1 ", {"nowhere", ""}: "",
	} {
		if got := text(c.Only(filter[0], filter[1])); got != want {
			t.Errorf("in %q and not in %q: %q, want %q", filter[0], filter[1], got, want)
		}
	}
	if len(c.Faults) != 3 {
		t.Error("a filter changes the comparison")
	}
}

func TestManyEnvironmentsAreCut(t *testing.T) {
	t.Parallel()
	var seen []SeenFault
	for n := range int64(10) {
		seen = append(seen, seenIn(n+1, fmt.Sprint("e", n), "Boom", n))
	}
	if c := Compare(seen, "e0"); len(c.Environments) != 6 || c.Environments[0] != "e0" || c.Environments[1] != "e9" || c.More != 4 || len(c.Faults[0].In) != 10 {
		t.Errorf("%+v", c)
	}
}
