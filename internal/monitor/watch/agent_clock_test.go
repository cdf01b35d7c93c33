package watch

import (
	"testing"
	"time"

	"sett/internal/sett/checks"
)

// What was kept by the network and arrives late must not be dated later.
func TestAMessageThatWasLongOnItsWaySaysNothingOfAClock(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	for name, ahead := range map[string]time.Duration{"right": 0, "fast": time.Hour, "slow": -time.Hour} {
		for _, heard := range []time.Time{{}, now} {
			var clocks agentClocks
			a := checks.Agent{ID: 1, AgentReport: checks.AgentReport{HeardAt: heard}}
			if !heard.IsZero() {
				a.Skew = ahead
			} else if got := clocks.skew(a, now.Add(ahead), now); got != ahead {
				t.Errorf("a clock that is %s, at first: %v", name, got)
			}
			for _, late := range []time.Duration{30 * time.Second, 0, 45 * time.Second} {
				if got := clocks.skew(a, now.Add(ahead-late), now); got != ahead {
					t.Errorf("a clock that is %s, by a message that is %v late: %v", name, late, got)
				}
			}
			for range messagesHeeded {
				clocks.skew(a, now.Add(ahead-time.Minute), now)
			}
			if got := clocks.skew(a, now.Add(ahead-time.Minute), now); got != ahead-time.Minute {
				t.Errorf("a clock that was %s and is put back by a minute: %v", name, got)
			}
		}
	}
	var clocks agentClocks
	clocks.skew(checks.Agent{ID: 1}, now.Add(time.Hour), now)
	if got := clocks.skew(checks.Agent{ID: 2}, now, now); got != 0 {
		t.Errorf("the clock of another agent: %v", got)
	}
}
