package sett

import "time"

// MailsTo are the mails of one kind that others have had sent to an address in a stretch of time.
type MailsTo struct {
	Count int64
	Until time.Time // the end of the stretch
}

// How many they may be, and in which time.
const (
	MostMailsTo = 5
	MailStretch = time.Hour
)

// Send decides on one more at now. It returns how long to wait first, and then nothing has changed; or 0, and the mails with
// this one.
func (m MailsTo) Send(now time.Time) (MailsTo, time.Duration) {
	if !now.Before(m.Until) {
		m = MailsTo{Until: now.Add(MailStretch)}
	}
	if m.Count >= MostMailsTo {
		return m, m.Until.Sub(now)
	}
	m.Count++
	return m, 0
}

// TooManyInvitations is the answer to one who invites an address that has got too many mails.
func TooManyInvitations(wait time.Duration) *Error {
	e := Errorf(TooMany, "This address was sent %d invitations within an hour. Wait %s, then try again.", MostMailsTo, inWords(wait))
	e.RetryAfter = wait
	return e
}
