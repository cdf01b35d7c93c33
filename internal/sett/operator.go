package sett

import (
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

// ByOperator stands for the session of a user in whose place the operator acts.
func ByOperator(userID int64) Session { return Session{ID: Operator, UserID: userID} }

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
