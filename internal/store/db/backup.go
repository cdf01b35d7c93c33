package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"sett/internal/base/progress"
	"sett/internal/sett"
	"sett/internal/store/schema"
)

// CopyTo writes a consistent copy of the database into a new SQLite file. It contains everything that was acknowledged before the call.
// Others read and write meanwhile. On PostgreSQL it is a Conflict; see CopyRows.
func (d *DB) CopyTo(ctx context.Context, file string) error {
	if d.dialect != sqliteDialect {
		return sett.Errorf(sett.Conflict, "A PostgreSQL database is not a file that could be copied.")
	}
	db, err := sql.Open("sqlite", sqliteDSN(d.path, readerCache, ""))
	if err != nil {
		return fmt.Errorf("open database to copy it: %w", err)
	}
	if err := touchPrivate(file); err != nil {
		return errors.Join(fmt.Errorf("copy database: %w", err), db.Close())
	}
	db.SetMaxOpenConns(1) // letShrink sets a connection's mode
	if err = letShrink(ctx, db); err == nil {
		defer copyStep(ctx, db, file).End()
		_, err = db.ExecContext(ctx, "VACUUM INTO $1", "file:"+(&url.URL{Path: file}).EscapedPath())
	}
	if err = errors.Join(err, db.Close()); err != nil {
		return fmt.Errorf("copy database: %w", err)
	}
	return nil
}

const usedBytes = `-- db.usedBytes
SELECT (p.page_count - f.freelist_count) * s.page_size FROM pragma_page_count p, pragma_freelist_count f, pragma_page_size s`

// copyStep is the step of a copy of a database to a file, of which SQLite says nothing before it is complete: the file is as long as what is copied.
func copyStep(ctx context.Context, from *sql.DB, file string) *progress.Step {
	var total int64
	if err := from.QueryRowContext(ctx, usedBytes).Scan(&total); err != nil {
		total = 0 // it is not known
	}
	return progress.Measure(ctx, "copying the database", progress.Bytes, total, func() int64 {
		about, err := os.Stat(file)
		if err != nil {
			return 0
		}
		return about.Size()
	})
}

// letShrink ensures that ReturnSpace can shorten the file that a connection copies to. Files of earlier versions cannot be shortened.
func letShrink(ctx context.Context, db *sql.DB) error {
	var mode int
	err := db.QueryRowContext(ctx, "PRAGMA auto_vacuum").Scan(&mode)
	if err == nil && mode == 0 {
		_, err = db.ExecContext(ctx, fmt.Sprintf("PRAGMA auto_vacuum=%d", Incremental))
	}
	return err
}

const hasVersions = `-- db.hasVersions
SELECT EXISTS (SELECT 1 FROM {{tables}} t WHERE t.name = 'goose_db_version')`

const schemaVersion = `-- db.SchemaVersion
SELECT coalesce(max(version_id), 0) FROM goose_db_version WHERE is_applied`

// SchemaVersion returns the version of the database's schema; 0 if there is none, without creating one.
func (d *DB) SchemaVersion(ctx context.Context) (version int64, err error) {
	has := false
	if err = d.Read.QueryRowContext(ctx, d.Text(hasVersions)).Scan(&has); err == nil && has {
		err = d.Read.QueryRowContext(ctx, d.Text(schemaVersion)).Scan(&version)
	}
	if err != nil {
		return 0, fmt.Errorf("read schema version: %w", err)
	}
	return version, nil
}

// NewestSchema returns the version of the schema that this program was written for.
func NewestSchema() (newest int64) {
	files, _ := schema.Files.ReadDir(".") // it is embedded in the program
	for _, f := range files {
		number, _, _ := strings.Cut(f.Name(), "_")
		version, _ := strconv.ParseInt(number, 10, 64)
		newest = max(newest, version)
	}
	return newest
}

// Sound returns an error if SQLite finds its file damaged.
func (d *DB) Sound(ctx context.Context) error {
	if d.dialect != sqliteDialect {
		return nil
	}
	defer progress.Begin(ctx, "checking the database", progress.Bytes, 0).End()
	var found string
	if err := d.Read.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&found); err != nil {
		return fmt.Errorf("check database: %w", err)
	}
	if found != "ok" {
		return fmt.Errorf("check database: %s", found)
	}
	return nil
}

// MoveIn moves the SQLite file of one directory into another that has none and that no process serves. If two try at once, one gets a
// Conflict. When it returns, the file and its name are on disk.
func MoveIn(ctx context.Context, from, to string) (err error) {
	locks := newLockFiles(to)
	defer func() { err = errors.Join(err, locks.close()) }()
	return locks.changeSchema(ctx, func() error {
		if err := Vacant(to); err != nil {
			return err
		}
		if locked, err := locks.recorder.TryLock(); err != nil || !locked {
			return errors.Join(err, sett.Errorf(sett.Conflict, "another sett serves the data directory %s; stop it first, or choose another directory", to))
		}
		file := filepath.Join(from, fileName)
		if err := syncFile(file); err != nil {
			return err
		}
		if err := os.Rename(file, filepath.Join(to, fileName)); err != nil {
			return err
		}
		return syncDir(to)
	})
}

func syncFile(name string) error {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Vacant returns a Conflict if a directory contains a database, or parts of one.
func Vacant(dir string) error {
	for _, ending := range []string{"", "-wal", "-journal"} {
		file := filepath.Join(dir, fileName+ending)
		if _, err := os.Lstat(file); !errors.Is(err, os.ErrNotExist) {
			return errors.Join(err, sett.Errorf(sett.Conflict, "%s already exists; stop its server and move it away, or choose another directory with --data", file))
		}
	}
	return nil
}
