package status

import (
	"testing"
	"time"

	"sett/internal/sett"
)

func TestStatesByHandHideNoFailureUnlessPeopleSaySo(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		manual ManualState
		found  ComponentState
		want   ComponentState
	}{
		{ManualState{}, ComponentDown, ComponentDown},
		{ManualState{State: ComponentUp}, ComponentDown, ComponentDown},
		{ManualState{State: ComponentDegraded}, ComponentDown, ComponentDown},
		{ManualState{State: ComponentUp, Covers: true}, ComponentDown, ComponentUp},
		{ManualState{State: ComponentPartial}, ComponentUp, ComponentPartial},
		{ManualState{State: ComponentPartial}, ComponentMaintenance, ComponentPartial},
		{ManualState{State: ComponentUp}, ComponentMaintenance, ComponentMaintenance},
		{ManualState{State: ComponentUp}, ComponentPaused, ComponentUp},
		{ManualState{State: ComponentDown}, ComponentUnknown, ComponentDown},
	} {
		if got := c.manual.Over(c.found); got != c.want {
			t.Errorf("%+v over %s is %s, want %s", c.manual, c.found, got, c.want)
		}
	}
}

func TestTheNewestStateByHandHoldsUntilItsEnd(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)
	all := []ManualState{
		{State: ComponentDown, From: now.Add(-3 * time.Hour), Until: now.Add(-2 * time.Hour)},
		{State: ComponentDegraded, From: now.Add(-2 * time.Hour), Until: now},
	}
	if got := ManualAt(all, now.Add(-time.Minute)); got.State != ComponentDegraded {
		t.Errorf("it is %+v", got)
	}
	if got := ManualAt(all, now); got.State != "" {
		t.Errorf("after its end it is %+v", got)
	}
	if got := MajorOutages(all); len(got) != 1 || !got[0].DownAt.Equal(all[0].From) {
		t.Errorf("major outages are %+v", got)
	}
	for _, c := range []ManualStateChange{{State: "fine"}, {State: "up", Until: sett.Some("2026-11-18T11:00:00Z")}, {State: "up", Note: string(make([]byte, 300))}} {
		if _, err := c.Read(now); sett.CodeOf(err) != sett.Invalid {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestIncidentsSayHowTheirComponentsDo(t *testing.T) {
	t.Parallel()
	i := StatusIncident{Kind: Disruption, ComponentIDs: []int64{1, 2, 3}, States: map[int64]ComponentState{1: ComponentPartial, 2: ComponentUp}}
	for id, want := range map[int64]ComponentState{1: ComponentPartial, 2: ComponentUp, 3: ComponentDegraded, 4: ComponentUp} {
		if got := ComponentUp.WithIncidents(id, []StatusIncident{i}); got != want {
			t.Errorf("component %d is %s, want %s", id, got, want)
		}
	}
	if i.Effect() != ImpactMajor {
		t.Errorf("its impact is %q", i.Effect())
	}
	i.Impact = ImpactCritical
	if i.Effect() != ImpactCritical {
		t.Errorf("its impact is %q", i.Effect())
	}
	i.ResolvedAt = time.Unix(1, 0)
	if got := ComponentUp.WithIncidents(1, []StatusIncident{i}); got != ComponentUp {
		t.Errorf("after the incident it is %s", got)
	}
	if got := (StatusIncident{Kind: Disruption}).Effect(); got != ImpactUnsaid {
		t.Errorf("an incident of the whole page has the impact %q", got)
	}
}
