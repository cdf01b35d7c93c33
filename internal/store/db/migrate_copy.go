package db

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"sett/internal/sett"
)

// copiesKept is how many copies of the database are kept that were made before migrations.
const copiesKept = 2

// copyMark precedes the version of the schema in the name of such a copy.
const copyMark = ".schema-"

// readyToMigrate prepares an SQLite file for a change of its schema: it ensures that no server uses the file, and copies it. Call done
// when the schema is changed.
func (d *DB) readyToMigrate(ctx context.Context, from, to int64) (done func() error, err error) {
	nothing := func() error { return nil }
	if d.dialect != sqliteDialect {
		return nothing, nil
	}
	mine := d.files.recorder.Locked()
	if err := d.RecordAlone(ctx); err != nil {
		if sett.CodeOf(err) == sett.Conflict {
			err = sett.Errorf(sett.Conflict, "another sett serves the data directory %s, and this one would change the schema of its database from version %d to %d; stop it first", filepath.Dir(d.path), from, to)
		}
		return nil, err
	}
	if done = d.files.recorder.Unlock; mine {
		done = nothing
	}
	if from == 0 || d.noCopy {
		return done, nil
	}
	if err := d.copyBefore(ctx, from); err != nil {
		return nil, errors.Join(err, done())
	}
	return done, nil
}

// CopyBefore returns the copy of the database that Migrate made before it changed the schema; "" if it made none.
func (d *DB) CopyBefore() string { return d.copied }

// copyBefore copies the database beside it. The copy gets its name only once it is complete and on disk; the remains of an earlier
// attempt are removed.
func (d *DB) copyBefore(ctx context.Context, version int64) (err error) {
	name, unfinished := d.path+copyMark+strconv.FormatInt(version, 10), d.path+".copying"
	if err := removeFile(unfinished); err != nil {
		return fmt.Errorf("copy database before its schema is changed: %w", err)
	}
	err = d.CopyTo(ctx, unfinished)
	if err == nil {
		err = errors.Join(os.Chmod(unfinished, 0o600), syncFile(unfinished))
	}
	if err == nil {
		err = errors.Join(os.Rename(unfinished, name), syncDir(filepath.Dir(name)))
	}
	if err != nil {
		_ = removeFile(unfinished)
		if ctx.Err() == nil && d.dialect.full(err) {
			return noRoomToCopy(d.path, err)
		}
		return fmt.Errorf("copy database before its schema is changed: %w", err)
	}
	d.copied = name
	return nil
}

func noRoomToCopy(database string, err error) error {
	size := ""
	if about, err := os.Stat(database); err == nil {
		size = fmt.Sprintf(" (%d MB)", (about.Size()+1<<20-1)>>20)
	}
	refusal := sett.Errorf(sett.Conflict, "the schema of the database must be upgraded, and there is not enough space in %s to copy the database first%s. Free some space; "+
		"or make a backup elsewhere with sett backup, and start with --migration-copy=false (SETT_MIGRATION_COPY=false)", filepath.Dir(database), size)
	return fmt.Errorf("%w (%v)", refusal, err) //nolint:errorlint // otherwise it would be explained as if the database could not be opened
}

// firstSealed is the first version of the schema with encrypted secrets.
const firstSealed = 35

// PlainCopies returns the copies beside the database that were made before its secrets were encrypted, and contain them in plain text.
func (d *DB) PlainCopies() (names []string, err error) {
	if d.dialect != sqliteDialect {
		return nil, nil
	}
	found, err := d.copies()
	for _, name := range found {
		if copyVersion(name) < firstSealed {
			names = append(names, name)
		}
	}
	return names, err
}

// copies returns the copies that were made before migrations, newest first.
func (d *DB) copies() ([]string, error) {
	found, err := filepath.Glob(escapeGlob(d.path) + copyMark + "*")
	if err != nil {
		return nil, err
	}
	found = slices.DeleteFunc(found, func(name string) bool { return copyVersion(name) == 0 }) // not ours
	slices.SortFunc(found, func(a, b string) int { return cmp.Compare(copyVersion(b), copyVersion(a)) })
	return found, nil
}

// copyVersion returns the version of the schema in the name of a copy; 0 for another file.
func copyVersion(name string) int64 {
	n, _ := strconv.ParseInt(name[strings.LastIndex(name, copyMark)+len(copyMark):], 10, 64)
	return n
}

// pruneCopies removes all but the newest copies, by the versions of their schemas.
func (d *DB) pruneCopies() error {
	found, err := d.copies()
	if err != nil {
		return err
	}
	for _, old := range found[min(len(found), copiesKept):] {
		err = errors.Join(err, removeFile(old))
	}
	return err
}

// escapeGlob escapes the characters that filepath.Glob would read as a pattern.
func escapeGlob(path string) string {
	if filepath.Separator == '\\' {
		return path // which cannot escape them
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

func removeFile(name string) error {
	if err := os.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
