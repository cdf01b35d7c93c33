package sett

import "time"

// Backup is one that was made of the server's database.
type Backup struct {
	At     time.Time
	Bytes  int64  // of its file
	Schema int64  // version of the schema that it holds
	By     string // a command, or the address of who asked for it
}

// OldBackup is the age from which a backup is too old: somebody makes one each day, and was late once.
const OldBackup = 48 * time.Hour
