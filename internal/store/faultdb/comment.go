package faultdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/faults"
	"sett/internal/store/db"
)

// nameOf is the displayed name of a comment's author u.
const nameOf = `coalesce(nullif(u.name, ''), u.email)`

const commentsOf = `-- faultdb.comments
SELECT c.id, c.fault_id, c.event, c.source, coalesce(c.author_id, 0), c.author, c.revision, c.body, c.notices_count, c.created_at
FROM faults f JOIN comments c ON c.fault_id = f.id WHERE f.project_id = $1 AND f.id = $2`

const (
	listComments     = commentsOf + " AND c.id > $3 ORDER BY c.id LIMIT $4 OFFSET $5"
	listCommentsBack = commentsOf + " AND c.id <= $3 ORDER BY c.id DESC LIMIT $4 OFFSET $5"
	oneComment       = commentsOf + " AND c.id = $3"
)

// ListComments returns a page of the history of a fault, in chronological order, and its cursors; one that goes Back from no mark is the last. The error is NotFound if the project
// has no such fault, and Invalid for an invalid cursor.
func (s *Store) ListComments(ctx context.Context, projectID, faultID int64, p sett.Page) (comments []faults.Comment, marks sett.Marks, err error) {
	err = s.db.Snapshot(ctx, "list comments", func(q db.Querier) error {
		if err := s.checkFault(ctx, q, projectID, faultID); err != nil {
			return err
		}
		comments, marks, err = s.listComments(ctx, q, projectID, faultID, p)
		return err
	})
	return comments, marks, err
}

func (s *Store) listComments(ctx context.Context, q db.Querier, projectID, faultID int64, p sett.Page) (comments []faults.Comment, marks sett.Marks, err error) {
	var at int64
	statement := listComments
	if p.Back {
		statement = listCommentsBack
	}
	if p.Back {
		at = math.MaxInt64
	}
	if p.Mark != "" {
		if err := db.ParseMark(p.Mark, &at); err != nil {
			return nil, sett.Marks{}, err
		}
	}
	skip, most := p.Rows()
	comments, err = s.comments(ctx, q, statement, projectID, faultID, at, most, skip)
	comments, marks = sett.Cut(p, comments, func(c faults.Comment) string { return db.FormatMark(c.ID) })
	return comments, marks, err
}

// CommentByID returns a comment of a fault, or a NotFound error.
func (s *Store) CommentByID(ctx context.Context, projectID, faultID, id int64) (faults.Comment, error) {
	return s.comment(ctx, s.db.Read, projectID, faultID, id)
}

func (s *Store) comment(ctx context.Context, q db.Querier, projectID, faultID, id int64) (faults.Comment, error) {
	found, err := s.comments(ctx, q, oneComment, projectID, faultID, id)
	switch {
	case err != nil:
		return faults.Comment{}, fmt.Errorf("find comment: %w", err)
	case len(found) == 0:
		return faults.Comment{}, sett.Errorf(sett.NotFound, "Comment not found")
	}
	return found[0], nil
}

func (s *Store) comments(ctx context.Context, q db.Querier, statement string, args ...any) (found []faults.Comment, err error) {
	rows, err := q.QueryContext(ctx, s.db.Text(statement), args...)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var c faults.Comment
		var created int64
		err := rows.Scan(&c.ID, &c.FaultID, &c.Event, &c.Source, &c.AuthorID, &c.Author, &c.Revision, &c.Body, &c.NoticesCount, &created)
		c.CreatedAt = db.FromMicros(created)
		found = append(found, c)
		return err
	})
	return found, err
}

const insertComment = `-- faultdb.CreateComment
INSERT INTO comments (fault_id, project_id, event, source, author_id, author, body, notices_count, created_at)
SELECT c.fault_id, c.project_id, '', $2, u.id, ` + nameOf + `, $4, c.notices_count, $5
FROM fault_counts c CROSS JOIN users u WHERE c.fault_id = $1 AND u.id = $3 RETURNING id`

// CreateComment adds a user's comment to a fault. The error is NotFound if the project has no such fault, and Invalid if the text is
// rejected.
func (s *Store) CreateComment(ctx context.Context, now time.Time, userID, projectID, faultID int64, change faults.CommentChange) (c faults.Comment, err error) {
	err = s.inTx(ctx, "create comment", func(t Tx) error {
		if err := t.countComments(ctx, projectID, faultID, 1); err != nil {
			return err
		}
		body, err := change.Apply("")
		if err != nil {
			return err
		}
		var id int64
		row := t.QueryRowContext(ctx, s.db.Text(insertComment), faultID, string(faults.FromWeb), userID, body, db.Micros(now))
		if err := row.Scan(&id); err != nil {
			return fmt.Errorf("insert comment: %w", err)
		}
		if c, err = s.comment(ctx, t, projectID, faultID, id); err != nil {
			return err
		}
		return t.raiseComment(ctx, now, projectID, c)
	})
	return c, err
}

const countComments = `-- faultdb.countComments
UPDATE faults SET comments_count = comments_count + $3 WHERE project_id = $1 AND id = $2`

// countComments changes the number of users' comments on a fault.
func (t Tx) countComments(ctx context.Context, projectID, faultID, more int64) error {
	found, err := t.Changed(ctx, countComments, projectID, faultID, more)
	if err == nil && found == 0 {
		err = sett.Errorf(sett.NotFound, "Fault not found")
	}
	return err
}

const updateComment = `-- faultdb.UpdateComment
UPDATE comments SET body = $3 WHERE fault_id = $1 AND id = $2`

// UpdateComment changes the text of a comment. The error is NotFound if there is no such comment, Forbidden if the user may not change
// it, and Invalid if the text is rejected.
func (s *Store) UpdateComment(ctx context.Context, userID, projectID, faultID, id int64, change faults.CommentChange) error {
	return s.changeComment(ctx, "update comment", userID, projectID, faultID, id, func(t Tx, c faults.Comment) error {
		body, err := change.Apply(c.Body)
		if err != nil {
			return err
		}
		_, err = t.Exec(ctx, updateComment, faultID, id, body)
		return err
	})
}

const deleteComment = `-- faultdb.DeleteComment
DELETE FROM comments WHERE fault_id = $1 AND id = $2`

// DeleteComment deletes a comment; its errors are those of UpdateComment.
func (s *Store) DeleteComment(ctx context.Context, userID, projectID, faultID, id int64) error {
	return s.changeComment(ctx, "delete comment", userID, projectID, faultID, id, func(t Tx, _ faults.Comment) error {
		deleted, err := t.Changed(ctx, deleteComment, faultID, id)
		if err != nil {
			return err
		}
		return t.countComments(ctx, projectID, faultID, -deleted)
	})
}

// changeComment calls change with a comment that the user may change.
func (s *Store) changeComment(ctx context.Context, what string, userID, projectID, faultID, id int64, change func(Tx, faults.Comment) error) error {
	return s.inTx(ctx, what, func(t Tx) error {
		c, err := s.changeableComment(ctx, t, userID, projectID, faultID, id)
		if err != nil {
			return err
		}
		return change(t, c)
	})
}

// CheckComment returns the error that UpdateComment would return for any text, or nil.
func (s *Store) CheckComment(ctx context.Context, userID, projectID, faultID, id int64) error {
	_, err := s.changeableComment(ctx, s.db.Read, userID, projectID, faultID, id)
	return err
}

const roleInProject = `-- faultdb.roleInProject
SELECT m.role FROM projects p JOIN memberships m ON m.account_id = p.account_id WHERE p.id = $1 AND m.user_id = $2`

func (s *Store) changeableComment(ctx context.Context, q db.Querier, userID, projectID, faultID, id int64) (faults.Comment, error) {
	c, err := s.comment(ctx, q, projectID, faultID, id)
	if err != nil {
		return c, err
	}
	var scope accounts.Scope
	err = q.QueryRowContext(ctx, s.db.Text(roleInProject), projectID, userID).Scan(&scope.Role)
	if err != nil {
		return c, db.NotFound(err, "Comment", "find role in project")
	}
	return c, c.Changeable(userID, scope)
}

// Feedback is what a user of an application wrote about an error.
type Feedback struct {
	ProjectID int64 // 0: that of the notice
	Notice    sett.UUID
	ID        sett.UUID // its own: with the notice, it says which feedback is the same
	Author    string    // name or email address
	Body      string
	Admit     func(projectID int64) error        // what it says of the notice's project; nil: nothing
	Scrub     func(settings, text string) string // by the settings of the notice's project; nil: what is stored is scrubbed
}

// FeedbackOutcome is what became of feedback.
type FeedbackOutcome int

// The outcomes.
const (
	FeedbackAdded     FeedbackOutcome = iota
	FeedbackKnown                     // the fault has it, as the client sent it twice
	FeedbackTooMany                   // the fault has as much feedback as it may have
	FeedbackOfNothing                 // there is no such notice
)

// mostFeedback is how much feedback a fault may have: anyone who can see the pages of an application can send some.
const mostFeedback = 100

const faultOfNotice = `-- faultdb.faultOfNotice
SELECT f.project_id, f.id, (SELECT p.scrubbing FROM projects p WHERE p.id = f.project_id) FROM notices n LEFT JOIN merged_faults m ON m.id = n.fault_id JOIN faults f ON f.id = coalesce(m.into_id, n.fault_id)
WHERE n.id = coalesce((SELECT max(k.notice_id) FROM notice_tokens k WHERE k.token = $1 AND ($2 = 0 OR k.project_id = $2)), $3) AND ($2 = 0 OR f.project_id = $2)`

const feedbackOfFault = `-- faultdb.feedbackOfFault
SELECT count(*), coalesce(sum(CASE WHEN feedback = $2 THEN 1 ELSE 0 END), 0) FROM comments WHERE fault_id = $1 AND source = 'user'`

const insertFeedback = `-- faultdb.insertFeedback
INSERT INTO comments (fault_id, project_id, event, source, author_id, author, body, notices_count, created_at, feedback)
SELECT c.fault_id, c.project_id, '', 'user', NULL, $2, $3, c.notices_count, $4, $5 FROM fault_counts c WHERE c.fault_id = $1 RETURNING id`

// AddFeedback adds feedback to the history of the fault of a notice, as a comment.
func (s *Store) AddFeedback(ctx context.Context, now time.Time, f Feedback) (outcome FeedbackOutcome, err error) {
	derived, ok := sett.NoticeIDFromUUID(f.Notice)
	if !ok {
		derived = s.Counter.Pending(f.Notice, f.ProjectID) // the client chose the id
	}
	err = s.inTx(ctx, "add feedback", func(t Tx) error {
		outcome = FeedbackOfNothing
		var projectID, faultID int64
		var settings string
		err := t.QueryRowContext(ctx, s.db.Text(faultOfNotice), f.Notice[:], f.ProjectID, int64(derived)).Scan(&projectID, &faultID, &settings)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("find fault of notice: %w", err)
		}
		if f.Admit != nil {
			if err := f.Admit(projectID); err != nil {
				return err
			}
		}
		author, body := f.Author, f.Body
		if f.Scrub != nil {
			author, body = f.Scrub(settings, author), f.Scrub(settings, body)
		}
		if err := t.countComments(ctx, projectID, faultID, 1); err != nil { // which locks the fault
			return err
		}
		var all, same int64
		if err := t.QueryRowContext(ctx, s.db.Text(feedbackOfFault), faultID, f.ID[:]).Scan(&all, &same); err != nil {
			return fmt.Errorf("count feedback: %w", err)
		}
		if same > 0 || all >= mostFeedback {
			outcome = FeedbackTooMany
			if same > 0 {
				outcome = FeedbackKnown
			}
			return t.countComments(ctx, projectID, faultID, -1)
		}
		var id int64
		if err := t.QueryRowContext(ctx, s.db.Text(insertFeedback), faultID, author, body, db.Micros(now), f.ID[:]).Scan(&id); err != nil {
			return fmt.Errorf("insert feedback: %w", err)
		}
		outcome = FeedbackAdded
		c, err := s.comment(ctx, t, projectID, faultID, id)
		if err != nil {
			return err
		}
		return t.raiseFeedback(ctx, now, c)
	})
	return outcome, err
}

// raiseComment raises an alert about a new comment, with the mentioned users who can see the project.
func (t Tx) raiseComment(ctx context.Context, now time.Time, projectID int64, c faults.Comment) error {
	facts := alerts.AlertFacts{Comment: c.Facts()}
	if strings.Contains(c.Body, "@") {
		people, err := t.people(ctx, watchers+" ORDER BY u.id", projectID)
		if err != nil {
			return err
		}
		others := slices.DeleteFunc(people, func(p sett.Person) bool { return p.ID == c.AuthorID })
		facts.Mentioned = faults.Mentions(c.Body, others)
	}
	if err := t.involve(ctx, now, projectID, []int64{c.FaultID}, append(facts.Mentioned, c.AuthorID)...); err != nil {
		return err
	}
	open, err := t.faultsNotified(ctx, faultsByIDs, []int64{c.FaultID})
	if err != nil {
		return err
	}
	return t.raiseBy(ctx, now, c.AuthorID, faults.BulkAlerts(alerts.AlertCommented, now, open, facts))
}

// raiseFeedback raises the alerts about feedback, which mentions no one.
func (t Tx) raiseFeedback(ctx context.Context, now time.Time, c faults.Comment) error {
	open, err := t.faultsNotified(ctx, faultsByIDs, []int64{c.FaultID})
	if err != nil {
		return err
	}
	return t.outbox().Raise(ctx, now, faults.BulkAlerts(alerts.AlertCommented, now, open, alerts.AlertFacts{Comment: c.Facts()})...)
}
