package kill

import (
	"math/rand/v2"
	"testing"
	"time"

	"sett/e2e/rig"
	"sett/e2e/rig/load"
)

// TestKill kills the server over and over while clients report to it. Whatever it has accepted must be stored, exactly
// once, and everything that counts notices must agree.
func TestKill(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) { killServer(t, "", load.Kills(t), load.New) })
	t.Run("postgres", func(t *testing.T) { killServer(t, rig.DurablePostgres(t), load.Kills(t), load.New) })
}

// TestKillWithOtherClients is TestKill with clients of Honeybadger, Sentry, OpenTelemetry and Airbrake.
func TestKillWithOtherClients(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) { killServer(t, "", max(1, load.Kills(t)/3), load.NewOfAll) })
	t.Run("postgres", func(t *testing.T) { killServer(t, rig.DurablePostgres(t), max(1, load.Kills(t)/3), load.NewOfAll) })
}

func killServer(t *testing.T, database string, n int, newLoad func(key string) *load.Load) {
	s := rig.Prepare(t, database)
	l, starting := newLoad(s.APIKey), 0
	for range n {
		if rand.IntN(5) == 0 {
			s.Process = rig.Launch(t, s.Flags...)
			<-time.After(rand.N(load.MostStarting))
			s.Kill()
			starting++
			continue
		}
		s.Restart(t)
		end := l.Begin(s.Base)
		l.Await(t, rand.IntN(load.MostAnswers))
		<-time.After(rand.N(load.MostDelay))
		s.Kill()
		end()
	}
	s.Restart(t)
	found := load.Prove(t, s, l)
	s.Stop(t)
	t.Logf("%d kills, %d of them while starting: %s", n, starting, found)
}
