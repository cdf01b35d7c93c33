package sett

import (
	"testing"
	"time"
)

func TestWhatPeopleSayOfAComponent(t *testing.T) {
	t.Parallel()
	work := StatusIncident{Kind: Maintenance, Status: InProgress}
	trouble := StatusIncident{Kind: Disruption, Status: Investigating}
	about := func(i StatusIncident, ids ...int64) StatusIncident { i.ComponentIDs = ids; return i }
	gone := func(i StatusIncident) StatusIncident { i.Gone = []string{"Front"}; return i }
	over := func(i StatusIncident) StatusIncident { i.ResolvedAt = time.Unix(1, 0); return i }
	scheduled := work
	scheduled.Status = Scheduled
	for name, c := range map[string]struct {
		incidents []StatusIncident
		up, down  ComponentState
	}{
		"nothing":                       {nil, ComponentUp, ComponentDown},
		"work on it":                    {[]StatusIncident{about(work, 7)}, ComponentMaintenance, ComponentMaintenance},
		"work on another":               {[]StatusIncident{about(work, 8)}, ComponentUp, ComponentDown},
		"work on all of the page":       {[]StatusIncident{work}, ComponentMaintenance, ComponentMaintenance},
		"work on what is gone":          {[]StatusIncident{gone(work)}, ComponentUp, ComponentDown},
		"work on it and what is gone":   {[]StatusIncident{gone(about(work, 7))}, ComponentMaintenance, ComponentMaintenance},
		"work that is over":             {[]StatusIncident{over(work)}, ComponentUp, ComponentDown},
		"work that is to come":          {[]StatusIncident{scheduled}, ComponentUp, ComponentDown},
		"trouble with it":               {[]StatusIncident{about(trouble, 7)}, ComponentDegraded, ComponentDown},
		"trouble with all of the page":  {[]StatusIncident{trouble}, ComponentUp, ComponentDown},
		"trouble with it, work on all":  {[]StatusIncident{about(trouble, 7), work}, ComponentMaintenance, ComponentMaintenance},
		"trouble with it, work is over": {[]StatusIncident{about(trouble, 7), over(work)}, ComponentDegraded, ComponentDown},
	} {
		if up, down := ComponentUp.Told(7, c.incidents), ComponentDown.Told(7, c.incidents); up != c.up || down != c.down {
			t.Errorf("%s: up is %s, down is %s; want %s, %s", name, up, down, c.up, c.down)
		}
	}
}

// What is about components that are gone says nothing of the others.
func TestWhatIsGoneIsNotAllOfThePage(t *testing.T) {
	t.Parallel()
	for want, i := range map[OverallState]StatusIncident{
		OverallMixed:       {Kind: Disruption, Status: Investigating},
		OverallMaintenance: {Kind: Maintenance, Status: InProgress},
	} {
		v := StatusView{Components: []ComponentView{{State: ComponentUp}}, Incidents: []StatusIncident{i}}
		if got := v.Overall(); got != want {
			t.Errorf("%s of all of the page makes it %s, want %s", i.Kind, got, want)
		}
		v.Incidents[0].Gone = []string{"Front"}
		if got := v.Overall(); got != OverallUp {
			t.Errorf("%s of what is gone makes it %s", i.Kind, got)
		}
	}
}

// What the plan does not have stays stored: only what is shown is plain.
func TestPageUnderAPlan(t *testing.T) {
	t.Parallel()
	var page StatusPage
	page.HideBranding, page.Features = true, StatusFeatures{UpCaption: "Fine", CustomCSS: "h1 {}"}
	page.Domain = StatusDomain{Name: "status.example.org", VerifiedAt: time.Unix(1, 0)}
	for _, plan := range []Plan{SelfHosted, TeamPlan, BusinessPlan, EnterprisePlan} {
		if got := page.Under(plan); !got.HideBranding || got.Features != page.Features {
			t.Errorf("%s: %+v", plan, got)
		}
	}
	if got := page.Under(DeveloperPlan); got.HideBranding || got.Features != (StatusFeatures{}) || got.Domain != page.Domain {
		t.Errorf("%s: %+v", DeveloperPlan, got)
	}
}
