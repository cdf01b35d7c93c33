package event

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett/accounts"
	"sett/internal/sett/regroup"
	"sett/internal/setttest/recording"
)

var explainedProject = accounts.KeyedProject{ProjectID: 1, AccountID: "a", Active: true}

func parsedRules(t *testing.T, text string) *regroup.Rules {
	t.Helper()
	rules, err := regroup.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// What is explained is what intake does: the same key, and as the place the frame that the key has.
func TestExplanationsAgreeWithIntake(t *testing.T) {
	t.Parallel()
	for _, rules := range []*regroup.Rules{nil, parsedRules(t, "library: *main*\napp: *a*\nhelper: *pay*\nmessage: on for *a*")} {
		placed := 0
		for _, n := range recording.Notices(t) {
			o := Options{Project: explainedProject, Now: time.Unix(0, 0), Rules: rules}
			report, _, err := Parse(n.Body, o, new(Facets))
			x, err2 := Explain(n.Body, o)
			if (err == nil) != (err2 == nil) {
				t.Fatalf("%s: Parse %v, Explain %v", n.Name, err, err2)
			}
			if err != nil {
				continue
			}
			if diff := cmp.Diff(report.Grouping, x.Grouping); diff != "" {
				t.Errorf("%s: grouping (-intake +explained):\n%s", n.Name, diff)
			}
			values := map[string]string{}
			for _, p := range x.Parts {
				values[p.Name] = p.Value
			}
			if g := x.Grouping; values["class"] != g.Class || values["line"] != g.Line || values["method"] != g.Method || values["file"] != g.File {
				t.Errorf("%s: parts %v of %+v", n.Name, values, g)
			}
			deciding := 0
			for _, f := range x.Frames {
				if f.Decides {
					deciding++
				}
			}
			if want := x.Grouping.Basis == "location"; (deciding == 1) != want {
				t.Errorf("%s: %d frames decide, basis %s", n.Name, deciding, x.Grouping.Basis)
			}
			placed += deciding
		}
		if placed < 3 {
			t.Errorf("only %d recorded notices have a place", placed)
		}
	}
}

func frames(t *testing.T, rules string, sent ...Frame) (lines []string) {
	t.Helper()
	for _, n := range ExplainFrames(sent, parsedRules(t, rules)) {
		lines = append(lines, fmt.Sprintf("%s %s %v: %s", n.Place, n.Whose(), n.Decides, n.By))
	}
	return lines
}

func TestRulesOfAProjectWinOverTablesAndClients(t *testing.T) {
	t.Parallel()
	assert := Frame{"Assert.java", "org.springframework.Assert.notNull", "1", "all"}
	lib, cart := Frame{"Check.java", "com.acme.lib.Check.run", "7", "app"}, Frame{"Cart.java", "com.acme.Cart.pay", "9", "app"}
	for name, c := range map[string]struct {
		rules string
		want  []string
	}{
		"none": {"", []string{
			"Assert.java:1 in org.springframework.Assert.notNull library false: the client marks it as a library's",
			"Check.java:7 in com.acme.lib.Check.run application true: the client marks it as the application's",
			"Cart.java:9 in com.acme.Cart.pay application false: the client marks it as the application's",
		}},
		"library": {"library: com.acme.lib.*", []string{
			"Assert.java:1 in org.springframework.Assert.notNull library false: the client marks it as a library's",
			"Check.java:7 in com.acme.lib.Check.run library false: line 1 of the project's rules, “library: com.acme.lib.*”",
			"Cart.java:9 in com.acme.Cart.pay application true: the client marks it as the application's",
		}},
		"app": {"app: org.springframework.*", []string{
			"Assert.java:1 in org.springframework.Assert.notNull application true: line 1 of the project's rules, “app: org.springframework.*”",
			"Check.java:7 in com.acme.lib.Check.run application false: the client marks it as the application's",
			"Cart.java:9 in com.acme.Cart.pay application false: the client marks it as the application's",
		}},
		"helper": {"helper: Check.run", []string{
			"Assert.java:1 in org.springframework.Assert.notNull library false: the client marks it as a library's",
			"Check.java:7 in com.acme.lib.Check.run application false: the client marks it as the application's; but line 1 of the project's rules, “helper: Check.run”: its caller says more",
			"Cart.java:9 in com.acme.Cart.pay application true: the client marks it as the application's",
		}},
	} {
		got := frames(t, c.rules, assert, lib, cart)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// A frame that a rule calls the application's counts beside those that are, and does not hide them.
func TestAnAppRuleHidesNoOtherFrame(t *testing.T) {
	t.Parallel()
	got := ExplainFrames([]Frame{
		{"[PROJECT_ROOT]/cart.rb", "pay", "3", ""}, {"[GEM_ROOT]/gems/ours/lib/ours.rb", "run", "4", ""},
	}, parsedRules(t, "app: gems/ours/*"))
	if !got[0].Decides || !got[0].App || !got[1].App {
		t.Errorf("got %+v", got)
	}
}
