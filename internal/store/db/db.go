// Package db is one open database, SQLite or PostgreSQL: its connections, transactions, the SQL dialects of the engines, encryption of
// columns, leases, wake-ups between processes, and schema migrations. It takes statements with holes, and functions that run in a
// transaction; it returns rows. It knows no noun of sett: whatever else belongs to a transaction is passed in as hooks.
package db

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"sett/internal/sett"
)

// DB is an open database. It is safe for concurrent use.
type DB struct {
	dialect *dialect
	Write   *sql.DB // SQLite: one connection, and so one writer at a time
	Read    *sql.DB
	intake  *sql.DB  // stores what clients report; on SQLite the same as write
	upkeep  *sql.DB  // changes the schema; on SQLite the same as write
	Locks   *sql.DB  // PostgreSQL only: for the session that holds advisory locks; often the same as write
	Pooled  bool     // a pooler stands in front of PostgreSQL
	texts   sync.Map // statement → its text in this dialect
	stmts   sync.Map // statement → *sql.Stmt on write, SQLite only

	Process string // the unique name of this process
	keys    keyring
	sealed  SealedColumns
	hooks   Hooks

	path   string // of the database file; SQLite only
	noCopy bool   // see Options
	copied string // see CopyBefore

	files       *lockFiles // SQLite only
	log         logFile    // SQLite only
	checkpoints checkpoints
	wakes       wakes
	listener    listener // PostgreSQL only
	replica     *replica // nil: none
}

// Options configure where the data is stored.
type Options struct {
	Dir      string // for SQLite: the directory of the database file; created if missing
	KeyFile  string // of the keys that secrets are encrypted with; "" for secret.key in Dir
	Database string // "" for SQLite in Dir, or a postgres:// address
	Direct   string // the postgres:// address of the server itself, if Database is that of a pooler; "" if sessions there can keep locks
	Replica  string // the postgres:// address of a read replica; "" for none
	Found    bool   // do not create the SQLite file: if it is missing, Open returns a NotFound error
	NoCopy   bool   // do not copy the SQLite file before its schema is changed
	MadeUp   bool   // the data can be generated again: SQLite does not wait for the disk

	Sealed SealedColumns

	// Later says that PostgreSQL need not respond yet. What is between it and this process, such as a pooler, is not known then.
	Later bool

	// For tests.
	SyncFile func(*os.File) error // replaces the sync of an SQLite file's log to disk
	Tracer   pgx.QueryTracer      // sees the statements that write transactions send to PostgreSQL

	ReadTracer pgx.QueryTracer // sees the other ones
}

// Open opens the database without touching its schema; see Migrate.
func Open(ctx context.Context, o Options) (*DB, error) {
	s := &DB{Process: rand.Text(), sealed: o.Sealed}
	s.keys.file, s.keys.own = o.SecretKeyFile(), o.KeyFile == ""
	var err error
	switch {
	case o.Database == "":
		err = s.openSQLite(ctx, o)
	case strings.HasPrefix(o.Database, "postgres://"), strings.HasPrefix(o.Database, "postgresql://"):
		err = s.openPostgres(ctx, o)
	default:
		return nil, errors.New("the database must be a postgres:// address, or empty for SQLite")
	}
	if err != nil {
		return nil, err
	}
	if o.Later {
		return s, nil
	}
	if err := s.Ping(ctx); err != nil {
		s.Close()
		return nil, fmt.Errorf("open database: %w", err)
	}
	return s, nil
}

// Close runs the hooks, waits for running statements and closes the database.
func (d *DB) Close() error {
	d.listener.close()
	return errors.Join(d.hooks.close(), d.checkpoints.close(), d.log.close(), d.Read.Close(), d.Write.Close(), d.intake.Close(), d.upkeep.Close(), d.Locks.Close(), d.replica.close(), d.files.close())
}

// Ping reports whether the database answers, and whether its disk can be trusted.
func (d *DB) Ping(ctx context.Context) error {
	return errors.Join(d.log.check(), d.Read.PingContext(ctx))
}

// Engine returns "sqlite" or "postgres".
func (d *DB) Engine() string { return d.dialect.name }

// SQLite reports whether the database is an SQLite file, which one process serves at a time.
func (d *DB) SQLite() bool { return d.dialect == sqliteDialect }

// Path returns the name of the SQLite file; "" on PostgreSQL.
func (d *DB) Path() string { return d.path }

// SecretKeyFile returns the name of the key file; "" if there is none.
func (d *DB) SecretKeyFile() string { return d.keys.file }

// Address returns the address of the PostgreSQL database, with its password; "" on SQLite.
func (d *DB) Address() string {
	if d.listener.config == nil {
		return ""
	}
	return d.listener.config.ConnString()
}

// busyTimeout is how long, in ms, a connection to an SQLite file waits for a lock.
const busyTimeout = 5000

// Keyed returns the sessions for reads that look up rows by key, even while tables grow: see writerSettings.
func (d *DB) Keyed() *sql.DB {
	if d.SQLite() {
		return d.Read
	}
	return d.Write
}

func (d *DB) openSQLite(ctx context.Context, o Options) (err error) {
	d.dialect = sqliteDialect
	teachRegexp()
	file := filepath.Join(o.Dir, fileName)
	if _, err := os.Stat(file); o.Found && errors.Is(err, os.ErrNotExist) {
		return sett.Errorf(sett.NotFound, "there is no database in %s", o.Dir)
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return fmt.Errorf("make data directory: %w", err)
	}
	d.path, d.files, d.noCopy = file, newLockFiles(o.Dir), o.NoCopy || o.MadeUp
	if err := d.files.changeSchema(ctx, func() error { return errors.Join(closeToOthers(file), makeSQLite(file)) }); err != nil {
		return err
	}
	// Deleted rows are overwritten in pages that are written anyway: users can ask for what is deleted to be gone.
	if d.Write, err = sql.Open("sqlite", sqliteDSN(file, writerCache, "_txlock=immediate&_pragma=secure_delete(fast)")); err != nil {
		return err
	}
	d.Write.SetMaxOpenConns(1)
	d.intake, d.upkeep, d.Locks = d.Write, d.Write, d.Write
	if err := d.Write.Ping(); err != nil { // creates the file, so that readers find one
		return fmt.Errorf("open %s: %w", file, err)
	}
	if d.Read, err = openReaders(sqliteDSN(file, readerCache, "_pragma=query_only(1)")); err != nil {
		return err
	}
	d.Read.SetMaxOpenConns(4)
	d.Read.SetMaxIdleConns(4)
	if d.checkpoints.db, err = sql.Open("sqlite", sqliteDSN(file, readerCache, "")); err != nil {
		return err
	}
	d.checkpoints.db.SetMaxOpenConns(1)
	d.log.path, d.log.idle, d.log.syncFile = file+"-wal", o.MadeUp, syncData
	if o.SyncFile != nil {
		d.log.syncFile = o.SyncFile
	}
	if d.log.database, err = newNamedFile(file); err != nil {
		return fmt.Errorf("look for %s: %w", file, err)
	}
	d.checkpoints.write = d.Write
	if !o.MadeUp {
		d.checkpoints.room.path = filepath.Join(filepath.Dir(file), reserveName)
	}
	d.checkpoints.begin()
	return nil
}

// fileName is the name of the SQLite file in its directory.
const fileName = "sett.db"

// pageSize is the page size of a new database file, in bytes. Several notices fit on a page, and a commit writes whole pages.
const pageSize = 16 << 10

// makeSQLite creates an empty database file if there is none: once it has a write-ahead log, its page size is fixed. Only its owner can
// read it; SQLite gives the files beside it the same mode.
func makeSQLite(file string) error {
	switch info, err := os.Stat(file); {
	case err == nil && info.Size() > 0:
		return nil
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return err
	}
	if err := touchPrivate(file); err != nil {
		return fmt.Errorf("make %s: %w", file, err)
	}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: file}).EscapedPath()+fmt.Sprintf("?_pragma=page_size(%d)&_pragma=auto_vacuum(%d)", pageSize, Incremental))
	if err != nil {
		return err
	}
	if _, err = db.Exec("VACUUM"); err != nil {
		err = fmt.Errorf("make %s: %w", file, err)
	}
	return errors.Join(err, db.Close())
}

// The memory in KiB in which a connection keeps pages. Readers find others in the memory of the system: with eight times as much, searches
// among five million notices take as long.
const (
	writerCache = 16 << 10
	readerCache = 4 << 10
)

// sqliteDSN names the file with the settings of every connection. The file stays consistent whatever happens during a commit; the commit
// is on disk once logFile.sync has returned. A reader never waits for the writer.
func sqliteDSN(file string, cache int, more string) string {
	pragmas := []string{
		"journal_mode(wal)", "synchronous(normal)", fmt.Sprintf("busy_timeout(%d)", busyTimeout), "foreign_keys(1)",
		fmt.Sprintf("cache_size(-%d)", cache), fmt.Sprintf("wal_autocheckpoint(%d)", 256<<20/pageSize), "temp_store(memory)",
	}
	query := more
	for _, p := range pragmas {
		query += "&_pragma=" + p
	}
	return "file:" + (&url.URL{Path: file}).EscapedPath() + "?" + query
}

// statement is an SQL text with holes, and its number of rows (see dialect.rows).
type statement struct {
	text string
	rows int
}

// Text returns a statement in the dialect of this engine.
func (d *DB) Text(text string) string { return d.textOf(statement{text, 1}) }

func (d *DB) textOf(st statement) string {
	if t, ok := d.texts.Load(st); ok {
		return t.(string)
	}
	t := d.dialect.renderRows(st.text, st.rows)
	d.texts.Store(st, t)
	return t
}

// Micros formats a time for the database; 0 is the zero time. It has the precision of sett.Written.
func Micros(t time.Time) int64 {
	if t = sett.Written(t); t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// FromMicros is the inverse of Micros.
func FromMicros(us int64) time.Time {
	if us == 0 {
		return time.Time{}
	}
	return sett.Written(time.UnixMicro(us).UTC())
}
