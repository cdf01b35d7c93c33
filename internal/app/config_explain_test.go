package app

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// stated is an error with an SQLSTATE, as PostgreSQL's are; coded is one with a result code, as SQLite's are.
type (
	stated string
	coded  int
)

func (s stated) Error() string    { return "FATAL: internal text (SQLSTATE " + string(s) + ")" }
func (s stated) SQLState() string { return string(s) }
func (c coded) Error() string     { return fmt.Sprintf("internal text (%d)", int(c)) }
func (c coded) Code() int         { return int(c) }

func listenError(why error) error {
	return fmt.Errorf("listen: %w", &net.OpError{Op: "listen", Net: "tcp", Err: why})
}

func dialError(why error) error {
	return fmt.Errorf("open database: %w", errors.Join(&net.OpError{Op: "dial", Net: "tcp", Err: why}))
}

func TestExplain(t *testing.T) {
	t.Parallel()
	const (
		elsewhere = ", or choose another directory with --data (SETT_DATA)"
		correct   = "in --database (SETT_DATABASE)"
		address   = "postgres://olga:hush@db:5432/shop"
	)
	tests := map[string]struct {
		database string
		err      error
		want     string
	}{
		"port in use":    {"", listenError(os.NewSyscallError("bind", syscall.EADDRINUSE)), "another program already listens on :80; stop it, or choose another address with --listen (SETT_LISTEN)"},
		"low port":       {address, listenError(os.NewSyscallError("bind", syscall.EACCES)), "the user that runs sett is not allowed to listen on :80; choose port 1024 or higher with --listen (SETT_LISTEN), or run sett as another user"},
		"unknown host":   {"", listenError(&net.DNSError{Err: "no such host"}), "the host of :80 is not an address of this machine; choose one with --listen (SETT_LISTEN), or omit the host to listen on all addresses"},
		"port of HTTPS":  {"", &secureListen{listenError(syscall.EACCES)}, "the user that runs sett is not allowed to listen on :443; choose port 1024 or higher with --tls-listen (SETT_TLS_LISTEN), or run sett as another user"},
		"not writable":   {"", fmt.Errorf("make: %w", &fs.PathError{Op: "mkdir", Path: "/d", Err: syscall.EACCES}), "the data directory /d/e cannot be created: permission denied; create it and make it writable for the user that runs sett" + elsewhere},
		"a file":         {"", &fs.PathError{Op: "mkdir", Path: "/d", Err: syscall.ENOTDIR}, "the data directory /d/e cannot be created, because /d is a file; move the file away" + elsewhere},
		"read only":      {"", coded(1544), "the database in the data directory /d/e cannot be opened for writing; make the directory and its files writable for the user that runs sett" + elsewhere},
		"not readable":   {"", coded(14), "the database in the data directory /d/e cannot be opened for writing; make the directory and its files writable for the user that runs sett" + elsewhere},
		"disk full":      {"", fmt.Errorf("migrate: %w", coded(13)), "the disk with the data directory /d/e is full; free space on it" + elsewhere},
		"quota used up":  {"", coded(778), "the disk with the data directory /d/e is full or failing; free space on it or replace it" + elsewhere},
		"locked":         {"", coded(5), "another program has locked the database in the data directory /d/e; stop it and try again" + elsewhere},
		"damaged":        {"", coded(11), "the database in the data directory /d/e is damaged; restore a backup" + elsewhere},
		"no database":    {"", coded(26), "the file sett.db in the data directory /d/e is not a sett database; move it away" + elsewhere},
		"refused":        {address, dialError(syscall.ECONNREFUSED), "PostgreSQL at db:5432 does not respond; start it, or correct the address " + correct},
		"no socket":      {"postgres:///shop?host=/run/pg", dialError(syscall.ENOENT), "PostgreSQL at /run/pg does not respond; start it, or correct the address " + correct},
		"host not known": {address, dialError(&net.DNSError{Err: "no such host"}), "the host of PostgreSQL at db:5432 was not found; correct it " + correct},
		"no route":       {address, dialError(syscall.EHOSTUNREACH), "PostgreSQL at db:5432 cannot be reached; check that it is running and that no firewall blocks it, or correct the address " + correct},
		"no TLS":         {address + "?sslmode=require", errors.New("tls error: server refused TLS connection"), "PostgreSQL at db:5432 does not support TLS; enable it there, or remove sslmode from --database (SETT_DATABASE)"},
		"wrong password": {address, errors.Join(dialError(errors.New("tls")), stated("28P01")), `PostgreSQL at db:5432 refused the password of the user "olga"; correct user and password ` + correct},
		"no password":    {"postgres://db", stated("28P01"), `PostgreSQL at db refused the password of the user; correct user and password ` + correct},
		"not let in":     {address, stated("28000"), `PostgreSQL at db:5432 does not allow the user "olga" to connect from here; create the user, allow it in pg_hba.conf, or use another one ` + correct},
		"database":       {address, stated("3D000"), `PostgreSQL at db:5432 does not have the database "shop"; create it with createdb, or use another one ` + correct},
		"no right":       {"postgres:///?host=db&user=olga&dbname=shop", stated("42501"), `the user "olga" is not allowed to create tables in the database "shop" of PostgreSQL at db; make it the owner of the database, or use another one ` + correct},
		"its disk full":  {address, stated("53100"), "the disk of PostgreSQL at db:5432 is full; free space on it"},
		"its slots full": {address, stated("53300"), "PostgreSQL at db:5432 has no free connections; raise its max_connections, or stop other programs that use it"},
		"starting":       {address, stated("57P03"), "PostgreSQL at db:5432 is starting or stopping; try again in a moment"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := Config{Data: "/d/e", Listen: ":80", ACME: ACME{Listen: ":443"}, Database: tt.database}.Explain(tt.err)
			if diff := cmp.Diff(tt.want, got.Error()); diff != "" {
				t.Errorf("sentence (-want +got):\n%s", diff)
			}
			if !errors.Is(got, tt.err) {
				t.Error("the cause is lost")
			}
			if strings.Contains(got.Error(), "hush") {
				t.Error("the sentence shows the password")
			}
		})
	}
}

func TestExplainLeavesAloneWhatNoSettingIsBehind(t *testing.T) {
	t.Parallel()
	for _, database := range []string{"", "postgres://db/shop"} {
		for _, err := range []error{nil, errors.New("bug"), coded(1), stated("42703"), listenError(syscall.EINVAL)} {
			if got := (Config{Database: database}).Explain(err); got != err {
				t.Errorf("%v became %v", err, got)
			}
		}
	}
}
