package chaos

import (
	"testing"

	"sett/e2e/rig"
	"sett/e2e/rig/load"
)

// TestFullDisk lets no file of the server grow, while clients report, as on a disk without room. The server must ask them
// to retry until there is room again; whatever was accepted must be stored, exactly once, also when the server is
// stopped or killed while the disk is full.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	s := rig.Prepare(t, "")
	l := load.New(s.APIKey)
	for _, end := range []func(){func() { s.Stop(t) }, func() { s.Kill() }} {
		s.Restart(t)
		endLoad := l.Begin(s.Base)
		l.Await(t, load.MostAnswers)
		s.LimitFiles(t, rig.Largest(t, s.Data)+rig.SomeRoom)
		l.AwaitRefused(t, load.MostAnswers)
		if faults := s.Faults(s.Manage(t)); len(faults) == 0 {
			t.Error("no faults can be read while the disk is full")
		}
		s.LimitFiles(t, rig.NoLimit)
		l.Await(t, load.MostAnswers) // without a restart
		s.LimitFiles(t, rig.Largest(t, s.Data)+rig.SomeRoom)
		l.AwaitRefused(t, load.MostAnswers)
		endLoad()
		end()
	}
	s.Restart(t)
	found := load.Prove(t, s, l)
	s.Stop(t)
	t.Logf("the disk was full 4 times: %s", found)
}
