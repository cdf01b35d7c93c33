package checks_test

import (
	"strings"
	"testing"

	"sett/internal/sett/checks"
)

func TestLocationLabels(t *testing.T) {
	t.Parallel()
	labels, err := checks.ParseLocationLabels(" Frankfurt = Vienna,, London=Rack 3 ")
	if err != nil {
		t.Fatal(err)
	}
	of := labels.With(checks.Virginia)
	for l, want := range map[checks.Location]string{checks.Virginia: "This server", checks.Frankfurt: "Vienna", checks.London: "Rack 3", checks.Oregon: "Oregon"} {
		if got := of.Of(l); got != want {
			t.Errorf("%s is shown as %q, want %q", l, got, want)
		}
	}
	if got := of.Within(checks.Virginia) + " " + of.Within(checks.Frankfurt); got != "this server Vienna" {
		t.Error(got)
	}
	if own := labels.With(checks.London); own.Of(checks.London) != "Rack 3" || labels.With("").Of(checks.Virginia) != "Virginia" {
		t.Errorf("%v", own)
	}
	for _, text := range []string{"Berlin", "Mars=Base", "London=", "London=" + strings.Repeat("x", 41)} {
		if got, err := checks.ParseLocationLabels(text); err == nil {
			t.Errorf("%q was read as %v", text, got)
		}
	}
}
