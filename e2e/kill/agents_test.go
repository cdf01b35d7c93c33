package kill

import (
	"os"
	"sync"
	"testing"

	"sett/e2e/rig"
)

// TestAgents runs agents on their own against servers that are killed, cut off and cheated. The stories mostly wait, so
// they all run at once and take one test's turn.
func TestAgents(t *testing.T) {
	t.Parallel()
	stories := map[string]func(*testing.T){
		"agree":                 agentsAgree,
		"survive":               agentsSurvive,
		"killed":                func(t *testing.T) { killAgents(t, "", 1) },
		"killed, on PostgreSQL": func(t *testing.T) { killAgents(t, rig.DurablePostgres(t), 2) },
		"cut off by a gate":     cutOffByGate,
		"with wrong clocks":     agentsWithWrongClocks,
		"refused":               agentsRefused,
	}
	if os.Geteuid() == 0 { // only root may pull a cable; the gate is nearly as good
		stories["cut off by a cable"] = cutOffByCable
	}
	var running sync.WaitGroup
	for name, story := range stories {
		running.Go(func() { t.Run(name, story) })
	}
	running.Wait()
}
