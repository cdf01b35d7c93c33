package chaos

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	account "os/user"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sett/e2e/rig"
	"sett/internal/setttest/program"
)

// remote is a PostgreSQL server in a network of its own: a machine whose cable can be pulled. It needs root, and the Debian
// package iproute2.
type remote struct {
	name, link, address string
	dir, bin            string
	cmd                 *exec.Cmd
	log                 bytes.Buffer
}

var remotes atomic.Int64 // that were made

// newRemote makes the network, and no server yet.
func newRemote(t testing.TB) *remote {
	t.Helper()
	number := int(remotes.Add(1))
	id := fmt.Sprintf("%dn%d", os.Getpid()%100000, number)
	net := fmt.Sprintf("198.19.%d", (os.Getpid()%30*8+number)%254)
	r := newRemoteIn(t, "pg"+id, net+".2")
	r.link = "h" + id
	rig.IP(t, "netns add "+r.name)
	t.Cleanup(func() { rig.IP(t, "netns delete "+r.name) })
	rig.IP(t, "link add "+r.link+" type veth peer name eth0 netns "+r.name)
	rig.IP(t, "address add "+net+".1/30 dev "+r.link)
	rig.IP(t, "-n "+r.name+" address add "+r.address+"/30 dev eth0")
	for _, link := range []string{"link set " + r.link, "-n " + r.name + " link set eth0", "-n " + r.name + " link set lo"} {
		rig.IP(t, link+" up")
	}
	return r
}

// newRemoteIn is newRemote in a network that is there.
func newRemoteIn(t testing.TB, netns, address string) *remote {
	t.Helper()
	r := &remote{name: netns, address: address, dir: mustTemp(t)}
	if found, err := filepath.Glob("/usr/lib/postgresql/*/bin/pg_basebackup"); err == nil && len(found) > 0 {
		r.bin = filepath.Dir(found[len(found)-1])
	} else {
		t.Fatal("pg_basebackup is missing: apt-get install postgresql")
	}
	return r
}

// mustTemp makes a directory that the user of the server may enter.
func mustTemp(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "sett-remote-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	owner := postgresUser(t)
	if err := os.Chown(dir, owner[0], owner[1]); err != nil {
		t.Fatal(err)
	}
	return dir
}

// run runs a program of PostgreSQL in the network, as its user.
func (r *remote) run(t testing.TB, name string, args ...string) {
	t.Helper()
	if out, err := r.command(t, program.Bounded, name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", name, err, out)
	}
}

func (r *remote) command(t testing.TB, begin func(string, ...string) *exec.Cmd, name string, args ...string) *exec.Cmd {
	t.Helper()
	owner := postgresUser(t)
	cmd := begin("ip", append([]string{
		"netns", "exec", r.name, "setpriv", fmt.Sprint("--reuid=", owner[0]), fmt.Sprint("--regid=", owner[1]),
		"--clear-groups", filepath.Join(r.bin, name),
	}, args...)...)
	cmd.Dir = r.dir
	return cmd
}

func (r *remote) data() string { return filepath.Join(r.dir, "data") }

// serve runs the server until the test ends.
func (r *remote) serve(t testing.TB, settings ...string) {
	t.Helper()
	r.cmd = r.server(t, settings...)
	r.cmd.Stdout, r.cmd.Stderr = &r.log, &r.log
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = r.cmd.Process.Signal(syscall.SIGQUIT)
		late := time.AfterFunc(rig.EndsIn, func() { _ = r.cmd.Process.Kill() }) // fails only when it has ended
		_ = r.cmd.Wait()
		late.Stop()
		if t.Failed() {
			t.Logf("PostgreSQL at %s: %s", r.address, r.log.String())
		}
	})
	r.awaitServing(t)
}

// server is the command that runs the server.
func (r *remote) server(t testing.TB, settings ...string) *exec.Cmd {
	t.Helper()
	args := []string{"-D", r.data(), "-k", r.dir, "-c", "listen_addresses=*", "-c", "shared_buffers=32MB", "-c", "max_connections=100", "-c", "log_min_messages=warning"}
	for _, s := range settings {
		args = append(args, "-c", s)
	}
	return r.command(t, exec.Command, "postgres", args...)
}

func (r *remote) awaitServing(t testing.TB) {
	t.Helper()
	for _, address := range []string{r.local(), "postgres://sett@" + r.address + "/postgres?sslmode=disable"} {
		rig.Await(t, "PostgreSQL answers at "+address, func() bool {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			conn, err := pgx.Connect(ctx, address)
			if err == nil {
				_ = conn.Close(ctx)
			}
			return err == nil
		})
	}
}

// init makes an empty cluster that takes connections from everywhere in its network.
func (r *remote) init(t testing.TB, options ...string) {
	t.Helper()
	r.run(t, "initdb", append([]string{"--pgdata=" + r.data(), "--username=sett", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"}, options...)...)
	hba, err := os.OpenFile(filepath.Join(r.data(), "pg_hba.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer hba.Close()
	if _, err := hba.WriteString("host all all 198.18.0.0/15 trust\nhost replication all 198.18.0.0/15 trust\n"); err != nil {
		t.Fatal(err)
	}
}

// local is the address of the server by its socket, which no cable leads to.
func (r *remote) local() string {
	u := url.URL{Scheme: "postgres", User: url.User("sett"), Path: "/postgres", RawQuery: url.Values{"host": {r.dir}}.Encode()}
	return u.String()
}

// Addresses of a cable between two such networks, which no other network sees.
const (
	firstEnd  = "198.19.254.1"
	secondEnd = "198.19.254.2"
)

// join lays a cable between two networks.
func join(t testing.TB, first, second *remote) {
	t.Helper()
	rig.IP(t, "-n "+first.name+" link add cable type veth peer name cable netns "+second.name)
	for r, address := range map[*remote]string{first: firstEnd, second: secondEnd} {
		rig.IP(t, "-n "+r.name+" address add "+address+"/30 dev cable")
		rig.IP(t, "-n "+r.name+" link set cable up")
	}
}

// pull pulls cables: what is sent vanishes, and neither end is notified.
func (r *remote) pull(t testing.TB, cables ...string) {
	t.Helper()
	for _, cable := range cables {
		rig.IP(t, "-n "+r.name+" link set "+cable+" down")
	}
}

// postgresUser returns the numbers of the user and the group that PostgreSQL runs as, which refuses to be root.
func postgresUser(t testing.TB) (ids [2]int) {
	t.Helper()
	u, err := account.Lookup("postgres")
	if err != nil {
		t.Fatal(err)
	}
	for i, id := range []string{u.Uid, u.Gid} {
		if ids[i], err = strconv.Atoi(id); err != nil {
			t.Fatal(err)
		}
	}
	return ids
}

// ask runs a statement by the socket and returns its only value.
func (r *remote) ask(t testing.TB, statement string) (answer string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), r.local())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if err := conn.QueryRow(t.Context(), statement).Scan(&answer); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	return answer
}
