package checks

import (
	"testing"
	"time"

	"sett/internal/sett"
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
	for ahead, want := range map[time.Duration]AgentState{clockSkew: AgentAlive, clockSkew + 1: AgentSilent} {
		if got := (Agent{AgentReport: AgentReport{HeardAt: noonOfSites.Add(ahead)}}).State(noonOfSites); got != want {
			t.Errorf("one that was heard %v from now is %s", ahead, got)
		}
	}
}

func TestATokenIsForOneLocation(t *testing.T) {
	t.Parallel()
	for bound, want := range map[Location]sett.Code{"": "", Oregon: "", Frankfurt: sett.Forbidden} {
		a := Agent{AgentReport: AgentReport{Location: bound}}
		if err := a.SpeaksFor(Oregon); sett.CodeOf(err) != want {
			t.Errorf("one of %q speaks for Oregon: %v", bound, err)
		}
	}
}

func TestWhatIsNewOfAnAgent(t *testing.T) {
	t.Parallel()
	known := AgentReport{Location: Oregon, Version: "v1", HeardAt: noonOfSites}
	for name, c := range map[string]struct {
		says  AgentReport
		after time.Duration
		want  bool // nothing
	}{
		"the same at once":         {known, 0, true},
		"the same a moment later":  {known, hearEvery - 1, true},
		"the same a while later":   {known, hearEvery, false},
		"by a clock that was back": {known, -1, false},
		"another location":         {AgentReport{Location: London, Version: "v1"}, 0, false},
		"another version":          {AgentReport{Location: Oregon, Version: "v2"}, 0, false},
		"it reaches nothing":       {AgentReport{Location: Oregon, Version: "v1", Degraded: true}, 0, false},
	} {
		if got := (Agent{AgentReport: known}).SaysNothingNew(c.says, noonOfSites.Add(c.after)); got != c.want {
			t.Errorf("%s: nothing new %t", name, got)
		}
	}
}
