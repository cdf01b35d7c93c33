package chaos

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sett/e2e/rig"
	"sett/internal/setttest/program"
)

// pair is a primary and a standby that has all that the primary has acknowledged. They change roles.
type pair struct {
	lan     *lan
	members [2]*member // the primary first
	wrong   *findings
	rebuilt chan struct{} // closed when there is a standby again
}

// member is one PostgreSQL of a pair: a machine with a disk of its own.
type member struct {
	*remote
	at     machine
	keeper *keeper
}

func newPair(t testing.TB, l *lan, wrong *findings) *pair {
	t.Helper()
	p := &pair{lan: l, wrong: wrong, rebuilt: make(chan struct{})}
	for i := range p.members {
		p.members[i] = newMember(t, l.machine(t))
	}
	primary := p.members[0]
	primary.init(t, "--wal-segsize=1")
	primary.keeper.up()
	primary.awaitServing(t)
	go p.rebuild(t)
	<-p.rebuilt
	return p
}

func newMember(t testing.TB, m machine) *member {
	t.Helper()
	r := newRemoteIn(t, m.netns, m.address)
	rig.NewRAMDisk(t, r.dir, "384")
	owner := postgresUser(t)
	if err := os.Chown(r.dir, owner[0], owner[1]); err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(filepath.Join(cmp.Or(os.Getenv("CHAOS_LOGS"), t.TempDir()), m.netns+".log"))
	if err != nil {
		t.Fatal(err)
	}
	k := newKeeper(t, func() *exec.Cmd {
		cmd := r.server(t, "wal_level=replica", "hot_standby=on", "min_wal_size=4MB", "max_wal_size=64MB", "wal_keep_size=32MB", "wal_sender_timeout=5s", "wal_receiver_timeout=5s", "checkpoint_timeout=30s")
		cmd.Stdout, cmd.Stderr = log, log
		return cmd
	})
	return &member{r, m, k}
}

// dsn is the address of the database, wherever it is.
func (p *pair) dsn() string {
	return fmt.Sprintf("postgres://sett@%s:5432,%s:5432/postgres?sslmode=disable&target_session_attrs=read-write", p.members[0].address, p.members[1].address)
}

// try runs a statement at a member by its socket, and returns its value.
func (m *member) try(statement string) (value string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, m.local())
	if err != nil {
		return "", err
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, "SET synchronous_commit = local"); err != nil {
		return "", err
	}
	rows, err := conn.Query(ctx, statement)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	for rows.Next() {
		if err := rows.Scan(&value); err != nil {
			return "", err
		}
	}
	return value, rows.Err()
}

// has waits until a statement has a value at a member.
func (m *member) has(value, statement string) error {
	var got string
	var err error
	for late := time.Now().Add(time.Minute); time.Now().Before(late); <-time.After(100 * time.Millisecond) {
		if got, err = m.try(statement); err == nil && got == value {
			return nil
		}
	}
	return fmt.Errorf("%s at %s is %q, not %q: %w", statement, m.address, got, value, err)
}

const standbyFollows = "SELECT count(*)::text FROM pg_stat_replication WHERE sync_state = 'sync' AND state = 'streaming'"

// promote moves the role of the primary to the standby, as a manager of PostgreSQL does that sees the primary vanish: only once the standby
// has all that was acknowledged, and not before the primary can change nothing more.
func (p *pair) promote() {
	old, next := p.members[0], p.members[1]
	p.wrong.check("promote", old.has("1", standbyFollows))
	p.wrong.check("promote", p.lan.cut(old.at))
	<-time.After(time.Second) // for which no one knows
	old.keeper.down(syscall.SIGKILL)
	old.keeper.wait()
	_, err := next.try("SELECT pg_promote()::text")
	p.wrong.check("promote", err)
	p.members[0], p.members[1] = next, old
	p.rebuilt = make(chan struct{})
}

// rebuild makes a standby of the second member, whatever that has been.
func (p *pair) rebuild(t testing.TB) {
	defer close(p.rebuilt)
	primary, standby := p.members[0], p.members[1]
	if err := os.RemoveAll(standby.data()); err != nil {
		p.wrong.check("rebuild", err)
		return
	}
	var err error
	for range 20 { // the primary may have a fault of its own
		copying := standby.command(t, program.Bounded, "pg_basebackup", "-D", standby.data(), "-U", "sett", "-h", primary.address, "--write-recovery-conf", "--checkpoint=fast", "--wal-method=stream", "--no-sync")
		out, failed := copying.CombinedOutput()
		if err = failed; err == nil {
			break
		}
		err = fmt.Errorf("%w: %s", err, out)
		_ = os.RemoveAll(standby.data())
		<-time.After(time.Second)
	}
	p.wrong.check("copy the primary", err)
	standby.keeper.up()
	p.wrong.check("start the standby", standby.has("true", "SELECT pg_is_in_recovery()::text"))
	p.wrong.check("set up the standby", standby.sets("ALTER SYSTEM RESET synchronous_standby_names"))
	p.wrong.check("set up the primary", primary.sets("ALTER SYSTEM SET synchronous_standby_names = '*'"))
	p.wrong.check("have the standby follow", primary.has("1", standbyFollows))
}

// sets changes a setting.
func (m *member) sets(statement string) error {
	if _, err := m.try(statement); err != nil {
		return err
	}
	_, err := m.try("SELECT pg_reload_conf()::text")
	return err
}
