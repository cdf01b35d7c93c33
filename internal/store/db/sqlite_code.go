package db

import (
	"errors"

	sqlite3 "modernc.org/sqlite/lib"
)

// SQLite's result codes that an operator can act on (sqlite.org/rescode.html). Of an extended code, the lower 8 bits count.
const (
	SQLiteBusy     = sqlite3.SQLITE_BUSY
	SQLiteReadOnly = sqlite3.SQLITE_READONLY
	SQLiteIOErr    = sqlite3.SQLITE_IOERR
	SQLiteCorrupt  = sqlite3.SQLITE_CORRUPT
	SQLiteFull     = sqlite3.SQLITE_FULL
	SQLiteCantOpen = sqlite3.SQLITE_CANTOPEN
	SQLiteNotADB   = sqlite3.SQLITE_NOTADB
)

// SQLiteCode returns SQLite's extended result code of an error, 0 for none.
func SQLiteCode(err error) int {
	if coded, ok := errors.AsType[interface {
		error
		Code() int
	}](err); ok {
		return coded.Code()
	}
	return 0
}
