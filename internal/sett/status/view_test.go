package status

import (
	"testing"
	"time"

	"sett/internal/sett/accounts"
	"sett/internal/sett/checks"
	"sett/internal/sett/status/locale"
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
		if up, down := ComponentUp.WithIncidents(7, c.incidents), ComponentDown.WithIncidents(7, c.incidents); up != c.up || down != c.down {
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
	for _, plan := range []accounts.Plan{accounts.SelfHosted, accounts.TeamPlan, accounts.BusinessPlan, accounts.EnterprisePlan} {
		if got := page.Under(plan); !got.HideBranding || got.Features != page.Features {
			t.Errorf("%s: %+v", plan, got)
		}
	}
	if got := page.Under(accounts.DeveloperPlan); got.HideBranding || got.Features != (StatusFeatures{}) || got.Domain != page.Domain {
		t.Errorf("%s: %+v", accounts.DeveloperPlan, got)
	}
}

// ninetyDays makes days that were measured and never down, and lets change do something to some of them.
func ninetyDays(change ...func(days []checks.StatusDay)) ComponentView {
	days := make([]checks.StatusDay, checks.StatusDays)
	for i := range days {
		days[i] = checks.StatusDay{Day: thatNow.AddDate(0, 0, i-len(days)+1).Truncate(24 * time.Hour), Measured: 24 * time.Hour}
	}
	for _, f := range change {
		f(days)
	}
	return ComponentView{Days: days}
}

// downOn makes a day, counted from the first, one on which the component was down.
func downOn(i int, down time.Duration, outages, began int) func([]checks.StatusDay) {
	return func(days []checks.StatusDay) { days[i].Down, days[i].Outages, days[i].Began = down, outages, began }
}

func measuredOn(i int, long time.Duration) func([]checks.StatusDay) {
	return func(days []checks.StatusDay) { days[i].Measured = long }
}

func bareUntil(n int) func([]checks.StatusDay) {
	return func(days []checks.StatusDay) {
		for i := range n {
			days[i].Measured = 0
		}
	}
}

func TestDaysInWords(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]ComponentView{
		"0 days without data":                                      {},
		"90 days without data":                                     ninetyDays(bareUntil(90)),
		"90 days, no outage":                                       ninetyDays(),
		"90 days, 89 without data, no outage":                      ninetyDays(bareUntil(89)),
		"90 days, 1 outage of 38 minutes on 18 Oct":                ninetyDays(downOn(58, 38*time.Minute, 1, 1)),
		"90 days, 10 without data, 1 outage of 1 second on 18 Nov": ninetyDays(bareUntil(10), downOn(89, time.Microsecond, 1, 1)),
		"90 days, 1 outage of 1 day 1 hour from 16 Nov to 18 Nov": ninetyDays(
			downOn(87, 30*time.Minute, 1, 1), downOn(88, 24*time.Hour, 1, 0), downOn(89, 10*time.Minute, 1, 0)),
		"90 days, 2 outages of 2 hours 5 minutes in all on 21 Aug": ninetyDays(downOn(0, 125*time.Minute, 2, 2)),
		"90 days, 3 outages of 42 minutes in all between 21 Aug and 18 Nov": ninetyDays(
			downOn(0, 40*time.Minute, 2, 1), downOn(89, 2*time.Minute, 1, 1)),
		"90 days, 80 without data, 2 with gaps in the data, no outage": ninetyDays(bareUntil(80), measuredOn(80, time.Hour), measuredOn(84, 23*time.Hour),
			measuredOn(85, 24*time.Hour-shortGap), measuredOn(88, time.Second), measuredOn(89, time.Hour)),
		"90 days, 2 without data, 1 outage of 2 minutes on 23 Aug": ninetyDays(bareUntil(2), downOn(2, 2*time.Minute, 1, 0)),
	} {
		if got := c.Summary(locale.English); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestPercentOfDays(t *testing.T) {
	t.Parallel()
	if p, ok := ninetyDays(bareUntil(90)).Percent(); ok || p != 0 {
		t.Errorf("without data: %v, %v", p, ok)
	}
	if p, ok := ninetyDays(bareUntil(88), downOn(88, 12*time.Hour, 1, 1)).Percent(); !ok || p != 75 {
		t.Errorf("down for half a day of two: %v, %v", p, ok)
	}
	if p, ok := ninetyDays().Percent(); !ok || p != 100 {
		t.Errorf("never down: %v, %v", p, ok)
	}
}

// thatNow is a Wednesday at noon; the ninety days begin on 21 August.
var thatNow = time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)
