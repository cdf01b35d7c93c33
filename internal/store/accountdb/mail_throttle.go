package accountdb

import (
	"context"
	"crypto/sha256"
	"time"

	"sett/internal/sett/alerts"
	"sett/internal/sett/signin"
	"sett/internal/store/db"
)

// takeMailTo counts a mail of a kind that other users send to an address, whatever network they use. If they must wait first, it returns
// how long, and counts nothing; otherwise it returns 0.
func (t Tx) takeMailTo(ctx context.Context, now time.Time, kind alerts.MailKind, address string) (wait time.Duration, err error) {
	key := sha256.Sum256([]byte("mails of " + string(kind) + " to " + address))
	if _, err := t.Exec(ctx, DropFailures, db.Micros(now.Add(-signin.FailureMemory))); err != nil {
		return 0, err
	}
	if _, err := t.Exec(ctx, keepFailures, key[:]); err != nil { // ensures that there is a row to lock
		return 0, err
	}
	var had signin.MailsTo
	var until int64
	if err := t.QueryRowContext(ctx, t.s.db.Text(failures), key[:]).Scan(&had.Count, &until); err != nil {
		return 0, err
	}
	had.Until = db.FromMicros(until)
	next, wait := had.Send(now)
	if wait > 0 {
		return wait, nil
	}
	_, err = t.Exec(ctx, setFailures, key[:], next.Count, db.Micros(next.Until))
	return 0, err
}

// inviteByMail queues the mail of an invitation. The error is TooMany if its address has received too many recently.
func (t Tx) inviteByMail(ctx context.Context, now time.Time, m alerts.Mail) error {
	wait, err := t.takeMailTo(ctx, now, m.Kind, m.To)
	if err != nil {
		return db.Wrap("count invitations", err)
	}
	if wait > 0 {
		return signin.TooManyInvitations(wait)
	}
	return t.outbox().QueueMail(ctx, now, m)
}
