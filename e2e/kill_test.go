package e2e

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"
)

// How a life of the server ends: at a random moment within these bounds.
const (
	mostAnswers  = 400                    // after so many notices were accepted in it,
	mostDelay    = 20 * time.Millisecond  // and so long after the last of them;
	mostStarting = 150 * time.Millisecond // or, one life in five, so long after it was begun, whether it serves or not
)

// kills is how often a server is killed: as KILLS says, or 30 times.
func kills(t testing.TB) int {
	t.Helper()
	text := os.Getenv("KILLS")
	if text == "" {
		return 30
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("KILLS=%q is no number of kills; write one such as 100", text)
	}
	return n
}

// TestKill kills the server over and over while clients report to it. Whatever it has accepted must be stored, exactly
// once, and everything that counts notices must agree.
func TestKill(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) { killServer(t, "", kills(t), newLoad) })
	t.Run("postgres", func(t *testing.T) { killServer(t, durablePostgres(t), kills(t), newLoad) })
}

// TestKillWithOtherClients is TestKill with clients of Honeybadger, Sentry, OpenTelemetry and Airbrake.
func TestKillWithOtherClients(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) { killServer(t, "", max(1, kills(t)/3), newLoadOfAll) })
	t.Run("postgres", func(t *testing.T) { killServer(t, durablePostgres(t), max(1, kills(t)/3), newLoadOfAll) })
}

func killServer(t *testing.T, database string, n int, newLoad func(key string) *load) {
	s := prepare(t, database)
	l, starting := newLoad(s.APIKey), 0
	for range n {
		if rand.IntN(5) == 0 {
			s.process = launch(t, s.flags...)
			<-time.After(rand.N(mostStarting))
			s.kill()
			starting++
			continue
		}
		s.restart(t)
		end := l.begin(s.base)
		l.await(t, rand.IntN(mostAnswers))
		<-time.After(rand.N(mostDelay))
		s.kill()
		end()
	}
	s.restart(t)
	found := s.prove(t, l)
	s.stop(t)
	t.Logf("%d kills, %d of them while starting: %s", n, starting, found)
}
