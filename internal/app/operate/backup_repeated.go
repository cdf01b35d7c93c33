package operate

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sett/internal/app/backup"
	"sett/internal/base/objects"
	"sett/internal/sett"
)

// RepeatedBackup says how often backups are made, and how many are kept.
type RepeatedBackup struct {
	Dir   string
	Every time.Duration
	Keep  int
	Now   func() time.Time
	After func(time.Duration) <-chan time.Time
	Log   *slog.Logger
}

// repeatedName is the form of the names of repeated backups; other files in the directory are left alone.
const (
	repeatedName  = repeatedBegin + "20060102T150405Z.sett"
	repeatedBegin = "sett-"
)

// isRepeated reports whether a name is one of a repeated backup.
func isRepeated(name string) bool {
	at, err := time.Parse(repeatedName, name)
	return err == nil && at.Format(repeatedName) == name // a time may also have fractions
}

// beyond returns all names but the newest ones.
func beyond(names []string, newest int) []string {
	slices.Sort(names) // by time
	return names[:max(0, len(names)-newest)]
}

// shortestEvery is the shortest interval of repeated backups.
const shortestEvery = time.Minute

// BackupRepeatedly writes a backup into the directory now and then at each interval, until ctx ends, and removes the oldest beyond those that
// are kept. Only backups that succeeded count: one that fails is logged, and repeated at the next interval.
func BackupRepeatedly(ctx context.Context, in Installation, r RepeatedBackup) error {
	if err := r.problems(); err != nil {
		return err
	}
	if err := r.prepare(); err != nil {
		return notWritten("backup", r.Dir, err)
	}
	for first := true; ; first = false {
		made, err := Backup(ctx, in, r.place(r.Now().UTC().Format(repeatedName)), nil)
		switch {
		case ctx.Err() != nil:
			return nil //nolint:nilerr // it was canceled
		case err != nil && first:
			return err // probably a mistake in the settings
		case err != nil:
			r.Log.Error("a backup could not be created and is tried again at its next time", "next_in_ms", r.Every.Milliseconds(), "error", err, "hint", "check the disk and the database with: sett doctor")
		default:
			r.Log.Info("a backup was created", "file", made.File, "bytes", made.Bytes)
			if err := r.prune(ctx); err != nil {
				r.Log.Error("old backups could not be deleted, so they fill the disk", "directory", r.Dir, "error", err, "hint", "check the permissions of the directory")
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-r.After(r.Every):
		}
	}
}

func (r RepeatedBackup) problems() error {
	var p sett.Problems
	if r.Every < shortestEvery {
		p.Add("--every", "must be at least %s", shortestEvery)
	}
	if r.Keep < 1 {
		p.Add("--keep", "must be at least 1")
	}
	if r.Dir == "-" {
		p.Add("DIRECTORY", "must be a directory, or a bucket with a prefix, for --every")
	}
	if isObject(r.Dir) {
		if _, err := objects.ParseAddress(r.Dir); err != nil {
			p.Add("DIRECTORY", "cannot be used: %v", err)
		}
	}
	return p.Err()
}

// prepare makes the directory.
func (r RepeatedBackup) prepare() error {
	if isObject(r.Dir) {
		return nil
	}
	return os.MkdirAll(r.Dir, 0o700)
}

// place returns where the backup of a name is.
func (r RepeatedBackup) place(name string) string {
	if isObject(r.Dir) {
		return objects.Join(r.Dir, name)
	}
	return filepath.Join(r.Dir, name)
}

// prune removes the oldest backups beyond those that are kept.
func (r RepeatedBackup) prune(ctx context.Context) (err error) {
	if isObject(r.Dir) {
		err = r.pruneObjects(ctx)
	} else {
		err = r.pruneFiles()
	}
	if err != nil {
		err = fmt.Errorf("remove old backups: %s", strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return err
}

func (r RepeatedBackup) pruneFiles() error {
	entries, err := os.ReadDir(r.Dir)
	if err != nil {
		return err
	}
	var names []string
	for _, e := range entries {
		if isRepeated(e.Name()) && e.Type().IsRegular() {
			names = append(names, e.Name())
		}
	}
	for _, name := range beyond(names, r.Keep) {
		file := filepath.Join(r.Dir, name)
		if backup.Replaceable(file) != nil { // it is something else
			continue
		}
		err = errors.Join(err, os.Remove(file))
	}
	return err
}
