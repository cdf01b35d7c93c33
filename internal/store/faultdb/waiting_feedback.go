package faultdb

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"sett/internal/sett"
	"sett/internal/store/db"
)

// KeepFeedback is how long feedback waits for the event that it is about.
const KeepFeedback = 7 * 24 * time.Hour

// How much feedback of a project may wait.
const (
	mostWaiting      = 1000
	mostWaitingBytes = 32 << 20
)

// feedbackAtOnce is how many rows are read at a time: their files may have a MiB each.
const feedbackAtOnce = 20

// FeedbackWaits is woken when feedback begins to wait.
const FeedbackWaits db.Topic = "feedback waits"

// WaitingFeedback is feedback about an event that is not stored, and may come.
type WaitingFeedback struct {
	ID        int64 // 0 until it is stored
	ProjectID int64
	Event     sett.UUID
	Feedback  sett.UUID // its own id: what is sent twice waits once
	Content   []byte
}

const sumOfWaiting = `-- faultdb.sumOfWaiting
SELECT count(*), CAST(coalesce(sum(length(content)), 0) AS bigint) FROM waiting_feedback WHERE project_id = $1`

const insertWaiting = `-- faultdb.insertWaiting
INSERT INTO waiting_feedback (project_id, event, feedback, content, due_at, ends_at) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (project_id, feedback, event) DO NOTHING`

// AwaitEvent lets feedback wait for its event: until due it is nothing else, and for KeepFeedback it may become a comment. It reports whether
// there is room for it.
func (s *Store) AwaitEvent(ctx context.Context, now, due time.Time, w WaitingFeedback) (ok bool, err error) {
	err = s.inTx(ctx, "await event of feedback", func(t Tx) error {
		t.KeepsCaches = true
		var count, bytes int64
		if err := t.QueryRowContext(ctx, s.db.Text(sumOfWaiting), w.ProjectID).Scan(&count, &bytes); err != nil {
			return fmt.Errorf("count waiting feedback: %w", err)
		}
		if ok = count < mostWaiting && bytes+int64(len(w.Content)) <= mostWaitingBytes; !ok {
			return nil
		}
		t.Wake(FeedbackWaits)
		_, err := t.Exec(ctx, insertWaiting, w.ProjectID, w.Event[:], w.Feedback[:], w.Content, db.Micros(due), db.Micros(now.Add(KeepFeedback)))
		return err
	})
	return ok, err
}

const waitingColumns = `SELECT w.id, w.project_id, w.event, w.feedback, w.content FROM waiting_feedback w`

const arrivedFeedback = `-- faultdb.ArrivedFeedback
` + waitingColumns + ` JOIN notice_tokens k ON k.token = w.event AND k.project_id = w.project_id WHERE w.id > $1 ORDER BY w.id LIMIT $2`

// ArrivedFeedback returns some feedback after an id whose event is stored by now, in the order of their ids.
func (s *Store) ArrivedFeedback(ctx context.Context, after int64) ([]WaitingFeedback, error) {
	return s.waitingFeedback(ctx, arrivedFeedback, after, feedbackAtOnce)
}

const dueFeedback = `-- faultdb.DueFeedback
` + waitingColumns + ` WHERE w.due_at > 0 AND w.due_at <= $1 ORDER BY w.due_at LIMIT $2`

// DueFeedback returns some feedback that has waited for its event for long enough to become one of its own.
func (s *Store) DueFeedback(ctx context.Context, now time.Time) ([]WaitingFeedback, error) {
	return s.waitingFeedback(ctx, dueFeedback, db.Micros(now), feedbackAtOnce)
}

func (s *Store) waitingFeedback(ctx context.Context, statement string, args ...any) (found []WaitingFeedback, err error) {
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(statement), args...)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var w WaitingFeedback
		var event, feedback []byte
		err := rows.Scan(&w.ID, &w.ProjectID, &event, &feedback, &w.Content)
		copy(w.Event[:], event)
		copy(w.Feedback[:], feedback)
		found = append(found, w)
		return err
	})
	return found, s.db.Explain(db.Wrap("find waiting feedback", err))
}

const keepWaiting = `-- faultdb.KeepWaiting
UPDATE waiting_feedback SET due_at = 0, content = $2 WHERE id = $1`

// KeepWaiting notes that feedback is an event of its own by now. With this content it may still become a comment too.
func (s *Store) KeepWaiting(ctx context.Context, id int64, content []byte) error {
	return s.changeWaiting(ctx, keepWaiting, id, content)
}

const endWaiting = `-- faultdb.EndWaiting
DELETE FROM waiting_feedback WHERE id = $1`

// EndWaiting lets feedback wait no longer.
func (s *Store) EndWaiting(ctx context.Context, id int64) error {
	return s.changeWaiting(ctx, endWaiting, id)
}

const forgetWaiting = `-- faultdb.ForgetWaiting
DELETE FROM waiting_feedback WHERE due_at = 0 AND ends_at <= $1`

// ForgetWaiting deletes what has waited for KeepFeedback in vain. It is an event of its own.
func (s *Store) ForgetWaiting(ctx context.Context, now time.Time) error {
	return s.changeWaiting(ctx, forgetWaiting, db.Micros(now))
}

func (s *Store) changeWaiting(ctx context.Context, statement string, args ...any) error {
	return s.inTx(ctx, "change waiting feedback", func(t Tx) error {
		t.KeepsCaches = true
		_, err := t.Exec(ctx, statement, args...)
		return err
	})
}
