package triage

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestExplain(t *testing.T) {
	t.Parallel()
	of := func(n int, revision string) []string {
		return slices.Repeat([]string{"\nhostname=web-1\nrevision=" + revision + "\nparams.x=1\n"}, n)
	}
	mixed := func(n, more int) []string { return append(of(n, "r1"), of(more, "r2")...) }
	for name, c := range map[string]struct {
		recent, before []string
		want           []string
	}{
		"a new revision":            {of(20, "r2"), of(20, "r1"), []string{"revision r2 20 0 0 1"}},
		"too little evidence":       {of(19, "r2"), of(100, "r1"), nil},
		"nothing before":            {of(100, "r2"), of(19, "r1"), nil},
		"nothing changed":           {of(50, "r1"), of(50, "r1"), nil},
		"a small change":            {mixed(76, 24), of(1000, "r1"), nil},
		"a change":                  {mixed(75, 25), of(1000, "r1"), []string{"revision r2 25 0 0 0.25"}},
		"a change that luck allows": {mixed(8, 12), mixed(14, 6), nil},
	} {
		var got []string
		for _, f := range Explain(c.recent, c.before).Changes {
			got = append(got, fmt.Sprint(f.Facet, " ", f.Value, " ", f.Recent, " ", f.Before, " ", f.From, " ", f.To))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	want := []FacetTop{
		{"revision", []FacetCount{{"r1", 3, 0.75}, {"r2", 1, 0.25}}},
		{"hostname", []FacetCount{{"web-1", 4, 1}}},
	}
	if diff := cmp.Diff(want, Explain(of(2, "r1"), mixed(1, 1)).Common); diff != "" {
		t.Errorf("in common (-want +got):\n%s", diff)
	}
}
