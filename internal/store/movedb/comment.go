package movedb

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"sett/internal/sett/faults"
	"sett/internal/sett/move"
	"sett/internal/store/db"
)

// mostComments is how many comments one transaction stores.
const mostComments = 200

const insertComment = `-- movedb.insertComment
INSERT INTO comments (fault_id, project_id, event, source, author_id, author, body, notices_count, created_at)
SELECT c.fault_id, c.project_id, '', $2, nullif(CAST($3 AS bigint), 0), $4, $5, c.notices_count, $6 FROM fault_counts c WHERE c.fault_id = $1 RETURNING id`

const countComments = `-- movedb.countComments
UPDATE faults SET comments_count = comments_count + $2 WHERE id = $1`

const completeFault = `-- movedb.completeFault
UPDATE imported SET complete = true WHERE source = $1 AND host = $2 AND kind = $3 AND source_id = $4`

// Complete stores the comments of an imported error that are new and its counts, and notes that all of it was read. Authors who see the
// project are its users; of others the name stays. It returns how many are new.
func (s *Store) Complete(ctx context.Context, now time.Time, from move.Place, projectID int64, p Pending, comments []move.Comment, counts move.Counts, people map[string]Person) (made int64, err error) {
	for lot := range slices.Chunk(comments, mostComments) {
		err := s.inTx(ctx, "import comments", func(t Tx) error {
			n, err := t.addComments(ctx, from, projectID, p.FaultID, lot, people)
			made += n
			return err
		})
		if err != nil {
			return made, err
		}
	}
	return made, s.inTx(ctx, "note a complete error", func(t Tx) error {
		if err := t.counts(ctx, now, from, projectID, p, counts); err != nil {
			return err
		}
		_, err := t.Exec(ctx, completeFault, from.Source, from.Host, kindFault, p.ID)
		return err
	})
}

func (t Tx) addComments(ctx context.Context, from move.Place, projectID, faultID int64, comments []move.Comment, people map[string]Person) (made int64, err error) {
	of := things{from, kindComment}
	var ids []string
	for _, c := range comments {
		ids = append(ids, c.ID)
	}
	had, err := t.s.imported(ctx, t, of, ids)
	if err != nil {
		return 0, fmt.Errorf("find imported comments: %w", err)
	}
	for i, c := range comments {
		if _, came := had[i]; came {
			continue
		}
		var id int64
		row := t.QueryRowContext(ctx, t.s.db.Text(insertComment), faultID, string(faults.FromWeb), people[strings.ToLower(c.Email)].ID, c.Author, c.Body, db.Micros(c.At))
		if err := row.Scan(&id); err != nil {
			return 0, fmt.Errorf("add a comment: %w", err)
		}
		if err := t.noteImported(ctx, of, c.ID, projectID, id, ""); err != nil {
			return 0, err
		}
		made++
	}
	_, err = t.Exec(ctx, countComments, faultID, made)
	return made, err
}

const noteKind = "note:"

// Note is a comment that says about an imported error what has no other place: where it is from, and what did not come. It is written once.
func Note(p move.Fault, author, body string, now time.Time) move.Comment {
	return move.Comment{ID: noteKind + p.ID, Author: author, Body: body, At: now}
}
