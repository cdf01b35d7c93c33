package sett

import (
	"io"
	"maps"
	"time"
)

// OperatorAction is a change in an account that somebody makes who runs the server, on the command line. They are no user
// of the account, and act with the rights of an owner.
type OperatorAction struct {
	Command   string            // "sett user role"
	Name      string            // of the action in the audit log, such as "updateAccountUser"
	AccountID string            // "" where the store tells
	Account   string            // what it is called
	Target    map[string]string // the ids of what is changed, such as "user_id"
	Changes   map[string]any    // what it becomes
}

// Operator stands for whoever runs the server, where an id is asked for. They are no user of any account, and have the
// rights of an owner in every one. It is the id of no user and of no session, nor that of nobody, 0.
const Operator int64 = -1

// OperatorDevice is where an operator acts from, as users are told by mail.
const OperatorDevice = "the command line of the server"

// operatorName stands in the audit log for whoever runs the server.
const operatorName = "command line"

// Entry returns the entry of the audit log that the change was made: by no user, but by the command line.
func (a OperatorAction) Entry(now time.Time) AuditEntry {
	target := map[string]string{}
	maps.Copy(target, a.Target)
	return AuditEntry{
		AccountID: a.AccountID, At: now, User: Person{Name: operatorName}, Action: a.Name, Subject: a.Account,
		Target: target, Query: masked(nil), Changes: masked(a.Changes), UserAgent: a.Command,
	}
}

// ServerFigures are how much there is on a server, and how much waits.
type ServerFigures struct {
	Accounts, Users, Projects, Sites, CheckIns int64

	MailsWaiting      int64 // to be sent
	MailsGivenUp      int64 // tried for too long
	DeliveriesWaiting int64 // of alerts
}

// Backup is one that was made of the server's database.
type Backup struct {
	At     time.Time
	Bytes  int64  // of its file
	Schema int64  // version of the schema that it holds
	By     string // a command, or the address of who asked for it
}

// OldBackup is the age from which a backup is too old: somebody makes one each day, and was late once.
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

// Kept says what a project keeps, about.
type Kept struct {
	Notices int64
	Bytes   int64
}
