package operate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"sett/internal/app/backup"
	"sett/internal/base/progress"
	"sett/internal/sett"
	"sett/internal/store"
	"sett/internal/store/db"
)

// Restored is a backup that was brought back.
type Restored struct {
	backup.Header
	Now int64 `json:"schema_now"` // version of the schema that it was brought to
}

// Restore makes the database of a backup in a file or object storage, or of what stdin brings where file is "-", in the data directory, which must have
// none, or in an empty PostgreSQL database. Nothing has the name of a database before all of the backup was read, found whole and brought to
// the schema of this program; when anything is wrong, the directory stays as it was, and the PostgreSQL database has no data.
func Restore(ctx context.Context, in Installation, file string, stdin io.Reader) (r Restored, err error) {
	if in.Database == "" {
		if err := db.Vacant(in.Dir); err != nil {
			return r, err
		}
	}
	b, name, err := openBackup(ctx, file, stdin)
	if err != nil {
		return r, err
	}
	defer b.Close()
	if newest := db.NewestSchema(); b.Schema > newest {
		return r, sett.Errorf(sett.Conflict, "%s was created by sett %s with schema version %d, and this sett supports versions up to %d; restore it with the newer sett",
			name, b.Sett, b.Schema, newest)
	}
	r.Header = b.Header
	if in.Database == "" {
		r.Now, err = restore(ctx, in.Dir, b.Reader)
	} else {
		r.Now, err = restoreServer(ctx, in, b.Reader)
	}
	err = b.reason(err)
	if sett.CodeOf(err) == sett.Invalid {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return r, err
}

// restore makes the database in a scratch directory, and moves it in when it is whole.
func restore(ctx context.Context, data string, b *backup.Reader) (schema int64, err error) {
	_, missing := os.Stat(data)
	if err := os.MkdirAll(data, 0o700); err != nil {
		return 0, err
	}
	scratch, remove, err := backup.Scratch(data)
	if err != nil {
		return 0, err
	}
	defer func() {
		err = errors.Join(err, remove())
		if err != nil && missing != nil {
			_ = os.Remove(data) // as before, unless it has been used since
		}
	}()
	if err := unpack(ctx, b, filepath.Join(scratch, "sett.db")); err != nil {
		return 0, err
	}
	if schema, err = forward(ctx, scratch, b.Schema); err != nil {
		return 0, err
	}
	return schema, db.MoveIn(ctx, scratch, data)
}

// restoreServer makes the database in a scratch directory, and copies it into an empty PostgreSQL database when it is whole.
func restoreServer(ctx context.Context, in Installation, b *backup.Reader) (schema int64, err error) {
	o := in.Options
	o.Dir = "" // the key file of the new database is named, or missing
	to, err := store.Open(ctx, o)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	switch has, err := to.Accounts.HasUsers(ctx); {
	case err != nil:
		return 0, err
	case has:
		return 0, sett.Errorf(sett.Conflict, "the database already has users; stop its servers, and restore the backup into an empty database")
	}
	scratch, remove, err := backup.Scratch(os.TempDir())
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	if err := unpack(ctx, b, filepath.Join(scratch, "sett.db")); err != nil {
		return 0, err
	}
	if schema, err = forward(ctx, scratch, b.Schema); err != nil {
		return 0, err
	}
	if _, _, err := to.Migrate(ctx); err != nil {
		return 0, err
	}
	return schema, copyTo(ctx, scratch, to)
}

// copyTo copies the rows of the file in a directory into another database, once everything in it is counted.
func copyTo(ctx context.Context, dir string, to *store.Store) (err error) {
	from, err := store.Open(ctx, db.Options{Dir: dir, Found: true, MadeUp: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	if _, err := from.Intake.Recover(ctx); err != nil {
		return err
	}
	_, err = from.CopyRows(ctx, to.DB)
	return err
}

func unpack(ctx context.Context, b *backup.Reader, file string) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	step := progress.Begin(ctx, "reading the backup", progress.Bytes, b.Bytes)
	defer step.End()
	return errors.Join(b.Database(counting{f, step}), f.Close())
}

// counting counts the bytes that are written.
type counting struct {
	w    io.Writer
	step *progress.Step
}

func (c counting) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.step.Add(int64(n))
	return n, err
}

// forward brings the database in a directory to the newest schema, once it is found sound.
func forward(ctx context.Context, dir string, expected int64) (schema int64, err error) {
	s, err := store.Open(ctx, db.Options{Dir: dir, Found: true, NoCopy: true})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := s.CheckSchema(ctx, expected); err != nil {
		return 0, err
	}
	if err := s.Sound(ctx); err != nil {
		return 0, err
	}
	from, schema, err := s.Migrate(ctx)
	if err == nil && from != expected {
		err = sett.Errorf(sett.Invalid, "The database in the backup has schema %d, but its header states %d. Nothing was restored. Use another backup.", from, expected)
	}
	return schema, err
}
