package chaos

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sett/e2e/rig"
	"sett/e2e/rig/load"
)

// secondsApart is how far a clock is from the correct time, either way.
const secondsApart = 5

// TestClocksApart runs two servers of one PostgreSQL whose clocks are wrong, each life by another amount. It kills them, stops
// them and cuts all sessions of the database, among them those that hold the servers' numbers. Every notice that was
// accepted must be counted and listed.
func TestClocksApart(t *testing.T) {
	t.Parallel()
	binary := rig.WrongClock(t)
	dsn := rig.DurablePostgres(t)
	first := rig.Prepare(t, dsn)
	second := *first
	second.Data = t.TempDir()
	second.Flags = []string{"--data", second.Data, "--database", dsn, "--secret-key-file", filepath.Join(first.Data, "secret.key"), "--api-rate-limit", "0"}
	servers := []*rig.Server{first, &second}
	live := func(s *rig.Server) {
		clock := filepath.Join(s.Data, "clock")
		rig.SetClock(t, clock, rand.IntN(2*secondsApart+1)-secondsApart)
		args := append([]string{"serve", "--listen", "127.0.0.1:0", "--log-format", "json", "--resolver", "127.0.0.1:9"}, s.Flags...)
		s.Process = rig.Begin(t, exec.Command(binary, args...), "CLOCK_FILE="+clock)
		s.Base = s.Await(t)
	}
	l := load.New(first.APIKey)
	var ends [2]func()
	for i, s := range servers {
		live(s)
		ends[i] = l.Begin(s.Base)
	}
	done := map[string]int{}
	for range max(2, load.Kills(t)/3) {
		l.Await(t, rand.IntN(load.MostAnswers))
		switch which := rand.IntN(2); rand.IntN(3) {
		case 0:
			done["kills"]++
			servers[which].Kill()
			ends[which]()
			live(servers[which])
			ends[which] = l.Begin(servers[which].Base)
		case 1:
			done["stops"]++
			servers[which].Stop(t)
			ends[which]()
			live(servers[which])
			ends[which] = l.Begin(servers[which].Base)
		default:
			done["cuts of all sessions"]++
			cutSessions(t, dsn)
		}
	}
	l.Await(t, load.MostAnswers)
	for _, end := range ends {
		end()
	}
	found := load.Prove(t, first, l)
	for _, s := range servers {
		s.Stop(t)
	}
	t.Logf("%s: %s", fmt.Sprint(done), found)
}

// cutSessions ends all sessions of a database, several times in a row.
func cutSessions(t testing.TB, dsn string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	for range 3 {
		if _, err := conn.Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'`); err != nil {
			t.Fatal(err)
		}
		<-time.After(rand.N(300 * time.Millisecond))
	}
}
