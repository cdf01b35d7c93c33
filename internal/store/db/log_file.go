package db

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"sett/internal/sett"
)

// logFile is SQLite's write-ahead log. The store syncs it to disk itself: SQLite would do so while the write connection is taken, even
// for commits that no client waits for, and each time with the file's metadata.
type logFile struct {
	path     string
	idle     bool // nothing is synced to disk
	database namedFile

	syncFile func(*os.File) error
	syncing  sync.Mutex   // held while the log is synced
	begun    atomic.Int64 // how many syncs have begun
	witness  witness      // opened with the file

	mu     sync.Mutex
	file   *os.File // opened with the first sync
	log    namedFile
	broken error // why the content of the log may not be on disk
}

// sync returns once every returned commit is on disk. After a failure the system may have dropped what it could not write, and report
// success for the next try (fsyncgate): so all later calls fail, until a new process has read the file. One sync runs at a time, because
// the system reports a failure to one of several that run together; those who waited for it share the next one.
func (l *logFile) sync() error {
	if l.idle {
		return nil
	}
	needed := l.begun.Load() + 1
	l.syncing.Lock()
	defer l.syncing.Unlock()
	if l.begun.Load() < needed {
		l.begun.Add(1)
		if err := l.syncNow(); err != nil {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.broken = err
			return untrusted(err)
		}
	}
	return l.check()
}

func (l *logFile) syncNow() error {
	file, err := l.open()
	if err != nil {
		return err
	}
	if err := l.syncFile(file); err != nil {
		return err
	}
	return l.witness.change()
}

// check returns an error while the log is broken or the files are missing.
func (l *logFile) check() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken != nil {
		return untrusted(l.broken)
	}
	return l.inPlace()
}

// inPlace returns an error if the database or its log was deleted, moved or replaced: the system keeps writing to files that no other
// process can open any more, and they are lost when this process ends.
func (l *logFile) inPlace() error {
	if l.idle {
		return nil
	}
	for _, file := range []namedFile{l.database, l.log} {
		if err := file.inPlace(); err != nil {
			e := &sett.Error{Code: sett.Unavailable, Message: "The server's data directory was deleted or moved. Try again when its operator has restarted it.", RetryAfter: time.Minute}
			return fmt.Errorf("look for the database: %w: %w", e, err)
		}
	}
	return nil
}

// namedFile is a file as it was under a name; the zero namedFile means no file.
type namedFile struct {
	name string
	was  os.FileInfo
}

func newNamedFile(name string) (namedFile, error) {
	info, err := os.Stat(name)
	return namedFile{name, info}, err
}

func (f namedFile) inPlace() error {
	if f.was == nil {
		return nil
	}
	info, err := os.Stat(f.name)
	if err != nil {
		return err
	}
	if !os.SameFile(f.was, info) {
		return fmt.Errorf("%s is not the file that was opened", f.name)
	}
	return nil
}

func untrusted(err error) error {
	e := &sett.Error{Code: sett.Unavailable, Message: "The server's disk has failed. Try again when its operator has restarted it.", RetryAfter: time.Minute}
	return fmt.Errorf("sync the log, restart sett when the disk is repaired: %w: %w", e, err)
}

// open opens the log, which SQLite created with the first commit, and syncs its name to disk.
func (l *logFile) open() (*os.File, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken != nil || l.file != nil {
		return l.file, l.broken
	}
	file, err := os.OpenFile(l.path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(file.Sync(), syncDir(filepath.Dir(l.path))); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	info, err := file.Stat()
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	if l.witness, err = newWitness(filepath.Dir(l.path)); err != nil {
		return nil, errors.Join(err, l.witness.close(), file.Close())
	}
	l.file, l.log = file, namedFile{l.path, info}
	return file, nil
}

func (l *logFile) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.database, l.log = namedFile{}, namedFile{} // SQLite deletes the log when it is closed
	if l.file == nil {
		return nil
	}
	return errors.Join(l.file.Close(), l.witness.close())
}

// Sync returns once everything that is committed is on disk. On PostgreSQL the commit ensures that.
func (d *DB) Sync() error {
	if !d.SQLite() {
		return nil
	}
	return d.log.sync()
}
