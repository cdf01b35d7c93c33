package accounts

import (
	"io"
	"maps"
	"time"

	"sett/internal/sett"
)

// OperatorAction is a change in an account that the operator makes on the command line. Operators are not users of the
// account, and have the rights of an owner.
type OperatorAction struct {
	Command   string            // "sett user role"
	Name      string            // of the action in the audit log, such as "updateAccountUser"
	AccountID string            // "" where the store fills it in
	Account   string            // what it is called
	Target    map[string]string // the ids of what is changed, such as "user_id"
	Changes   map[string]any    // what it becomes
}

// DirectoryName is the name of the directory of an account in the audit log, in which it has no id.
const DirectoryName = "Directory"

// Operator is the id of the operator, who is not a user of any account and has the rights of an owner in every one. No user
// and no session has this id; 0 is the id of no one.
const Operator int64 = -1

// OperatorDevice is the device of an operator in mails to users.
const OperatorDevice = "the command line of the server"

// operatorName is the name of the operator in the audit log.
const operatorName = "command line"

// Entry returns the entry of the audit log that the change was made: by no user, but by the command line.
func (a OperatorAction) Entry(now time.Time) AuditEntry {
	target := map[string]string{}
	maps.Copy(target, a.Target)
	return AuditEntry{
		AccountID: a.AccountID, At: now, User: sett.Person{Name: operatorName}, Action: a.Name, Subject: a.Account,
		Target: target, Query: sett.MaskedFields(nil), Changes: sett.MaskedFields(a.Changes), UserAgent: a.Command,
	}
}

// ServerFigures are how much there is on a server, and how much waits.
type ServerFigures struct {
	Accounts, Users, Projects, Sites, CheckIns int64

	Nodes int64 // processes that serve the database

	MailsWaiting      int64 // to be sent
	MailsGivenUp      int64 // tried for too long
	DeliveriesWaiting int64 // of alerts

	NoticesWaiting int64 // in no block yet
	Objects        ObjectFigures
	OldUpto        time.Time // up to when the notices of an earlier version are moved to blocks; zero if none are left
	OldLast        time.Time // the last of them
}

// ObjectFigures are how many blocks of notices are in object storage, and how many wait to be moved there.
type ObjectFigures struct {
	Blocks, Bytes       int64     // in object storage
	InDatabase, Waiting int64     // blocks in the database, and their bytes
	OldestWaiting       time.Time // of the last notice of the first of them; zero if there are none
	Dead                int64     // objects to be deleted
}

// Backup is one that was made of the server's database.
type Backup struct {
	At     time.Time
	Bytes  int64  // of its file
	Schema int64  // version of the schema that it holds
	By     string // a command, or the address of who asked for it
}

// TableSum describes the rows of a table, whatever engine stores them and in whatever order.
type TableSum struct {
	Table string `json:"table"`
	Rows  int64  `json:"rows"`
	Sum   string `json:"sum"` // the sum of the SHA-256 of each row, as hex
}

// OldBackup is the age from which a backup is too old: one is expected each day, and may be late once.
const OldBackup = 48 * time.Hour

// PreparedBackup is one that can be taken away.
type PreparedBackup struct {
	Name  string                  // of its file
	Write func(w io.Writer) error // may be called once
	Close func() error            // must be called
}

// KeptFrom returns the beginning of the first day whose notices are kept, of a project that keeps them for so many days.
// Whole UTC days are dropped: a notice is kept for that many days, and then until the day ends.
func KeptFrom(now time.Time, days int64) time.Time {
	return Day(now).Add(-time.Duration(days) * 24 * time.Hour)
}

// How long histories are kept.
const (
	KeepHistory    = 400 * 24 * time.Hour // more than a year, so that a year can be compared with the one before
	KeepAudit      = 365 * 24 * time.Hour
	KeepMinutes    = 7 * 24 * time.Hour  // counts of errors by the minute: no page shows more than an hour of them
	KeepUnanswered = 90 * 24 * time.Hour // invitations that expired
	KeepHours      = 90 * 24 * time.Hour // counts of errors by the hour: no page shows more than a day of them
)

// Kept estimates what a project keeps.
type Kept struct {
	Notices int64
	Bytes   int64
}
