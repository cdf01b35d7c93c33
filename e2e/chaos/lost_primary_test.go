package chaos

import (
	"syscall"
	"testing"
	"time"

	"sett/e2e/rig"
	"sett/e2e/rig/load"
)

// slowestEnd is less than a server without deadlines of its own needs to end when its database has vanished, and much more than
// one with deadlines does: 5 seconds on a quiet machine.
const slowestEnd = 25 * time.Second

// TestLostPrimary pulls the cable of the primary, and promotes a standby, while clients report. No process is notified that
// the primary is gone. The server must accept notices again soon, must have lost and doubled none, and must be able to stop
// while there is no database at all.
func TestLostPrimary(t *testing.T) {
	t.Parallel()
	primary, standby := twoPostgres(t)
	s := startOnce(t, "postgres://sett@"+primary.address+":5432,"+standby.address+":5432/postgres?sslmode=disable&target_session_attrs=read-write")
	l := load.New(s.APIKey)
	end := l.Begin(s.Base)
	l.Await(t, load.MostAnswers)
	primary.pull(t, "eth0", "cable")
	<-time.After(2 * time.Second) // what a monitor of the primary needs
	standby.ask(t, "SELECT pg_promote()::text")
	promoted := time.Now()
	l.Await(t, load.MostAnswers) // which takes a quarter of an hour without deadlines, and await has less patience
	took := time.Since(promoted)
	l.Await(t, 2*load.MostAnswers)
	end()
	found := load.Prove(t, s, l)

	end = l.Begin(s.Base)
	l.Await(t, load.MostAnswers)
	standby.pull(t, "eth0")
	signalled := time.Now()
	if err := s.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	s.AwaitEnd(t)
	stopped := time.Since(signalled)
	if stopped > slowestEnd {
		t.Errorf("without a database the server ends %s after SIGTERM", stopped)
	}
	end()
	t.Logf("accepted again %s after the promotion, ended %s after SIGTERM: %s", took, stopped, found)
}

// startOnce is start for a server that the test itself ends.
func startOnce(t testing.TB, database string) *rig.Server {
	t.Helper()
	s := rig.Prepare(t, database)
	s.Restart(t)
	return s
}

// twoPostgres are a primary and a standby that has all that the primary has acknowledged.
func twoPostgres(t testing.TB) (primary, standby *remote) {
	t.Helper()
	rig.NeedsNetworks(t)
	primary, standby = newRemote(t), newRemote(t)
	join(t, primary, standby)
	primary.init(t)
	primary.serve(t, "wal_level=replica", "synchronous_standby_names=*", "synchronous_commit=local")
	standby.run(t, "pg_basebackup", "-D", standby.data(), "-U", "sett", "-h", firstEnd, "--write-recovery-conf", "--checkpoint=fast", "--wal-method=stream")
	standby.serve(t, "hot_standby=on", "synchronous_standby_names=")
	rig.Await(t, "the standby follows", func() bool {
		return primary.ask(t, "SELECT count(*)::text FROM pg_stat_replication WHERE sync_state = 'sync'") == "1"
	})
	return primary, standby
}
