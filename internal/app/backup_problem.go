package app

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"sett/internal/sett"
)

// backupProblem says why no backup could be written to a place, and what to do. It does not wrap what is not about the database:
// that would be explained as if it were.
func backupProblem(where string, err error) error {
	if code := sett.CodeOf(err); code != "" && code != sett.Unavailable { // which the store says of a database that failed
		return err
	}
	if where == "-" {
		where = "standard output"
	}
	code := sqliteCode(err)
	sentence := "the backup cannot be written to " + where + ": " + err.Error()
	switch {
	case diskFull(err) || code&0xff == sqliteFull || code == sqliteWriteError:
		sentence = "there is not enough disk space for the backup in " + where + ": it needs space for a copy of the database and for the backup. Free space there, or choose another location"
	case code&0xff == sqliteCorrupt || code&0xff == sqliteNotADB:
		sentence = "the database is damaged and cannot be backed up. Run sett doctor, and restore the last good backup"
	case code&0xff == sqliteIOErr:
		sentence = "the disk with the database or " + where + " is failing: " + err.Error()
	case errors.Is(err, os.ErrPermission) || errors.Is(err, syscall.EROFS) || code&0xff == sqliteCantOpen || code&0xff == sqliteReadOnly:
		sentence = "the user that runs sett may not write to " + where + ": " + err.Error() + ". Choose another location, or give that user the permission"
	case errors.Is(err, syscall.EPIPE):
		sentence = "the program that reads the backup ended before the backup was complete"
	}
	return sett.Errorf(sett.Conflict, "%s; no earlier backup was changed", sentence)
}

// sqliteCode returns SQLite's result code of an error, 0 for none.
func sqliteCode(err error) int {
	if coded, ok := errors.AsType[interface {
		error
		Code() int
	}](err); ok {
		return coded.Code()
	}
	return 0
}

// sqliteWriteError is SQLITE_IOERR_WRITE, which SQLite answers with where a file may not grow.
const sqliteWriteError = sqliteIOErr | 3<<8

// diskFull reports whether the disk is full, a quota is used up, or a file may not grow.
func diskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EFBIG) || errors.Is(err, syscall.EDQUOT)
}

// problemOnPage is an error as the page of backups shows it.
func problemOnPage(err error) error {
	if e, ok := errors.AsType[*sett.Error](err); ok && e.Code == sett.Conflict && e != errBusy {
		return fmt.Errorf("%w: %w", sett.Errorf(sett.Conflict, "No backup was created: %s.", e.Message), err)
	}
	return err
}
