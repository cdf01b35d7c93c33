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
		"port in use":    {"", listenError(os.NewSyscallError("bind", syscall.EADDRINUSE)), "another program listens on :80 already; stop it, or choose another address with --listen (SETT_LISTEN)"},
		"low port":       {address, listenError(os.NewSyscallError("bind", syscall.EACCES)), "the user that runs sett may not listen on :80; choose a port from 1024 up with --listen (SETT_LISTEN), or run sett as a user that may"},
		"unknown host":   {"", listenError(&net.DNSError{Err: "no such host"}), "the host of :80 is not this machine; choose one of its addresses with --listen (SETT_LISTEN), or leave the host out to listen on all of them"},
		"port of HTTPS":  {"", &secureListen{listenError(syscall.EACCES)}, "the user that runs sett may not listen on :443; choose a port from 1024 up with --tls-listen (SETT_TLS_LISTEN), or run sett as a user that may"},
		"not writable":   {"", fmt.Errorf("make: %w", &fs.PathError{Op: "mkdir", Path: "/d", Err: syscall.EACCES}), "the data directory /d/e cannot be made: permission denied; make it and give it to the user that runs sett" + elsewhere},
		"a file":         {"", &fs.PathError{Op: "mkdir", Path: "/d", Err: syscall.ENOTDIR}, "the data directory /d/e cannot be made, because /d is a file; move the file away" + elsewhere},
		"read only":      {"", coded(1544), "the database in the data directory /d/e cannot be opened for writing; give the directory and every file in it to the user that runs sett" + elsewhere},
		"not readable":   {"", coded(14), "the database in the data directory /d/e cannot be opened for writing; give the directory and every file in it to the user that runs sett" + elsewhere},
		"disk full":      {"", fmt.Errorf("migrate: %w", coded(13)), "the disk with the data directory /d/e is full; make room on it" + elsewhere},
		"quota used up":  {"", coded(778), "the disk with the data directory /d/e is full or failing; make room on it or mend it" + elsewhere},
		"locked":         {"", coded(5), "another program has locked the database in the data directory /d/e; stop it and try again" + elsewhere},
		"damaged":        {"", coded(11), "the database in the data directory /d/e is damaged; put a copy of the directory in its place" + elsewhere},
		"no database":    {"", coded(26), "the file sett.db in the data directory /d/e is no database of sett; move it away" + elsewhere},
		"refused":        {address, dialError(syscall.ECONNREFUSED), "PostgreSQL at db:5432 does not answer; start it there, or correct the address " + correct},
		"no socket":      {"postgres:///shop?host=/run/pg", dialError(syscall.ENOENT), "PostgreSQL at /run/pg does not answer; start it there, or correct the address " + correct},
		"host not known": {address, dialError(&net.DNSError{Err: "no such host"}), "the host of PostgreSQL at db:5432 is not known; correct it " + correct},
		"no route":       {address, dialError(syscall.EHOSTUNREACH), "PostgreSQL at db:5432 cannot be reached; see whether it runs and no firewall is between, or correct the address " + correct},
		"no TLS":         {address + "?sslmode=require", errors.New("tls error: server refused TLS connection"), "PostgreSQL at db:5432 does not speak TLS; turn that on there, or leave sslmode out of --database (SETT_DATABASE)"},
		"wrong password": {address, errors.Join(dialError(errors.New("tls")), stated("28P01")), `PostgreSQL at db:5432 does not know the user "olga" with this password; correct them ` + correct},
		"no password":    {"postgres://db", stated("28P01"), `PostgreSQL at db does not know the user with this password; correct them ` + correct},
		"not let in":     {address, stated("28000"), `PostgreSQL at db:5432 does not let the user "olga" in from here; make the user, allow it in pg_hba.conf, or name another ` + correct},
		"database":       {address, stated("3D000"), `PostgreSQL at db:5432 does not have the database "shop"; make it with createdb, or name another ` + correct},
		"no right":       {"postgres:///?host=db&user=olga&dbname=shop", stated("42501"), `the user "olga" may not make tables in the database "shop" of PostgreSQL at db; make it the owner of the database, or name another ` + correct},
		"its disk full":  {address, stated("53100"), "the disk of PostgreSQL at db:5432 is full; make room on it"},
		"its slots full": {address, stated("53300"), "PostgreSQL at db:5432 has no connection left; raise its max_connections, or stop other programs that use it"},
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
			if got := (Config{Database: database}).Explain(err); got != err { //nolint:errorlint // the very same error comes back
				t.Errorf("%v became %v", err, got)
			}
		}
	}
}
