package outbox

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"time"

	"sett/internal/sett/alerts"
	"sett/internal/store/db"
	"sett/internal/store/queue"
)

// MailQueued is the topic of mails that have to be sent.
const MailQueued db.Topic = "mail queued"

const queueMail = `-- outbox.queueMail
INSERT INTO mails (recipient, kind, fields, token_hash, created_at, due_at) VALUES ($1, $2, '', $3, $4, $4) RETURNING id`

const setMailFields = `-- outbox.setMailFields
UPDATE mails SET fields = $2 WHERE id = $1`

// QueueMail stores a mail, which is sent after the transaction has committed.
func (t Tx) QueueMail(ctx context.Context, now time.Time, m alerts.Mail) error {
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
	alerts.Mail
	ID        int64
	Claim     int64 // the number of this claim; unique among the claims of the mail
	CreatedAt time.Time
	Tries     int    // attempts, including this one
	Zone      string // the time zone of the user with that address; "" if it is unknown
	Broken    error  // why the fields cannot be read, and so no mail can be written; nil: they can
}

const readMails = `-- outbox.readMails
SELECT id, claims, recipient, kind, fields, created_at, tries,
    coalesce((SELECT coalesce(nullif(u.zone, ''), u.browser_zone) FROM users u WHERE u.email = recipient), '') FROM mails WHERE id IN `

// ClaimMails returns at most limit due mails, of each kind at most as many as room allows, and keeps others from claiming them until the
// lease ends; a mail without a recorded result is then due again. No kind waits for another.
func (s *Store) ClaimMails(ctx context.Context, now time.Time, lease time.Duration, limit int, room func(alerts.MailKind) int) (claimed []ClaimedMail, err error) {
	fits := func(lane string) int { return room(alerts.MailKind(lane)) }
	due, err := s.Queue.Due(ctx, now, fits)
	if err != nil || len(due) == 0 {
		return nil, err
	}
	err = s.inTx(ctx, "claim mails", func(t Tx) error {
		t.KeepsCaches = true
		ids, err := s.Queue.Claim(ctx, t.Tx, now, lease, limit, due, fits)
		claimed = nil
		if err != nil || len(ids) == 0 {
			return err
		}
		list, args := db.In(s.db, 1, ids)
		rows, err := t.QueryContext(ctx, s.db.Text(readMails+list+" ORDER BY id"), args...)
		return db.ScanAll(rows, err, func(rows *sql.Rows) error {
			m, err := s.scanMail(rows)
			claimed = append(claimed, m)
			return err
		})
	})
	return claimed, err
}

func (s *Store) scanMail(rows *sql.Rows) (m ClaimedMail, err error) {
	var fields string
	var created int64
	if err := rows.Scan(&m.ID, &m.Claim, &m.To, &m.Kind, &fields, &created, &m.Tries, &m.Zone); err != nil {
		return m, err
	}
	m.CreatedAt = db.FromMicros(created)
	if fields, m.Broken = s.db.Reveal(sealedMail, fields, m.ID); m.Broken == nil {
		m.Broken = json.Unmarshal([]byte(fields), &m.Fields)
	}
	return m, nil
}

// MailResult is the result of an attempt to send a claimed mail. The zero DueAt and KeepUntil mean that it was sent or never will be: it is
// deleted.
type MailResult struct {
	Mail      ClaimedMail // as claimed: nothing is changed if the mail was claimed again since
	DueAt     time.Time   // when to retry
	KeepUntil time.Time   // the mail cannot be sent; until then it is kept with the problem, without its fields
	Problem   string
}

const noteMailProblems = `-- outbox.noteMailProblems
UPDATE mails SET problem = k.problem FROM {{rows k(id bigint, problem text)}} WHERE mails.id = k.id`

const giveUpMail = `-- outbox.giveUpMail
UPDATE mails SET given_up = true, trying = false, due_at = $3, problem = $4, fields = '', token_hash = NULL WHERE id = $1 AND claims = $2 AND trying`

// RecordMails stores the results of claimed mails. If a mail that cannot be sent asks for a confirmation, the problem is also recorded with
// its recipient.
func (s *Store) RecordMails(ctx context.Context, results []MailResult) error {
	if len(results) == 0 {
		return nil
	}
	results = slices.SortedFunc(slices.Values(results), func(a, b MailResult) int { return cmp.Compare(a.Mail.ID, b.Mail.ID) }) // rows are locked in one order
	return s.inTx(ctx, "record mails", func(t Tx) error {
		t.KeepsCaches = true
		var outcomes []queue.Outcome
		for _, r := range results {
			if r.KeepUntil.IsZero() {
				outcomes = append(outcomes, queue.Outcome{Claim: queue.Claim{ID: r.Mail.ID, Number: r.Mail.Claim}, DueAt: r.DueAt})
			} else if err := t.giveUp(ctx, r); err != nil {
				return err
			}
		}
		valid, err := s.Queue.Record(ctx, t.Tx, outcomes)
		if err != nil {
			return err
		}
		return t.noteProblems(ctx, results, valid)
	})
}

// noteProblems stores why mails are retried.
func (t Tx) noteProblems(ctx context.Context, results []MailResult, recorded map[int64]bool) error {
	var ids []int64
	var problems []string
	for _, r := range results {
		if recorded[r.Mail.ID] && !r.DueAt.IsZero() {
			ids, problems = append(ids, r.Mail.ID), append(problems, r.Problem)
		}
	}
	return t.Each(ctx, noteMailProblems, ids, problems)
}

func (t Tx) giveUp(ctx context.Context, r MailResult) error {
	valid, err := t.Changed(ctx, giveUpMail, r.Mail.ID, r.Mail.Claim, db.Micros(r.KeepUntil), r.Problem)
	if err != nil || valid == 0 || t.s.MailFailed[r.Mail.Kind] == nil {
		return err
	}
	return t.s.MailFailed[r.Mail.Kind](ctx, t.Tx, r.Mail, r.Problem)
}

const forgetMails = `-- outbox.forgetMails
DELETE FROM mails WHERE given_up AND due_at <= $1`

// ForgetMails deletes mails that were given up and whose time has passed.
func (s *Store) ForgetMails(ctx context.Context, now time.Time) error {
	return s.inTx(ctx, "forget mails", func(t Tx) error {
		t.KeepsCaches = true
		_, err := t.Exec(ctx, forgetMails, db.Micros(now))
		return err
	})
}
