package app

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

	"sett/internal/backup"
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
const repeatedName = "sett-20060102T150405Z.sett"

// shortestEvery is the shortest interval of repeated backups.
const shortestEvery = time.Minute

// BackupRepeatedly writes a backup into the directory now and then at each interval, until ctx ends, and removes the oldest beyond those that
// are kept. Only backups that succeeded count: one that fails is logged, and repeated at the next interval.
func BackupRepeatedly(ctx context.Context, cfg Config, r RepeatedBackup) error {
	if err := r.problems(); err != nil {
		return err
	}
	if err := os.MkdirAll(r.Dir, 0o700); err != nil {
		return backupProblem(r.Dir, err)
	}
	for first := true; ; first = false {
		made, err := Backup(ctx, cfg, filepath.Join(r.Dir, r.Now().UTC().Format(repeatedName)), nil)
		switch {
		case ctx.Err() != nil:
			return nil //nolint:nilerr // it was canceled
		case err != nil && first:
			return err // probably a mistake in the settings
		case err != nil:
			r.Log.Error("backup failed", "error", err)
		default:
			r.Log.Info("backup created", "file", made.File, "bytes", made.Bytes)
			if err := r.prune(); err != nil {
				r.Log.Error("old backups could not be removed", "error", err)
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
		p.Add("DIRECTORY", "must be a directory for --every")
	}
	return p.Err()
}

// prune removes the oldest backups beyond those that are kept.
func (r RepeatedBackup) prune() error {
	entries, err := os.ReadDir(r.Dir)
	if err != nil {
		return err
	}
	var names []string
	for _, e := range entries {
		if _, err := time.Parse(repeatedName, e.Name()); err == nil && e.Type().IsRegular() {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names) // by time
	for _, name := range names[:max(0, len(names)-r.Keep)] {
		file := filepath.Join(r.Dir, name)
		if backup.Replaceable(file) != nil { // it is something else
			continue
		}
		err = errors.Join(err, os.Remove(file))
	}
	if err != nil {
		err = fmt.Errorf("remove old backups: %s", strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return err
}
