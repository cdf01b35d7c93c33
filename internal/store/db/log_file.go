package db

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"sett/internal/sett"
)

// logFile is SQLite's write-ahead log. The store brings it to the disk itself: SQLite would do so while the connection
// that writes is taken, for commits that nobody waits for as well, and with the file's times each time.
type logFile struct {
	path     string
	idle     bool // nothing is brought to the disk
	database namedFile

	syncFile func(*os.File) error

	mu     sync.Mutex
	file   *os.File // opened with the first sync
	log    namedFile
	broken error // why what the log holds may not be on the disk
}

// sync returns once every commit that has returned is on the disk. After a failure the system may have dropped what it
// could not write and call the next try a success (fsyncgate): nothing is promised any more until a new process has
// read the file.
func (l *logFile) sync() error {
	if l.idle {
		return nil
	}
	file, err := l.open()
	if err == nil {
		err = l.syncFile(file)
	}
	if err == nil {
		return l.inPlace()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken == nil {
		l.broken = err
	}
	return untrusted(l.broken)
}

// check returns the error of a write while the log is broken, or while the files are gone.
func (l *logFile) check() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken != nil {
		return untrusted(l.broken)
	}
	return l.inPlace()
}

// inPlace returns an error when the database or its log was deleted, moved or replaced: the system goes on writing to files
// that no other process can open any more, and they are lost when this process ends.
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

// namedFile is a file as it was under a name; the zero namedFile stands for no file.
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
		return fmt.Errorf("%s is another file than the one that was opened", f.name)
	}
	return nil
}

func untrusted(err error) error {
	e := &sett.Error{Code: sett.Unavailable, Message: "The server's disk has failed. Try again when its operator has restarted it.", RetryAfter: time.Minute}
	return fmt.Errorf("sync the log, restart sett when the disk is sound: %w: %w", e, err)
}

// open opens the log, which SQLite has made with the first commit, and brings its name to the disk.
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
	return l.file.Close()
}

// Sync returns once everything that is committed is on the disk. On PostgreSQL that is so when it is committed.
func (d *DB) Sync() error {
	if !d.SQLite() {
		return nil
	}
	return d.log.sync()
}
