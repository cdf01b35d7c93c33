package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/scrub"
	"sett/internal/store/accountdb"
	"sett/internal/store/block"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
)

// Topics of erasures: those that SweepErasures has work with, and those that have got further.
const (
	ErasuresOpen    db.Topic = "erasures open"
	ErasuresChanged db.Topic = "erasures changed"
)

// sealedErased is the text that names the user of a running erasure. Without its key the erasure cannot go on, and users repeat it.
var sealedErased = &db.SealedColumn{Table: "erasures", Column: "subject", Row: "id", Lost: `DELETE FROM erasures`}

// Sealed lists the encrypted columns of this package.
var Sealed = []*db.SealedColumn{sealedErased}

const insertErasure = `-- store.CreateErasure
INSERT INTO erasures (project_id, shown, subject, before_id, notices, faults, remaining, made_by, created_at, deleted_at, finished_at)
SELECT p.id, $2, '', $3, 0, 0, 0, $4, $5, 0, 0 FROM projects p WHERE p.id = $1 RETURNING id`

// holdErasedProject makes the erasures of a project commit in the order of their ids, which faultdb.ErasureState needs.
const holdErasedProject = `-- store.holdErasedProject
SELECT id FROM projects WHERE id = $1 {{for no key update}}`

const sealErased = `-- store.sealErased
UPDATE erasures SET subject = $2 WHERE id = $1`

const lastNotice = `-- store.lastNotice
SELECT coalesce(max(id), 0) FROM notices`

// CreateErasure stores that everything about an affected user is to be erased from a project: SweepErasures does it. It covers the notices
// that are stored when it is created. The audit log gets a masked form of what names the user. The error is Invalid for a text that cannot
// name a user, and NotFound if there is no such project.
func (s *Store) CreateErasure(ctx context.Context, now time.Time, userID, projectID int64, change scrub.ErasureChange) (scrub.Erasure, error) {
	text, err := change.Text()
	if err != nil {
		return scrub.Erasure{}, err
	}
	e := scrub.Erasure{ProjectID: projectID, User: scrub.MaskedUser(text)}
	accountdb.AuditChanges(ctx, map[string]any{"erasure": map[string]any{"user": e.User}})
	err = s.inTx(ctx, "create erasure", func(t *tx) error {
		t.KeepsCaches = true
		var last int64
		if err := t.QueryRowContext(ctx, s.Text(holdErasedProject), projectID).Scan(new(int64)); err != nil {
			return db.NotFound(err, "Project", "hold project of erasure")
		}
		if err := t.QueryRowContext(ctx, s.Text(lastNotice)).Scan(&last); err != nil {
			return err
		}
		before := max(last+1, faultdb.NoticeIDAt(now)) // the clock of another node may be ahead
		row := t.QueryRowContext(ctx, s.Text(insertErasure), projectID, e.User, before, db.IDOrNull(max(0, userID)), db.Micros(now))
		if err := row.Scan(&e.ID); err != nil {
			return fmt.Errorf("insert erasure: %w", err)
		}
		sealed, err := t.Seal(ctx, sealedErased, text, e.ID)
		if err != nil {
			return err
		}
		t.Wake(ErasuresOpen)
		_, err = t.Exec(ctx, sealErased, e.ID, sealed)
		return err
	})
	if err != nil {
		return scrub.Erasure{}, err
	}
	return s.ErasureByID(ctx, projectID, e.ID)
}

// AwaitErasure returns an erasure of a project when it has deleted all notices, or as it is when ctx ends.
func (s *Store) AwaitErasure(ctx context.Context, projectID, id int64) (e scrub.Erasure, err error) {
	woken, stop := s.Sleep(ErasuresChanged)
	defer stop()
	for {
		e, err = s.ErasureByID(context.WithoutCancel(ctx), projectID, id)
		if err != nil || e.State() != scrub.ErasureRunning {
			return e, err
		}
		select {
		case <-woken:
		case <-ctx.Done():
			return e, nil
		}
	}
}

const erasureColumns = `SELECT e.id, e.project_id, e.shown, e.notices, e.faults, e.remaining, e.events, e.created_at, e.deleted_at, e.finished_at, u.id, u.email, u.name
FROM erasures e LEFT JOIN users u ON u.id = e.made_by WHERE e.project_id = $1`

const (
	oneErasure       = "-- store.ErasureByID\n" + erasureColumns + " AND e.id = $2"
	listErasures     = "-- store.ListErasures\n" + erasureColumns + " AND e.id < $2 ORDER BY e.id DESC LIMIT $3 OFFSET $4"
	listErasuresBack = "-- store.ListErasures\n" + erasureColumns + " AND e.id >= $2 ORDER BY e.id LIMIT $3 OFFSET $4"
)

// ErasureByID returns an erasure of a project, or a NotFound error.
func (s *Store) ErasureByID(ctx context.Context, projectID, id int64) (scrub.Erasure, error) {
	e, err := scanErasure(s.Read.QueryRowContext(ctx, s.Text(oneErasure), projectID, id))
	return e, db.NotFound(err, "Erasure", "find erasure")
}

// ListErasures returns a page of the erasures of a project, newest first, and its cursors. An invalid cursor is an Invalid error.
func (s *Store) ListErasures(ctx context.Context, projectID int64, p sett.Page) (found []scrub.Erasure, marks sett.Marks, err error) {
	at, statement := int64(math.MaxInt64), listErasures
	if p.Back {
		statement = listErasuresBack
	}
	if p.Mark != "" {
		if err := db.ParseMark(p.Mark, &at); err != nil {
			return nil, sett.Marks{}, err
		}
	}
	skip, most := p.Rows()
	rows, err := s.Read.QueryContext(ctx, s.Text(statement), projectID, at, most, skip)
	found, err = db.Collect(rows, err, scanErasure)
	found, marks = sett.Cut(p, found, func(e scrub.Erasure) string { return db.FormatMark(e.ID) })
	return found, marks, db.Wrap("list erasures", err)
}

func scanErasure(row db.Row) (e scrub.Erasure, err error) {
	var created, deleted, finished int64
	var id sql.NullInt64
	var email, name sql.NullString
	err = row.Scan(&e.ID, &e.ProjectID, &e.User, &e.Notices, &e.Faults, &e.Left, &e.Events, &created, &deleted, &finished, &id, &email, &name)
	e.CreatedAt, e.DeletedAt, e.FinishedAt = db.FromMicros(created), timeOrZero(deleted), timeOrZero(finished)
	if id.Valid {
		e.MadeBy = &sett.Person{ID: id.Int64, Email: email.String, Name: name.String}
	}
	return e, err
}

// timeOrZero returns a stored time, of which 0 means none.
func timeOrZero(micros int64) time.Time {
	if micros == 0 {
		return time.Time{}
	}
	return db.FromMicros(micros)
}

// PreviewErasure returns what an erasure would delete now. When ctx ends it returns what it has found until then.
func (s *Store) PreviewErasure(ctx context.Context, projectID int64, change scrub.ErasureChange) (p scrub.ErasurePreview, err error) {
	text, err := change.Text()
	if err != nil {
		return p, err
	}
	p.User = scrub.MaskedUser(text)
	kept := context.WithoutCancel(ctx)
	found := newErased()
	search, err := s.erasedNotices(kept, projectID, text, found)
	if err != nil {
		return p, err
	}
	whole, err := s.Blocks.FindExact(ctx, search)
	if p.More = !whole; err != nil && ctx.Err() == nil && !errors.Is(err, errManyErased) {
		return p, s.Explain(err)
	}
	p.Notices = int64(len(found.faults))
	if p.Faults, err = s.countErased(kept, projectID, found); err != nil {
		return p, s.Explain(err)
	}
	p.Events, whole, err = s.countInsights(ctx, projectID, text)
	p.More = p.More || !whole
	return p, s.Explain(err)
}

const userFieldOf = `-- store.userFieldOf
SELECT user_search_field FROM projects WHERE id = $1`

// erasedNotices returns the search that finds the notices of a user: by an email address anywhere, by another text where notices name their user.
func (s *Store) erasedNotices(ctx context.Context, projectID int64, text string, into *erased) (search block.Exact, err error) {
	var field string
	if err := s.Read.QueryRowContext(ctx, s.Text(userFieldOf), projectID).Scan(&field); err != nil {
		return search, db.NotFound(err, "Project", "find project")
	}
	var keys []string
	if !scrub.ErasedAnywhere(text) {
		keys = scrub.ErasedKeys(field)
	}
	having := func(ctx context.Context, notices []int64) ([]int64, error) {
		return s.Search.HavingValue(ctx, projectID, text, keys, notices)
	}
	return block.Exact{Project: projectID, Before: math.MaxInt64, Value: block.NewValue(text, keys...), Add: into.add, Having: having}, nil
}

// mostErased is how many notices one search for them returns at most. It bounds the memory of an erasure.
const mostErased = 500_000

// errManyErased ends a search that has found mostErased.
var errManyErased = errors.New("there are more notices than are erased at once")

// erased are notices that are to be deleted: faults by id.
type erased struct{ faults map[int64]int64 }

func newErased() *erased { return &erased{map[int64]int64{}} }

func (f *erased) add(fault, id int64) error {
	if f.faults[id] = fault; len(f.faults) >= mostErased {
		return errManyErased
	}
	return nil
}

// countErased returns how many faults the notices belong to, as users see them.
func (s *Store) countErased(ctx context.Context, projectID int64, found *erased) (int64, error) {
	into, err := s.Faults.MergedOf(ctx, s.Read, projectID)
	if err != nil {
		return 0, err
	}
	seen := map[int64]bool{}
	for _, fault := range found.faults {
		seen[cmp.Or(into[fault], fault)] = true
	}
	return int64(len(seen)), nil
}
