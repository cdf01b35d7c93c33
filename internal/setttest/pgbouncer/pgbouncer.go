// Package pgbouncer gives tests a PgBouncer in front of a PostgreSQL server. It takes the address of the server and returns that of the
// pooler, which listens on a unix socket in a new directory and on no network. It ends with the test, or soon after the process that
// started it. It never changes the server.
package pgbouncer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"sett/internal/setttest/pgcluster"
)

// ErrMissing says that the machine has no PgBouncer.
var ErrMissing = errors.New("PgBouncer is missing: apt-get install pgbouncer")

// Pooler is a PgBouncer. Settings can be changed between Stop and Start.
type Pooler struct {
	Mode     string   // "session" or "transaction"
	Settings []string // further ones, such as "default_pool_size = 5"

	dir, host, user string
	owner           *syscall.Credential
	cmd             *exec.Cmd
	leash           io.Closer // PgBouncer lives until this is closed
	log             *bytes.Buffer
}

// New makes the directory of a pooler in front of the server at an address; Start starts it.
func New(dsn, mode string, settings ...string) (*Pooler, error) {
	u, err := url.Parse(dsn)
	if err != nil {
		return nil, err
	}
	p := &Pooler{Mode: mode, Settings: settings, host: u.Query().Get("host"), user: u.User.Username(), log: &bytes.Buffer{}}
	if p.owner, err = pgcluster.Unprivileged(); err != nil {
		return nil, err
	}
	if p.dir, err = os.MkdirTemp("/tmp", "sett-pgbouncer-"); err != nil {
		return nil, err
	}
	if p.owner != nil {
		err = os.Chown(p.dir, int(p.owner.Uid), int(p.owner.Gid))
	}
	return p, err
}

// Through returns an address with the pooler in place of the server.
func (p *Pooler) Through(dsn string) string { return Through(dsn, p.dir) }

// Dir is the directory of the socket, for Through.
func (p *Pooler) Dir() string { return p.dir }

// Through returns an address with the pooler whose socket is in a directory in place of the server.
func Through(dsn, dir string) string {
	u, err := url.Parse(dsn)
	if err != nil {
		return dsn
	}
	query := u.Query()
	query.Set("host", dir)
	query.Set("port", strconv.Itoa(port))
	u.RawQuery = query.Encode()
	return u.String()
}

const port = 6432 // of the socket's name only

// watchdog runs PgBouncer until its standard input ends.
const watchdog = `
"$@" & server=$!
cat >/dev/null
kill -KILL $server 2>/dev/null
wait $server 2>/dev/null
exit 0
`

func (p *Pooler) config() string {
	return fmt.Sprintf(`[databases]
* = host=%[1]s user=%[2]s
[pgbouncer]
listen_addr =
unix_socket_dir = %[3]s
listen_port = %[4]d
auth_type = any
admin_users = %[2]s
pool_mode = %[5]s
max_client_conn = 2000
default_pool_size = 10
server_idle_timeout = 5
`, p.host, p.user, p.dir, port, p.Mode) + strings.Join(p.Settings, "\n") + "\n"
}

// Start starts PgBouncer and returns once it answers.
func (p *Pooler) Start(ctx context.Context) error {
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		if program = "/usr/sbin/pgbouncer"; !exists(program) {
			return ErrMissing
		}
	}
	file := filepath.Join(p.dir, "pgbouncer.ini")
	if err := os.WriteFile(file, []byte(p.config()), 0o644); err != nil {
		return err
	}
	p.cmd = exec.Command("/bin/sh", "-c", watchdog, "sett-pgbouncer", program, file)
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = "/", p.log, p.log
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Credential: p.owner, Setpgid: true}
	if p.leash, err = p.cmd.StdinPipe(); err != nil {
		return err
	}
	if err := p.cmd.Start(); err != nil {
		return err
	}
	return p.await(ctx)
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

func (p *Pooler) await(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, p.Through("postgres://"+p.user+"@/postgres"))
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("PgBouncer does not answer: %w: %w: %s", ctx.Err(), err, p.log)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Order gives commands to PgBouncer's console, one after the other.
func (p *Pooler) Order(ctx context.Context, commands ...string) (err error) {
	console, err := pgx.Connect(ctx, p.Through("postgres://"+p.user+"@/pgbouncer"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, console.Close(ctx)) }()
	for _, c := range commands {
		if _, err := console.Exec(ctx, c, pgx.QueryExecModeSimpleProtocol); err != nil {
			return fmt.Errorf("%s: %w", c, err)
		}
	}
	return nil
}

// Stop kills PgBouncer with all its connections.
func (p *Pooler) Stop() error {
	if p.cmd == nil {
		return nil
	}
	err := errors.Join(p.leash.Close(), p.cmd.Wait())
	p.cmd = nil
	return err
}

// Close is Stop for good.
func (p *Pooler) Close() error { return errors.Join(p.Stop(), os.RemoveAll(p.dir)) }
