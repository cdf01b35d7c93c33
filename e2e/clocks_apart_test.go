package e2e

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// secondsApart is how far a clock is from the correct time, either way.
const secondsApart = 5

// TestClocksApart runs two servers of one PostgreSQL whose clocks are wrong, each life by another amount. It kills them, stops
// them and cuts all sessions of the database, among them those that hold the servers' numbers. Every notice that was
// accepted must be counted and listed.
func TestClocksApart(t *testing.T) {
	t.Parallel()
	binary := wrongClock(t)
	dsn := durablePostgres(t)
	first := prepare(t, dsn)
	second := *first
	second.data = t.TempDir()
	second.flags = []string{"--data", second.data, "--database", dsn, "--secret-key-file", filepath.Join(first.data, "secret.key"), "--api-rate-limit", "0"}
	servers := []*server{first, &second}
	live := func(s *server) {
		clock := filepath.Join(s.data, "clock")
		setClock(t, clock, rand.IntN(2*secondsApart+1)-secondsApart)
		args := append([]string{"serve", "--listen", "127.0.0.1:0", "--log-format", "json", "--resolver", "127.0.0.1:9"}, s.flags...)
		s.process = begin(t, exec.Command(binary, args...), "CLOCK_FILE="+clock)
		s.base = s.await(t)
	}
	load := newLoad(first.APIKey)
	var ends [2]func()
	for i, s := range servers {
		live(s)
		ends[i] = load.begin(s.base)
	}
	done := map[string]int{}
	for range max(2, kills(t)/3) {
		load.await(t, rand.IntN(mostAnswers))
		switch which := rand.IntN(2); rand.IntN(3) {
		case 0:
			done["kills"]++
			servers[which].kill()
			ends[which]()
			live(servers[which])
			ends[which] = load.begin(servers[which].base)
		case 1:
			done["stops"]++
			servers[which].stop(t)
			ends[which]()
			live(servers[which])
			ends[which] = load.begin(servers[which].base)
		default:
			done["cuts of all sessions"]++
			cutSessions(t, dsn)
		}
	}
	load.await(t, mostAnswers)
	for _, end := range ends {
		end()
	}
	found := first.prove(t, load)
	for _, s := range servers {
		s.stop(t)
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
