// Package work stores work that touches many rows: changes of many faults, deletions of projects. A transaction adds the work that it asks
// for, with the rows that it touches. The packages above say how each kind is done, in pieces of one transaction each. Small work is done
// at once, the rest in the background, and another process continues what a dead one has left. The package knows no noun.
package work

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

// Added is the topic of work that is to be done in the background.
const Added db.Topic = "pending work"

// Kind names how work is done.
type Kind string

// Item is work that is not finished.
type Item struct {
	ID        int64
	Kind      Kind
	ProjectID int64 // 0: of no project
	Body      string
}

// Read reads the body of the work.
func (i Item) Read(body any) error {
	return db.Wrap("read pending work", json.Unmarshal([]byte(i.Body), body))
}

// Doer does work to its end, in any number of transactions. It may be called again for work that it has done in part, or as a whole.
type Doer func(ctx context.Context, i Item) error

// Store is this package's part of an open database. It is safe for concurrent use.
type Store struct {
	db    *db.DB
	doers map[Kind]Doer
	now   func() time.Time // how long who adds work does it alone does not depend on the clock of a test
}

// Tx is a running write transaction with this package's methods.
type Tx struct {
	*db.Tx
	s *Store
}

// New returns the store of an open database.
func New(d *db.DB) *Store { return &Store{db: d, doers: map[Kind]Doer{}, now: time.Now} }

// In wraps a running transaction in this package's Tx.
func (s *Store) In(t *db.Tx) Tx { return Tx{t, s} }

// Handle says how work of a kind is done. It is called before the store is used.
func (s *Store) Handle(kind Kind, do Doer) { s.doers[kind] = do }

// begunFor is how long who has added work does it alone.
const begunFor = 30 * time.Second

const insertWork = `-- work.Add
INSERT INTO pending_work (kind, project_id, body, due_at) VALUES ($1, $2, $3, $4) RETURNING id`

const insertLots = `-- work.insertLots
INSERT INTO pending_lots (work_id, number, many, ids) SELECT k.work_id, k.number, k.many, k.ids FROM {{rows k(work_id bigint, number bigint, many bigint, ids text)}} WHERE true`

// Add adds work. Once the transaction has committed, the caller calls Begin; or it calls Leave in it.
func (t Tx) Add(ctx context.Context, kind Kind, projectID int64, body any, lots ...[]int64) (Item, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return Item{}, fmt.Errorf("write pending work: %w", err)
	}
	i := Item{Kind: kind, ProjectID: projectID, Body: string(text)}
	row := t.QueryRowContext(ctx, t.s.db.Text(insertWork), string(kind), projectID, i.Body, db.Micros(t.s.now().Add(begunFor)))
	if err := row.Scan(&i.ID); err != nil {
		return i, fmt.Errorf("add pending work: %w", err)
	}
	var ids, numbers, many []int64
	var texts []string
	for n, lot := range lots {
		ids, numbers, many, texts = append(ids, i.ID), append(numbers, int64(n)), append(many, int64(len(lot))), append(texts, join(lot))
	}
	return i, db.Wrap("add lots of pending work", t.Each(ctx, insertLots, ids, numbers, many, texts))
}

const leaveWork = `-- work.leave
UPDATE pending_work SET due_at = 0 WHERE id = $1`

const dropWork = `-- work.drop
DELETE FROM pending_work WHERE id = $1`

// Begin does the first pieces of work that was just added, with do, or as Handle says if that is nil, and leaves the rest to the background.
// It reports whether the work is finished. Work that is refused is dropped, and the error says why.
func (s *Store) Begin(ctx context.Context, i Item, pieces int, do Doer) (finished bool, err error) {
	if do == nil {
		do = s.doers[i.Kind]
	}
	err = s.do(db.WithPace(ctx, &db.Pace{Pieces: pieces}), i, do)
	if err == nil || isRefusal(err) {
		return true, err
	}
	if errors.Is(err, db.ErrPaceEnds) {
		err = nil
	}
	kept := context.WithoutCancel(db.WithPace(ctx, nil))
	return false, errors.Join(err, s.db.InTx(kept, "leave work", func(t *db.Tx) error {
		t.KeepsCaches = true
		return s.In(t).Leave(kept, i)
	}))
}

// Leave leaves work that was just added to the background.
func (t Tx) Leave(ctx context.Context, i Item) error {
	t.Wake(Added)
	_, err := t.Exec(ctx, leaveWork, i.ID)
	return db.Wrap("leave work", err)
}

// do does work, and drops it when it is finished or refused.
func (s *Store) do(ctx context.Context, i Item, do Doer) error {
	if do == nil {
		return fmt.Errorf("nothing does work of the kind %q", i.Kind)
	}
	err := do(ctx, i)
	if err != nil && !isRefusal(err) {
		return err
	}
	kept := context.WithoutCancel(db.WithPace(ctx, nil))
	return errors.Join(err, s.db.InTx(kept, "drop work", func(t *db.Tx) error {
		t.KeepsCaches = true
		_, err := t.Exec(kept, dropWork, i.ID)
		return err
	}))
}

// isRefusal reports whether work cannot be done, however often it is tried.
func isRefusal(err error) bool {
	switch sett.CodeOf(err) {
	case sett.Invalid, sett.NotFound, sett.Forbidden, sett.Conflict:
		return true
	}
	return false
}

const workOf = `-- work.Of
SELECT id, kind, project_id, body FROM pending_work WHERE project_id = $1 AND kind = $2 ORDER BY id`

// Of returns the work of a kind in a project.
func (t Tx) Of(ctx context.Context, projectID int64, kind Kind) ([]Item, error) {
	rows, err := t.QueryContext(ctx, t.s.db.Text(workOf), projectID, string(kind))
	return scanItems(rows, err)
}

func scanItems(rows *sql.Rows, err error) (found []Item, _ error) {
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var i Item
		err := rows.Scan(&i.ID, &i.Kind, &i.ProjectID, &i.Body)
		found = append(found, i)
		return err
	})
	return found, db.Wrap("find pending work", err)
}

// Drop drops work that is not finished. What is done of it stays.
func (t Tx) Drop(ctx context.Context, i Item) error {
	_, err := t.Exec(ctx, dropWork, i.ID)
	return db.Wrap("drop work", err)
}
