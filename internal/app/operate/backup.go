package operate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"sett/internal/app/backup"
	"sett/internal/base/about"
	"sett/internal/base/progress"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store"
	"sett/internal/store/db"
)

// MadeBackup is a backup that was made.
type MadeBackup struct {
	File   string    `json:"file"` // "-" for one that was written to standard output
	Bytes  int64     `json:"bytes"`
	At     time.Time `json:"made_at"` // all that was acknowledged before is in it
	Schema int64     `json:"schema"`
	Sett   string    `json:"sett"`
}

// Backup writes a backup of the database to a file, to object storage, or to stdout where file is "-". A server may run on it, and goes on. Nothing
// has the name of the file before it is whole. Where it cannot be done the error says why, and an earlier backup stays.
func Backup(ctx context.Context, in Installation, file string, stdout io.Writer) (made MadeBackup, err error) {
	place, err := backupPlaceOf(file)
	if err == nil {
		err = place.replaceable(ctx)
	}
	if err != nil {
		return made, stoppedOr(ctx, notWritten("backup", file, err))
	}
	s, err := store.Open(ctx, in.existing())
	if sett.CodeOf(err) == sett.NotFound {
		return made, nothingYet(in)
	}
	if db.SQLiteCode(err)&0xff == db.SQLiteCorrupt { // the damage is where the file begins to be read
		err = notWritten("backup", file, err)
	}
	if err != nil {
		return made, stoppedOr(ctx, err)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if _, err := in.UseObjects(s); err != nil {
		return made, err
	}
	c, remove, err := copied(ctx, s, "backup", place.scratch(), time.Now())
	if err != nil {
		return made, stoppedOr(ctx, err)
	}
	defer func() { err = errors.Join(err, remove()) }()
	made = MadeBackup{File: file, At: c.At, Schema: c.Schema, Sett: c.Sett}
	if made.Bytes, err = place.save(ctx, c, stdout); err != nil {
		return made, stoppedOr(ctx, notWritten("backup", file, err))
	}
	return made, noteBackup(ctx, s, accounts.Backup{At: c.At, Bytes: made.Bytes, Schema: c.Schema, By: "sett backup"})
}

// PrepareBackup makes a backup of the database of a running server, to be taken away by one of its users. What it made stays until its Close.
func PrepareBackup(ctx context.Context, s *store.Store, now time.Time, by string) (*accounts.PreparedBackup, error) {
	c, remove, err := copied(ctx, s, "backup", os.TempDir(), now)
	if err != nil {
		return nil, problemOnPage(stoppedOr(ctx, err))
	}
	return &accounts.PreparedBackup{
		Name:  "sett-" + c.At.Format("2006-01-02-1504") + ".backup",
		Close: remove,
		Write: func(w io.Writer) error {
			counted := &counter{w: w}
			if err := c.write(ctx, counted); err != nil {
				return err
			}
			return noteBackup(ctx, s, accounts.Backup{At: c.At, Bytes: counted.n, Schema: c.Schema, By: by})
		},
	}, nil
}

// errStopped is the error of a backup that a signal has ended.
var errStopped = errors.New("stopped before the backup was complete; no earlier backup was changed")

// stoppedOr returns the error to report: a stop instead of err if the process was stopped.
func stoppedOr(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return errStopped
	}
	return err
}

// copyOf is a copy of a database, and what is known of it.
type copyOf struct {
	backup.Header
	file string
}

// copied makes a copy in a scratch directory, which remove removes. When it fails nothing is left there.
func copied(ctx context.Context, s *store.Store, what, beside string, now time.Time) (c copyOf, remove func() error, err error) {
	scratch, remove, err := backup.Scratch(beside)
	if err != nil {
		return c, nil, notWritten(what, beside, err)
	}
	if c, err = copyInto(ctx, s, scratch, now); err != nil {
		return c, nil, errors.Join(notWritten(what, beside, err), remove())
	}
	return c, remove, nil
}

func copyInto(ctx context.Context, s *store.Store, scratch string, now time.Time) (c copyOf, err error) {
	c = copyOf{backup.Header{Sett: about.Current().Version, At: now.UTC().Truncate(time.Second)}, filepath.Join(scratch, "sett.db")}
	if c.Schema, err = s.SchemaVersion(ctx); err != nil {
		return c, err
	}
	release, err := holdObjects(ctx, s, c.Schema)
	if err != nil {
		return c, err
	}
	if s.SQLite() {
		err = s.CopyTo(ctx, c.file)
		if err == nil && release != nil {
			err = fetchBlocks(ctx, s, scratch)
		}
	} else {
		err = fileOf(ctx, s, scratch, c.Schema)
	}
	if release != nil {
		err = errors.Join(err, release())
	}
	if err != nil {
		return c, err
	}
	if c.Tables, err = db.SumsOf(ctx, c.file); err != nil {
		return c, err
	}
	about, err := os.Stat(c.file)
	if err != nil {
		return c, err
	}
	c.Bytes = about.Size()
	return c, nil
}

// fileOf makes an SQLite file of a PostgreSQL database, which must have the newest schema.
func fileOf(ctx context.Context, s *store.Store, scratch string, schema int64) (err error) {
	switch newest := db.NewestSchema(); {
	case schema == 0:
		return sett.Errorf(sett.NotFound, "this database is empty: there is nothing to back up")
	case schema != newest:
		return sett.Errorf(sett.Conflict, "the schema of this database has version %d, and this sett can only back up version %d; run sett migrate, or back it up with the sett that serves it", schema, newest)
	}
	file, err := store.Open(ctx, db.Options{Dir: scratch, MadeUp: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if _, _, err := file.Migrate(ctx); err != nil {
		return err
	}
	if _, err := s.CopyRows(ctx, file.DB); err != nil {
		return err
	}
	if err := bringBlocks(ctx, s, file); err != nil {
		return err
	}
	return file.Rollups.BecomeFile(ctx)
}

func (c copyOf) write(ctx context.Context, w io.Writer) error {
	database, err := os.Open(c.file)
	if err != nil {
		return err
	}
	step := progress.Begin(ctx, "writing the backup", progress.Bytes, c.Bytes)
	defer step.End()
	return errors.Join(backup.Write(w, c.Header, until{ctx, database, step}), database.Close())
}

// until reads until its context ends.
type until struct {
	ctx  context.Context //nolint:containedctx // a reader is given none
	r    io.Reader
	step *progress.Step
}

func (u until) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := u.r.Read(p)
	u.step.Add(int64(n))
	return n, err
}

// noteBackup remembers a backup, where the database has the schema to do so: an older one is backed up before a new sett
// changes it.
func noteBackup(ctx context.Context, s *store.Store, b accounts.Backup) error {
	if b.Schema != db.NewestSchema() {
		return nil
	}
	if err := s.NoteBackup(context.WithoutCancel(ctx), b); err != nil { // a signal that comes now is too late to stop it
		return fmt.Errorf("the backup is complete, but it could not be recorded: %w", err)
	}
	return nil
}

// counter counts what is written.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// Size writes a number of bytes in its largest unit: "3.4 MB".
func Size(n int64) string {
	if n < 1000 {
		return strconv.FormatInt(n, 10) + " bytes"
	}
	value, unit := float64(n), ""
	for _, unit = range []string{"kB", "MB", "GB", "TB"} {
		if value /= 1000; value < 1000 {
			break
		}
	}
	return strconv.FormatFloat(value, 'f', 1, 64) + " " + unit
}

// notWritten says why no backup or export could be written to a place, and what to do. It does not wrap what is not about the database:
// that would be explained as if it were.
func notWritten(what, where string, err error) error {
	if code := sett.CodeOf(err); code != "" && code != sett.Unavailable { // which the store says of a database that failed
		return err
	}
	if where == "-" {
		where = "standard output"
	}
	code := db.SQLiteCode(err)
	sentence := "the " + what + " cannot be written to " + where + ": " + err.Error()
	switch {
	case diskFull(err) || code&0xff == db.SQLiteFull || code == sqliteWriteError:
		sentence = "there is not enough disk space for the " + what + " in " + where + ": it needs space for a copy of the database and for the " + what + ". Free space there, or choose another location"
	case code&0xff == db.SQLiteCorrupt || code&0xff == db.SQLiteNotADB:
		sentence = "the database is damaged and cannot be copied. Run sett doctor, and restore the last good backup"
	case code&0xff == db.SQLiteIOErr:
		sentence = "the disk with the database or " + where + " is failing: " + err.Error()
	case errors.Is(err, os.ErrPermission) || errors.Is(err, syscall.EROFS) || code&0xff == db.SQLiteCantOpen || code&0xff == db.SQLiteReadOnly:
		sentence = "the user that runs sett may not write to " + where + ": " + err.Error() + ". Choose another location, or give that user the permission"
	case errors.Is(err, syscall.EPIPE):
		sentence = "the program that reads the " + what + " ended before it was complete"
	}
	return sett.Errorf(sett.Conflict, "%s; no earlier %s was changed", sentence, what)
}

// sqliteWriteError is SQLITE_IOERR_WRITE, which SQLite answers with where a file may not grow.
const sqliteWriteError = db.SQLiteIOErr | 3<<8

// diskFull reports whether the disk is full, a quota is used up, or a file may not grow.
func diskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EFBIG) || errors.Is(err, syscall.EDQUOT)
}

// problemOnPage is an error as the page of backups shows it.
func problemOnPage(err error) error {
	if e, ok := errors.AsType[*sett.Error](err); ok && e.Code == sett.Conflict {
		return fmt.Errorf("%w: %w", sett.Errorf(sett.Conflict, "No backup was created: %s.", e.Message), err)
	}
	return err
}
