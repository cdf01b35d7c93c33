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

// MailQueued is the topic of mails that are to be sent.
const MailQueued db.Topic = "mail queued"

const queueMail = `-- store.queueMail
INSERT INTO mails (recipient, kind, fields, token_hash, created_at, due_at) VALUES ($1, $2, '', $3, $4, $4) RETURNING id`

const setMailFields = `-- store.setMailFields
UPDATE mails SET fields = $2 WHERE id = $1`

// QueueMail stores a mail that is to be sent once the transaction has committed.
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

// MailFailed is called in the transaction that gives a mail up.
type MailFailed func(ctx context.Context, t *db.Tx, m ClaimedMail, problem string) error

// ClaimedMail is a mail that the caller is to send now.
type ClaimedMail struct {
	sett.Mail
	ID        int64
	CreatedAt time.Time
	Tries     int // begun, this one included
}

const claimMail = `-- store.claimMail
WITH due AS (SELECT id FROM mails WHERE NOT given_up AND due_at <= $1 ORDER BY due_at, id LIMIT 1 {{for update skip locked}})
UPDATE mails SET due_at = $2, tries = tries + 1 WHERE id IN (SELECT id FROM due)
RETURNING id, recipient, kind, fields, created_at, tries`

// ClaimMail returns the mail that has been due for the longest and keeps others from claiming it for the lease; what was
// not told of it by then is due again. ok is false when none is due.
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

// hasDueMail looks without a transaction that writes: mostly there is nothing to do.
func (s *Store) hasDueMail(ctx context.Context, now time.Time) (due bool, err error) {
	if err := s.db.Read.QueryRowContext(ctx, s.db.Text(dueMail), db.Micros(now)).Scan(&due); err != nil {
		return false, fmt.Errorf("look for mails: %w", err)
	}
	return due, nil
}

const dropMail = `-- store.dropMail
DELETE FROM mails WHERE id = $1`

// DropMail forgets a mail, which was sent or never will be.
func (s *Store) DropMail(ctx context.Context, id int64) error {
	return s.inTx(ctx, "drop mail", func(t Tx) error {
		t.KeepsCaches = true
		_, err := t.Exec(ctx, dropMail, id)
		return err
	})
}

const postponeMail = `-- store.postponeMail
UPDATE mails SET due_at = $3, problem = $4 WHERE id = $1 AND tries = $2 AND NOT given_up`

// PostponeMail says that a claimed mail could not be sent and when to try again. It changes nothing when somebody else
// has claimed the mail since.
func (s *Store) PostponeMail(ctx context.Context, m ClaimedMail, due time.Time, problem string) error {
	return s.inTx(ctx, "postpone mail", func(t Tx) error {
		t.KeepsCaches = true
		_, err := t.Exec(ctx, postponeMail, m.ID, m.Tries, db.Micros(due), problem)
		return err
	})
}

const giveUpMail = `-- store.giveUpMail
UPDATE mails SET given_up = true, due_at = $3, problem = $4, fields = '', token_hash = NULL WHERE id = $1 AND tries = $2`

// GiveUpMail says that a claimed mail cannot be sent. Its fields are emptied at once, as they may hold secrets; the rest
// is kept until the given time. Whoever was to be asked by it to confirm has its problem then. It changes nothing when
// somebody else has claimed the mail since.
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

// ForgetMails deletes the mails that were given up and kept until now.
func (s *Store) ForgetMails(ctx context.Context, now time.Time) error {
	return s.inTx(ctx, "forget mails", func(t Tx) error {
		t.KeepsCaches = true
		_, err := t.Exec(ctx, forgetMails, db.Micros(now))
		return err
	})
}
