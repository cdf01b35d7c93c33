package operate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"sett/internal/app/backup"
	"sett/internal/sett"
	"sett/internal/store"
	"sett/internal/store/db"
)

// VerifiedBackup is a backup that was found whole.
type VerifiedBackup struct {
	backup.Header
	File     string `json:"file"`
	Count    int    `json:"tables_count"`
	Rows     int64  `json:"rows"`
	Compared bool   `json:"compared"` // the rows were compared with the sums that the backup has; those of earlier versions have none
}

// VerifyBackup reads a whole backup, or what stdin brings where file is "-", and checks its checksums, its schema, its database and the rows
// of each table. It leaves nothing behind. The error says what is wrong.
func VerifyBackup(ctx context.Context, file string, stdin io.Reader) (v VerifiedBackup, err error) {
	b, name, err := openBackup(ctx, file, stdin)
	if err != nil {
		return v, err
	}
	defer b.Close()
	v = VerifiedBackup{Header: b.Header, File: file}
	scratch, remove, err := backup.Scratch(os.TempDir())
	if err != nil {
		return v, notWritten("backup", os.TempDir(), err)
	}
	defer func() { err = errors.Join(err, remove()) }()
	if err := b.reason(v.check(ctx, b.Reader, scratch)); err != nil {
		return v, fmt.Errorf("%s: %w", name, err)
	}
	return v, nil
}

// openedBackup is a backup that is being read.
type openedBackup struct {
	*backup.Reader
	from *source
}

// source remembers why it could not be read, so that a lost connection is not taken for a damaged backup.
type source struct {
	io.ReadCloser
	failed error
}

func (s *source) Read(p []byte) (n int, err error) {
	n, err = s.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		s.failed = err
	}
	return n, err
}

// reason returns why something failed that reads the backup: err, unless the backup could not be read.
func (b openedBackup) reason(err error) error {
	if err != nil && b.from.failed != nil {
		return fmt.Errorf("the backup cannot be read: %v", b.from.failed) //nolint:errorlint // what is wrapped would be explained as the data directory
	}
	return err
}

// Close ends the reading.
func (b openedBackup) Close() {
	b.Reader.Close()
	_ = b.from.Close() // of what was only read
}

// openBackup opens a backup, or what stdin brings where file is "-"; name is what errors call it.
func openBackup(ctx context.Context, file string, stdin io.Reader) (b openedBackup, name string, err error) {
	if name = file; file == "-" {
		name = "standard input"
	}
	place, err := backupPlaceOf(file)
	if err != nil {
		return b, name, err
	}
	bytes, err := place.open(ctx, stdin)
	if err != nil {
		return b, name, fmt.Errorf("the backup cannot be read: %v", err) //nolint:errorlint // what is wrapped would be explained as the data directory
	}
	b.from = &source{ReadCloser: bytes}
	if b.Reader, err = backup.Open(b.from); err != nil {
		return b, name, errors.Join(fmt.Errorf("%s: %w", name, b.reason(err)), b.from.Close())
	}
	return b, name, nil
}

func (v *VerifiedBackup) check(ctx context.Context, b *backup.Reader, scratch string) error {
	file := filepath.Join(scratch, "sett.db")
	if err := unpack(ctx, b, file); err != nil {
		return err
	}
	sums, err := db.SumsOf(ctx, file)
	if err != nil {
		return sett.Errorf(sett.Invalid, "The database in the backup cannot be read: %v.", err)
	}
	for _, s := range sums {
		v.Count, v.Rows = v.Count+1, v.Rows+s.Rows
	}
	if v.Compared = len(v.Tables) > 0; v.Compared {
		if differ := db.DiffSums(v.Tables, sums); len(differ) > 0 {
			return sett.Errorf(sett.Invalid, "The rows of these tables differ from those that were backed up: %s.", strings.Join(differ, ", "))
		}
	}
	return v.checkFile(ctx, scratch)
}

// checkFile checks the schema and the pages of the database in a directory.
func (v *VerifiedBackup) checkFile(ctx context.Context, dir string) (err error) {
	if v.Schema > db.NewestSchema() {
		return sett.Errorf(sett.Conflict, "the backup was created by sett %s with schema version %d, and this sett supports versions up to %d; verify it with the newer sett", v.Sett, v.Schema, db.NewestSchema())
	}
	s, err := store.Open(ctx, db.Options{Dir: dir, Found: true, NoCopy: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := s.CheckSchema(ctx, v.Schema); err != nil {
		return err
	}
	return s.Sound(ctx)
}
