package outbox

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"sett/internal/sett"
	"sett/internal/store/db"
)

// MailQueued is the topic of mails that have to be sent.
const MailQueued db.Topic = "mail queued"

const queueMail = `-- store.queueMail
INSERT INTO mails (recipient, kind, fields, token_hash, created_at, due_at) VALUES ($1, $2, '', $3, $4, $4) RETURNING id`

const setMailFields = `-- store.setMailFields
UPDATE mails SET fields = $2 WHERE id = $1`

// QueueMail stores a mail, which is sent after the transaction has committed.
func (t Tx) QueueMail(ctx context.Context, now time.Time, m sett.Mail) error {
	fields, err := json.Marshal(m.Fields)
	if err != nil {
		return err
	}
	t.Wake(MailQueued)
	var id int64
	row := t.QueryRowContext(ctx, t.s.db.Text(queueMail), m.To, string(m.Kind), hashInMail(string(fields)), db.Micros(now))
	if err := row.Scan(&id); err != nil {
		return err
	}
	sealed, err := t.Seal(ctx, sealedMail, string(fields), id)
	if err != nil {
		return err
	}
	_, err = t.Exec(ctx, setMailFields, id, sealed)
	return err
}

// MailFailed is called in the transaction that gives up a mail.
type MailFailed func(ctx context.Context, t *db.Tx, m ClaimedMail, problem string) error

// ClaimedMail is a mail for the caller to send now.
type ClaimedMail struct {
	sett.Mail
	ID        int64
	CreatedAt time.Time
	Tries     int // attempts, including this one
}

const claimMail = `-- store.claimMail
WITH due AS (SELECT id FROM mails WHERE NOT given_up AND due_at <= $1 ORDER BY due_at, id LIMIT 1 {{for update skip locked}})
UPDATE mails SET due_at = $2, tries = tries + 1 WHERE id IN (SELECT id FROM due)
RETURNING id, recipient, kind, fields, created_at, tries`

// ClaimMail returns the mail that has been due for the longest time and keeps others from claiming it until the lease ends; without a
// recorded result it is then due again. ok is false if none is due.
func (s *Store) ClaimMail(ctx context.Context, now time.Time, lease time.Duration) (m ClaimedMail, ok bool, err error) {
	if due, err := s.hasDueMail(ctx, now); err != nil || !due {
		return m, false, err
	}
	err = s.inTx(ctx, "claim mail", func(t Tx) error {
		t.KeepsCaches = true
		var fields string
		var created int64
		row := t.QueryRowContext(ctx, s.db.Text(claimMail), db.Micros(now), db.Micros(now.Add(lease)))
		err := row.Scan(&m.ID, &m.To, &m.Kind, &fields, &created, &m.Tries)
		if ok = err == nil; errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		m.CreatedAt = db.FromMicros(created)
		if fields, err = s.db.Reveal(sealedMail, fields, m.ID); err != nil {
			return err
		}
		return json.Unmarshal([]byte(fields), &m.Fields)
	})
	return m, ok, err
}

const dueMail = `-- store.dueMail
SELECT EXISTS (SELECT 1 FROM mails WHERE NOT given_up AND due_at <= $1)`

// hasDueMail checks without a write transaction: usually there is nothing to do.
func (s *Store) hasDueMail(ctx context.Context, now time.Time) (due bool, err error) {
	if err := s.db.Read.QueryRowContext(ctx, s.db.Text(dueMail), db.Micros(now)).Scan(&due); err != nil {
		return false, fmt.Errorf("look for mails: %w", err)
	}
	return due, nil
}

const dropMail = `-- store.dropMail
DELETE FROM mails WHERE id = $1`

// DropMail deletes a mail that was sent or never will be.
func (s *Store) DropMail(ctx context.Context, id int64) error {
	return s.inTx(ctx, "drop mail", func(t Tx) error {
		t.KeepsCaches = true
		_, err := t.Exec(ctx, dropMail, id)
		return err
	})
}

const postponeMail = `-- store.postponeMail
UPDATE mails SET due_at = $3, problem = $4 WHERE id = $1 AND tries = $2 AND NOT given_up`

// PostponeMail records that a claimed mail could not be sent and when to retry. It changes nothing if another process has claimed the
// mail since.
func (s *Store) PostponeMail(ctx context.Context, m ClaimedMail, due time.Time, problem string) error {
	return s.inTx(ctx, "postpone mail", func(t Tx) error {
		t.KeepsCaches = true
		_, err := t.Exec(ctx, postponeMail, m.ID, m.Tries, db.Micros(due), problem)
		return err
	})
}

const giveUpMail = `-- store.giveUpMail
UPDATE mails SET given_up = true, due_at = $3, problem = $4, fields = '', token_hash = NULL WHERE id = $1 AND tries = $2`

// GiveUpMail records that a claimed mail cannot be sent. It empties the fields at once, as they may contain secrets, and keeps the rest
// until the given time. If the mail asks for a confirmation, the problem is also recorded with its recipient. It changes nothing if
// another process has claimed the mail since.
func (s *Store) GiveUpMail(ctx context.Context, m ClaimedMail, until time.Time, problem string) error {
	return s.inTx(ctx, "give up mail", func(t Tx) error {
		t.KeepsCaches = true
		ours, err := t.Changed(ctx, giveUpMail, m.ID, m.Tries, db.Micros(until), problem)
		if err != nil || ours == 0 || t.s.MailFailed[m.Kind] == nil {
			return err
		}
		return t.s.MailFailed[m.Kind](ctx, t.Tx, m, problem)
	})
}

const forgetMails = `-- store.forgetMails
DELETE FROM mails WHERE given_up AND due_at <= $1`

// ForgetMails deletes mails that were given up and whose time has passed.
func (s *Store) ForgetMails(ctx context.Context, now time.Time) error {
	return s.inTx(ctx, "forget mails", func(t Tx) error {
		t.KeepsCaches = true
		_, err := t.Exec(ctx, forgetMails, db.Micros(now))
		return err
	})
}
