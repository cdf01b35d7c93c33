package sett

import (
	"testing"
	"time"
)

func TestStatesOfAgents(t *testing.T) {
	t.Parallel()
	for want, a := range map[AgentState]AgentReport{
		AgentAlive:    {HeardAt: noonOfSites.Add(-AgentSilence)},
		AgentDegraded: {HeardAt: noonOfSites, Degraded: true},
		AgentSilent:   {HeardAt: noonOfSites.Add(-AgentSilence - time.Second), Degraded: true},
	} {
		if got := (Agent{AgentReport: a}).State(noonOfSites); got != want {
			t.Errorf("%+v is %s, want %s", a, got, want)
		}
	}
	if got := (Agent{}).State(noonOfSites); got != AgentSilent {
		t.Errorf("one that was never heard is %s", got)
	}
}
