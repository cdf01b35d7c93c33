package group

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett/faults"
	"sett/internal/sett/triage"
)

func TestStepsSayWhyAnErrorWentOn(t *testing.T) {
	t.Parallel()
	at := func(line, revision string, change ...func(*faults.Grouping)) faults.Grouping {
		g := faults.Grouping{Rule: Second, Basis: byLocation, Class: "A", File: "cart.py", Method: "pay", Line: line, Message: "no price", Revision: revision, Alike: alikeErrors}
		for _, c := range change {
			c(&g)
		}
		return g
	}
	var keys []triage.KeyOfPart
	for _, k := range []struct {
		why faults.Why
		g   faults.Grouping
	}{
		{faults.LineMoved, at("45", "r2")},
		{faults.LineMoved, at("47", "r3")},
		{faults.MessageVaries, at("47", "r3", func(g *faults.Grouping) { g.Message = "no price today" })},
		{faults.RuleChanged, at("50", "r4")},
		{faults.OwnRules, at("7", "r4", func(g *faults.Grouping) { g.File = "shop.py" })},
		{faults.NamesVary, at("45", "r2", func(g *faults.Grouping) { g.Method = "" })},
		{faults.Separated, at("60", "r4")},
	} {
		text, err := json.Marshal(k.g)
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, triage.KeyOfPart{Why: k.why, Grouping: string(text)})
	}
	var got []string
	for _, s := range ExplainSteps(at("42", "r1"), keys) {
		got = append(got, s.Reason)
	}
	want := []string{
		"Line 42 became 45 in cart.py, in release r2.",
		"Line 45 became 47 in cart.py, in release r3.",
		"The messages “no price” and “no price today” are alike.",
		"The grouping rule of an earlier version of sett knew the error by another key (cart.py:50).",
		"The project changed its grouping rules, and the error went on (shop.py:7).",
		"In cart.py:45, the function is called “pay” for one client and has no name for another.",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
}
