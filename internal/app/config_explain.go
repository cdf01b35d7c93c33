package app

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"strings"
	"syscall"

	"sett/internal/store/db"
)

// explained is an error that an operator can fix, with a sentence for them.
type explained struct {
	sentence string
	cause    error
}

func (e *explained) Error() string { return e.sentence }

func (e *explained) Unwrap() error { return e.cause }

// Explain returns err, which a command ended with, as one sentence that names the setting behind it and says what to
// do. An error that no setting is behind comes back as it is. No password is ever in the sentence.
func (c Config) Explain(err error) error {
	if _, done := errors.AsType[*explained](err); done || err == nil {
		return err
	}
	sentence := c.explainListen(err)
	switch {
	case sentence != "":
	case c.Database == "":
		sentence = c.explainData(err)
	default:
		sentence = c.explainPostgres(err)
	}
	if sentence == "" {
		return err
	}
	return &explained{sentence, err}
}

// explainListen says why nothing can be served on the address, or nothing when that is not what err is about.
func (c Config) explainListen(err error) string {
	failed, ok := errors.AsType[*net.OpError](err)
	if !ok || failed.Op != "listen" {
		return ""
	}
	address, setting := c.Listen, "--listen (SETT_LISTEN)"
	if _, secure := errors.AsType[*secureListen](err); secure {
		address, setting = c.ACME.Listen, "--tls-listen (SETT_TLS_LISTEN)"
	}
	_, unknownHost := errors.AsType[*net.DNSError](err)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Sprintf("another program already listens on %s; stop it, or choose another address with %s", address, setting)
	case errors.Is(err, syscall.EACCES):
		return fmt.Sprintf("the user that runs sett is not allowed to listen on %s; choose port 1024 or higher with %s, or run sett as another user", address, setting)
	case errors.Is(err, syscall.EADDRNOTAVAIL), unknownHost:
		return fmt.Sprintf("the host of %s is not an address of this machine; choose one with %s, or omit the host to listen on all addresses", address, setting)
	}
	return ""
}

// explainData says why the data directory cannot be used.
func (c Config) explainData(err error) string {
	const elsewhere = ", or choose another directory with --data (SETT_DATA)"
	if refused, ok := errors.AsType[*fs.PathError](err); ok {
		if errors.Is(err, syscall.ENOTDIR) {
			return fmt.Sprintf("the data directory %s cannot be created, because %s is a file; move the file away", c.Data, refused.Path) + elsewhere
		}
		return fmt.Sprintf("the data directory %s cannot be created: %v; create it and make it writable for the user that runs sett", c.Data, refused.Err) + elsewhere
	}
	sentence := map[int]string{
		db.SQLiteBusy:     "another program has locked the database in the data directory %s; stop it and try again",
		db.SQLiteReadOnly: "the database in the data directory %s cannot be opened for writing; make the directory and its files writable for the user that runs sett",
		db.SQLiteCantOpen: "the database in the data directory %s cannot be opened for writing; make the directory and its files writable for the user that runs sett",
		db.SQLiteIOErr:    "the disk with the data directory %s is full or failing; free space on it or replace it",
		db.SQLiteFull:     "the disk with the data directory %s is full; free space on it",
		db.SQLiteCorrupt:  "the database in the data directory %s is damaged; restore a backup",
		db.SQLiteNotADB:   "the file sett.db in the data directory %s is not a sett database; move it away",
	}[db.SQLiteCode(err)&0xff]
	if sentence == "" {
		return ""
	}
	return fmt.Sprintf(sentence, c.Data) + elsewhere
}

// explainPostgres says why PostgreSQL cannot be used.
func (c Config) explainPostgres(err error) string {
	p := c.placeOfError(err)
	if stated, ok := errors.AsType[interface { // as the errors that PostgreSQL answers with
		error
		SQLState() string
	}](err); ok {
		return p.explainState(stated.SQLState())
	}
	_, unknownHost := errors.AsType[*net.DNSError](err)
	failed, ok := errors.AsType[*net.OpError](err)
	switch {
	case unknownHost:
		return fmt.Sprintf("the host of %s was not found; correct it in %s", p.server, p.setting)
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.ENOENT): // no socket of that name
		return fmt.Sprintf("%s does not respond; start it, or correct the address in %s", p.server, p.setting)
	case ok && failed.Op == "dial":
		return fmt.Sprintf("%s cannot be reached; check that it is running and that no firewall blocks it, or correct the address in %s", p.server, p.setting)
	case strings.Contains(err.Error(), "server refused TLS connection"): // pgconn has no name for it
		return fmt.Sprintf("%s does not support TLS; enable it there, or remove sslmode from %s", p.server, p.setting)
	}
	return ""
}
