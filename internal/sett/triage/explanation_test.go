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
		for _, f := range Explain(c.recent, c.before, nil).Changes {
			got = append(got, fmt.Sprint(f.Facet, " ", f.Value, " ", f.Recent, " ", f.Before, " ", f.From, " ", f.To))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestBreakdown(t *testing.T) {
	t.Parallel()
	recent := []string{
		"\nrevision=r1\nuser=7\nuser=ada@x.test\ncontext.tags.plan=gold\n", "\nrevision=r1\nuser=8\ncontext.tags.plan=gold\ncontext.tags.plan=gold\n",
	}
	before := []string{"\nrevision=r2\nhostname=web-1\nparams.x=1\n", "\nrevision=r1\nbrowser=\n"}
	for i := range mostTops + 2 {
		before = append(before, fmt.Sprintf("\nrequest.url=/%d\n", i))
	}
	want := []FacetTop{
		{"revision", []FacetCount{{"r1", 3, 0.3}, {"r2", 1, 0.1}}, 0, 0.6},
		{"hostname", []FacetCount{{"web-1", 1, 0.1}}, 0, 0.9},
		{"request.url", []FacetCount{{"/0", 1, 0.1}, {"/1", 1, 0.1}, {"/2", 1, 0.1}, {"/3", 1, 0.1}}, 0.2, 0.4},
		{"user", []FacetCount{{"8", 1, 0.1}, {"ada@x.test", 1, 0.1}}, 0, 0.8},
		{"context.tags.plan", []FacetCount{{"gold", 2, 0.2}}, 0, 0.8},
	}
	if diff := cmp.Diff(want, Explain(recent, before, []string{"Plan"}).Breakdown); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
