package work

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"sett/internal/store/db"
)

// Lot is the rows that one transaction touches.
type Lot struct {
	IDs  []int64
	Last bool
	Item // as the lots before have left it
	body *string
}

// Note stores how far the work is, with the lot.
func (l *Lot) Note(body any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("write pending work: %w", err)
	}
	note := string(text)
	l.body = &note
	return nil
}

// The lock makes those who do the same work take turns.
const lockWork = `-- work.lock
SELECT body FROM pending_work WHERE id = $1 {{for update}}`

const nextLot = `-- work.nextLot
SELECT number, ids FROM pending_lots WHERE work_id = $1 ORDER BY number LIMIT 2`

const dropLot = `-- work.dropLot
DELETE FROM pending_lots WHERE work_id = $1 AND number = $2`

const noteWork = `-- work.note
UPDATE pending_work SET body = $2 WHERE id = $1`

// NextLot does the next lot of some work in a transaction, and reports whether there are more. The last one drops the work. Nothing is
// done if the work was dropped.
func (s *Store) NextLot(ctx context.Context, what string, i Item, do func(*db.Tx, *Lot) error) (more bool, err error) {
	err = s.db.InTx(ctx, what, func(t *db.Tx) (err error) {
		more, err = s.In(t).lot(ctx, i, do)
		return err
	})
	return more, err
}

// lot does the next lot, and reports whether there are more.
func (t Tx) lot(ctx context.Context, i Item, do func(*db.Tx, *Lot) error) (more bool, err error) {
	l := &Lot{Item: i}
	err = t.QueryRowContext(ctx, t.s.db.Text(lockWork), i.ID).Scan(&l.Body)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("lock pending work: %w", err)
	}
	number, err := t.next(ctx, l)
	if err != nil {
		return false, err
	}
	if err := do(t.Tx, l); err != nil {
		return false, err
	}
	if l.Last {
		return false, t.Drop(ctx, i)
	}
	if l.body != nil {
		if _, err := t.Exec(ctx, noteWork, i.ID, *l.body); err != nil {
			return false, fmt.Errorf("note how far work is: %w", err)
		}
	}
	_, err = t.Exec(ctx, dropLot, i.ID, number)
	return true, err
}

// next reads the next lot; without one, it is empty and the last.
func (t Tx) next(ctx context.Context, l *Lot) (number int64, err error) {
	found := 0
	rows, err := t.QueryContext(ctx, t.s.db.Text(nextLot), l.ID)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var text string
		var n int64
		if err := rows.Scan(&n, &text); err != nil {
			return err
		}
		if found++; found > 1 {
			return nil
		}
		number = n
		l.IDs, err = split(text)
		return err
	})
	l.Last = found < 2
	return number, db.Wrap("read lot of pending work", err)
}

const waiting = `-- work.Waiting
SELECT CAST(coalesce(sum(l.many), 0) AS bigint) FROM pending_work w JOIN pending_lots l ON l.work_id = w.id WHERE w.project_id = $1 AND w.kind = $2`

// Waiting returns how many rows of a project wait for work of a kind.
func (s *Store) Waiting(ctx context.Context, projectID int64, kind Kind) (n int64, err error) {
	err = s.db.Read.QueryRowContext(ctx, s.db.Text(waiting), projectID, string(kind)).Scan(&n)
	return n, db.Wrap("count rows of pending work", err)
}

func join(ids []int64) string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = strconv.FormatInt(id, 10)
	}
	return strings.Join(texts, ",")
}

func split(text string) (ids []int64, err error) {
	for part := range strings.SplitSeq(text, ",") {
		id, err := strconv.ParseInt(part, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("read lot: %w", err)
		}
		ids = append(ids, id)
	}
	return ids, nil
}
