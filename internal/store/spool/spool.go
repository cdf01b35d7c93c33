// Package spool keeps, in a file of its own, what clients reported while the database could not be reached. It takes encoded reports, and
// returns them in the same order until they are dropped. A report is on disk when Add returns. It never reads a report, and holds no more
// bytes than it is allowed to.
package spool

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"sett/internal/sett"
	"sett/internal/store/db"
)

// Kind says what an entry is.
type Kind int64

// The kinds of entries. They are stored, so their numbers stay.
const (
	Notice Kind = 1
	Ping   Kind = 2
	Deploy Kind = 3
)

// Entry is a report that waits for the database.
type Entry struct {
	ID   int64 // by the order of Add; 0 before
	Kind Kind
	At   time.Time // when it was received
	Body []byte
}

// size is how many bytes an entry takes, roughly.
func (e *Entry) size() int64 { return int64(len(e.Body)) + 64 }

// Size is how much a spool holds.
type Size struct {
	Entries, Bytes int64
	Oldest         time.Time // when its first entry was received; zero if it is empty
}

// Spool is an open spool. It is safe for concurrent use.
type Spool struct {
	file string
	most int64 // bytes

	using sync.RWMutex // held for writing while the file is replaced
	db    *sql.DB

	mu    sync.Mutex
	size  Size
	bytes map[Kind]int64
	done  passed
	keys  []byte // what was last saved or read of API keys; nil: nothing
	begun bool   // what the file holds is known
	full  bool   // an entry was refused, and none was dropped since
	fails bool   // the file could not be written, and was not since
}

// emptyBytes is more than the files of an empty spool take.
const emptyBytes = 64 << 10

// Look reports whether there is a spool in a directory, and whether it holds entries. It opens nothing, so that another process may use the spool.
func Look(dir string) (found, holds bool) {
	bytes := int64(0)
	for _, ending := range []string{"", "-wal"} {
		if info, err := os.Stat(filepath.Join(dir, FileName+ending)); err == nil {
			found = true
			bytes += info.Size()
		}
	}
	return found, bytes > emptyBytes
}

// FileName is the name of the file in the data directory.
const FileName = "spool.db"

// ErrInUse says that another process uses the spool of the directory.
var ErrInUse = errors.New("another process uses this spool")

// errFull is the answer to clients when there is no more room.
var errFull = &sett.Error{
	Code: sett.Unavailable, RetryAfter: 30 * time.Second,
	Message: "The database does not respond, and the server has no more room for reports. Try again in a moment.",
}

const createEntries = `CREATE TABLE IF NOT EXISTS entries (id INTEGER PRIMARY KEY AUTOINCREMENT, kind INTEGER NOT NULL, at INTEGER NOT NULL, body BLOB NOT NULL)`

const createPings = `CREATE INDEX IF NOT EXISTS pings ON entries (id) WHERE kind = 2`

const createKeys = `CREATE TABLE IF NOT EXISTS keys (id INTEGER PRIMARY KEY CHECK (id = 1), body BLOB NOT NULL)`

const sizeOfEntries = `SELECT kind, count(*), sum(length(body) + 64), (SELECT at FROM entries ORDER BY id LIMIT 1) FROM entries GROUP BY kind`

// Open opens the spool of a directory, which it creates if necessary; it may hold so many bytes. The error is ErrInUse if another process has it. If
// the disk is full, the spool takes nothing until Try can write.
func Open(ctx context.Context, dir string, most int64) (s *Spool, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make directory of spool: %w", err)
	}
	s = &Spool{file: filepath.Join(dir, FileName), most: most, bytes: map[Kind]int64{}}
	if err := s.open(ctx); isFull(err) {
		s.fails = true
	} else if err != nil {
		err = errors.Join(err, s.db.Close())
		if strings.Contains(err.Error(), "locked") {
			return nil, ErrInUse
		}
		return nil, fmt.Errorf("open spool: %w", err)
	}
	return s, nil
}

// open opens the file, and reads what it holds. With an error, s.db may be used all the same: it opens the file again when that is asked for.
func (s *Spool) open(ctx context.Context) (err error) {
	if s.db, err = sql.Open("sqlite", source(s.file)); err != nil {
		return err
	}
	s.db.SetMaxOpenConns(1) // which holds the lock on the file
	s.db.SetMaxIdleConns(1)
	return s.begin(ctx)
}

// Result codes of SQLite (sqlite.org/rescode.html).
const (
	sqliteIOErr = 10
	sqliteFull  = 13
)

// isFull reports whether SQLite or the system has failed because of the disk, most likely because it is full.
func isFull(err error) bool {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return true
	}
	failed, ok := errors.AsType[interface {
		error
		Code() int
	}](err)
	return ok && (failed.Code()&0xff == sqliteFull || failed.Code()&0xff == sqliteIOErr)
}

// source names the file with the settings of its connection: each commit is synced, and the file belongs to one process at a time. For what is left
// out a full disk has no room: a file with shared memory, where SQLite has a module without, and a setting that an existing file has already.
func source(file string) string {
	settings := "_pragma=locking_mode(exclusive)&_pragma=journal_mode(wal)&_pragma=synchronous(full)&_pragma=secure_delete(fast)&_txlock=immediate"
	if runtime.GOOS != "windows" {
		settings += "&vfs=unix-excl"
	}
	if info, err := os.Stat(file); err != nil || info.Size() == 0 {
		settings += "&_pragma=auto_vacuum(full)"
	}
	return "file:" + (&url.URL{Path: file}).EscapedPath() + "?" + settings
}

func (s *Spool) begin(ctx context.Context) error {
	if err := db.MakePrivate(s.file); err != nil {
		return err
	}
	for _, create := range []string{createEntries, createPings, createKeys} {
		if _, err := s.db.ExecContext(ctx, create); err != nil {
			return err
		}
	}
	var size Size
	byKind := map[Kind]int64{}
	rows, err := s.db.QueryContext(ctx, sizeOfEntries)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var kind Kind
		var n, bytes, oldest int64
		err := rows.Scan(&kind, &n, &bytes, &oldest)
		size = Size{size.Entries + n, size.Bytes + bytes, db.FromMicros(oldest)}
		byKind[kind] = bytes
		return err
	})
	if err != nil {
		return err
	}
	s.mu.Lock()
	keys := s.keys
	s.size, s.bytes, s.done, s.begun = size, byKind, passed{}, true
	s.mu.Unlock()
	if keys != nil { // of the file that this one replaces
		_, err = s.db.ExecContext(ctx, saveKeys, keys)
	}
	return err
}

// Close closes the spool. Its entries stay.
func (s *Spool) Close() error {
	s.using.RLock()
	defer s.using.RUnlock()
	return s.db.Close()
}

// Size returns how much the spool holds.
func (s *Spool) Size() Size {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.size
}

// Share returns the part of the room that entries of a kind take, from 0 to 1.
func (s *Spool) Share(of Kind) float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return float64(s.bytes[of]) / float64(s.most)
}

// Full reports whether the spool has refused an entry, and has dropped none since, or its file cannot be written.
func (s *Spool) Full() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.full || s.fails
}

const tryWrite = `PRAGMA user_version = 1`

// Try writes to the file if that has failed before: a load balancer sends nothing more to a server that is full, so no entry would find out that
// the disk has room again.
func (s *Spool) Try(ctx context.Context) error {
	s.mu.Lock()
	failed, begun := s.fails, s.begun
	s.mu.Unlock()
	if !failed {
		return nil
	}
	if begun && s.Size().Entries == 0 {
		if err := s.shrink(ctx); err != nil {
			return err
		}
	}
	s.using.RLock()
	defer s.using.RUnlock()
	var err error
	if !begun {
		err = s.begin(ctx)
	}
	if err == nil {
		_, err = s.db.ExecContext(ctx, tryWrite)
	}
	s.note(err)
	return db.Wrap("write to spool", err)
}

// note notes how a write has ended.
func (s *Spool) note(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fails = err != nil
}

const insertEntry = `INSERT INTO entries (kind, at, body) VALUES ($1, $2, $3)`

// Add appends entries. They are on disk when it returns nil; after an error none of them is in the spool. The error is Unavailable if there is no room.
func (s *Spool) Add(ctx context.Context, entries []Entry) error {
	if err := s.reserve(entries); err != nil {
		return err
	}
	err := s.inTx(ctx, func(t *sql.Tx) error {
		for _, e := range entries {
			if _, err := t.ExecContext(ctx, insertEntry, e.Kind, db.Micros(e.At), e.Body); err != nil {
				return err
			}
		}
		return nil
	})
	s.note(err)
	if err != nil {
		s.count(entries, -1)
		return fmt.Errorf("%w: write to spool: %w", errFull, err) // most likely the disk is full
	}
	return nil
}

// reserve counts entries that are about to be added, if there is room for them.
func (s *Spool) reserve(entries []Entry) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	bytes := s.size.Bytes
	for i := range entries {
		bytes += entries[i].size()
	}
	if s.full = bytes > s.most; s.full || !s.begun {
		return errFull
	}
	if s.size.Entries == 0 && len(entries) > 0 {
		s.size.Oldest = entries[0].At
	}
	s.add(entries, 1)
	return nil
}

// count adds entries to the size, or takes them from it.
func (s *Spool) count(entries []Entry, sign int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.add(entries, sign)
}

func (s *Spool) add(entries []Entry, sign int64) {
	for i := range entries {
		s.size.Entries += sign
		s.size.Bytes += sign * entries[i].size()
		s.bytes[entries[i].Kind] += sign * entries[i].size()
	}
	if s.size.Entries == 0 {
		s.size.Oldest = time.Time{}
	}
}

func (s *Spool) inTx(ctx context.Context, f func(*sql.Tx) error) error {
	s.using.RLock()
	defer s.using.RUnlock()
	t, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := f(t); err != nil {
		return errors.Join(err, t.Rollback())
	}
	return t.Commit()
}
