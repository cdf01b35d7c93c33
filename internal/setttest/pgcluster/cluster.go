// Package pgcluster gives tests a PostgreSQL database of their own, on a private server that it runs from the binaries of the machine. A
// test gets an address, and its database is gone when the test ends. The server listens on a unix socket in a new directory and on no
// network; it and its directory are gone soon after the process that started it, however that ended. The package never touches a server or
// a data directory that it did not make, except the server that SETT_TEST_POSTGRES names. It is built on package sett alone, so that the
// tests of every room can use it.
package pgcluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// Variable names the variable that holds the address (postgres://…) of a superuser's connection to a server whose
// databases tests may make and drop. Where it is set, tests use that server and start none.
const Variable = "SETT_TEST_POSTGRES"

// ErrMissing says that the machine has no PostgreSQL server, and how to get one.
var ErrMissing = errors.New("no PostgreSQL server is installed, and tests need one, version 15 or later: apt-get install postgresql " +
	"(Debian, Ubuntu), brew install postgresql (macOS), or put the directory of postgres and initdb into PATH")

// Options say how a cluster is run.
type Options struct {
	Durable bool // write through to the disk, for tests that kill the server; slower
	Primary bool // standbys can follow it
}

// Cluster is a running server. Its superuser is "sett", who needs no password.
type Cluster struct {
	dir      string
	watchdog *exec.Cmd
	leash    io.Closer // the server lives until this is closed
	log      *bytes.Buffer
}

// Start makes an empty cluster and returns once it answers.
func Start(ctx context.Context, o Options) (*Cluster, error) {
	bin, err := binaries(places())
	if err != nil {
		return nil, err
	}
	owner, err := Unprivileged()
	if err != nil {
		return nil, err
	}
	c := &Cluster{log: &bytes.Buffer{}}
	if c.dir, err = os.MkdirTemp(home(o), "sett-postgres-"); err != nil {
		return nil, fmt.Errorf("make directory of the cluster: %w", err)
	}
	if err := c.launch(ctx, bin, owner, o, c.initialise); err != nil {
		stopped := c.Stop()
		return nil, errors.Join(err, stopped, errors.New(c.log.String()))
	}
	return c, nil
}

// home returns where clusters are made: in memory where there is plenty and nothing has to last, which makes a new
// database five times as fast. Not in $TMPDIR, for the path of a socket may have 107 bytes and the server's user must
// be able to enter it.
func home(o Options) string {
	const memory, plenty = "/dev/shm", 4 << 30 // bytes
	var fs syscall.Statfs_t
	if err := syscall.Statfs(memory, &fs); err == nil && !o.Durable && fs.Bavail*uint64(fs.Bsize) >= plenty {
		return memory
	}
	return "/tmp"
}

// launch makes the data with fill, and starts the server.
func (c *Cluster) launch(ctx context.Context, bin string, owner *syscall.Credential, o Options, fill func(ctx context.Context, bin string) *exec.Cmd) error {
	if owner != nil {
		if err := os.Chown(c.dir, int(owner.Uid), int(owner.Gid)); err != nil {
			return fmt.Errorf("hand over directory of the cluster: %w", err)
		}
	}
	made := fill(ctx, bin)
	made.Dir, made.SysProcAttr = c.dir, &syscall.SysProcAttr{Credential: owner}
	if out, err := made.CombinedOutput(); err != nil {
		return fmt.Errorf("initialise the cluster: %w: %s", err, out)
	}
	if err := c.startServer(filepath.Join(bin, "postgres"), owner, o); err != nil {
		return fmt.Errorf("start the cluster: %w", err)
	}
	if err := c.await(ctx); err != nil {
		return fmt.Errorf("wait for the cluster: %w", err)
	}
	return nil
}

// initialise returns what makes an empty cluster.
func (c *Cluster) initialise(ctx context.Context, bin string) *exec.Cmd {
	return exec.CommandContext(ctx, filepath.Join(bin, "initdb"), "--pgdata="+c.data(), "--username=sett",
		"--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync", "--no-instructions")
}

// Standby makes a server that follows this one, which must be a Primary, and returns once it answers.
func (c *Cluster) Standby(ctx context.Context) (*Cluster, error) {
	bin, err := binaries(places())
	if err != nil {
		return nil, err
	}
	owner, err := Unprivileged()
	if err != nil {
		return nil, err
	}
	o := Options{Primary: true}
	s := &Cluster{log: &bytes.Buffer{}}
	if s.dir, err = os.MkdirTemp(home(o), "sett-postgres-"); err != nil {
		return nil, fmt.Errorf("make directory of the standby: %w", err)
	}
	err = s.launch(ctx, bin, owner, o, func(ctx context.Context, bin string) *exec.Cmd {
		return exec.CommandContext(ctx, filepath.Join(bin, "pg_basebackup"), "--pgdata="+s.data(), "--dbname="+c.DSN(), "--write-recovery-conf",
			"--checkpoint=fast", "--wal-method=stream", "--no-sync")
	})
	if err != nil {
		return nil, errors.Join(err, s.Stop(), errors.New(s.log.String()))
	}
	return s, nil
}

// watchdog runs the server ("$@" after the directory) until its standard input ends, which is when the process
// that holds the other end stops the cluster, exits or is killed. QUIT ends a server at once, without a checkpoint, and CONT
// one that is frozen.
const watchdog = `
dir=$1; shift
"$@" & server=$!
cat >/dev/null
kill -QUIT $server 2>/dev/null
kill -CONT $server 2>/dev/null
wait $server
rm -rf "$dir"
`

func (c *Cluster) startServer(postgres string, owner *syscall.Credential, o Options) (err error) {
	args := []string{
		"-c", watchdog, "sett-postgres", c.dir,
		postgres, "-D", c.data(), "-k", c.dir, "-c", "listen_addresses=", "-c", "max_connections=200",
		"-c", "shared_buffers=32MB", "-c", "work_mem=2MB", "-c", "maintenance_work_mem=16MB", "-c", "max_wal_size=512MB",
		"-c", "jit=off", "-c", "log_min_messages=fatal",
	}
	if o.Primary {
		args = append(args, "-c", "wal_level=replica", "-c", "max_wal_senders=5", "-c", "hot_standby=on")
	} else {
		args = append(args, "-c", "wal_level=minimal", "-c", "max_wal_senders=0")
	}
	if !o.Durable {
		// A worker of autovacuum that analyzes a table holds a snapshot. While it does, indexes keep their dead entries, and
		// tests that count pages read many more of them at times.
		args = append(args, "-c", "fsync=off", "-c", "full_page_writes=off", "-c", "synchronous_commit=off", "-c", "autovacuum=off")
	}
	c.watchdog = exec.Command("/bin/sh", args...)
	c.watchdog.Dir, c.watchdog.Stdout, c.watchdog.Stderr = "/", c.log, c.log
	// Its own process group: ctrl-C in a terminal must reach the tests alone, the watchdog follows them.
	c.watchdog.SysProcAttr = &syscall.SysProcAttr{Credential: owner, Setpgid: true}
	if c.leash, err = c.watchdog.StdinPipe(); err != nil {
		return err
	}
	return c.watchdog.Start()
}

// await returns once the server takes connections.
func (c *Cluster) await(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		conn, err := pgx.Connect(ctx, c.DSN())
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", ctx.Err(), err)
		case <-again.C:
		}
	}
}

// DSN returns the address of the cluster's own database, as its superuser.
func (c *Cluster) DSN() string {
	u := url.URL{Scheme: "postgres", User: url.User("sett"), Path: "/postgres", RawQuery: url.Values{"host": {c.dir}}.Encode()}
	return u.String()
}

// Stop ends the server at once and removes its directory. It may be called again.
func (c *Cluster) Stop() error {
	if c.watchdog != nil && c.watchdog.Process != nil {
		err := c.leash.Close()
		waited := c.watchdog.Wait()
		c.watchdog = nil
		if err == nil && waited != nil {
			err = fmt.Errorf("end the cluster: %w", waited)
		}
		if err != nil {
			return err
		}
	}
	return os.RemoveAll(c.dir)
}

func (c *Cluster) data() string { return filepath.Join(c.dir, "data") }

// places are where the binaries may be: in PATH, or where Debian, the source and Homebrew put them.
func places() []string {
	return append(filepath.SplitList(os.Getenv("PATH")),
		"/usr/lib/postgresql/*/bin", "/usr/local/pgsql/bin", "/opt/homebrew/bin")
}

// binaries returns the first directory that holds a PostgreSQL server. What is in PATH may be links; the server needs
// the files beside the real one.
func binaries(places []string) (dir string, err error) {
	for _, place := range places {
		found, err := filepath.Glob(filepath.Join(place, "initdb"))
		if err != nil {
			return "", fmt.Errorf("look for PostgreSQL in %s: %w", place, err)
		}
		for _, initdb := range slices.Backward(found) { // the highest version
			real, err := filepath.EvalSymlinks(initdb)
			if err != nil {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(real), "postgres")); err == nil {
				return filepath.Dir(real), nil
			}
		}
	}
	return "", ErrMissing
}

// Unprivileged returns the user to run the server as: nil for the present one, but a server refuses to be root.
func Unprivileged() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.ParseUint(u.Uid, 10, 32)
		gid, gidErr := strconv.ParseUint(u.Gid, 10, 32)
		if err := errors.Join(uidErr, gidErr); err != nil {
			return nil, fmt.Errorf("read the ids of user %s: %w", name, err)
		}
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
	}
	return nil, errors.New("PostgreSQL refuses to run as root, and there is neither a user postgres nor a user nobody")
}
