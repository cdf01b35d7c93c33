package block

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/db"
)

// An object is deleted from object storage after the transaction that needs it no longer: that transaction adds it to dead_objects. So does the one
// before an upload, for the case that the process dies before it has noted where the block is; the transaction that does so removes it again.

const forgetObject = `-- block.forgetObject
INSERT INTO dead_objects (object, of_project, added_at, due_at, tries) SELECT object, project_id, 0, 0, 0 FROM block_objects WHERE block_id = $1`

const dropObject = `-- block.dropObject
DELETE FROM block_objects WHERE block_id = $1`

// DeadObject is an object that is to be deleted from object storage.
type DeadObject struct {
	Key   string
	Tries int64
}

const dueDeadObjects = `-- block.dueDeadObjects
SELECT EXISTS (SELECT 1 FROM dead_objects WHERE due_at <= $1)`

// HasDeadObjects reports whether objects are to be deleted now.
func (s *Store) HasDeadObjects(ctx context.Context, now time.Time) (has bool, err error) {
	err = s.db.Read.QueryRowContext(ctx, s.db.Text(dueDeadObjects), db.Micros(now)).Scan(&has)
	return has, db.Wrap("look for objects to delete", err)
}

const claimDeadObjects = `-- block.claimDeadObjects
UPDATE dead_objects SET added_at = 0 WHERE object IN (SELECT d.object FROM dead_objects d WHERE d.due_at <= $1
    AND NOT EXISTS (SELECT 1 FROM object_keys WHERE held_until > $1) ORDER BY d.due_at, d.object LIMIT 100)
RETURNING object, tries`

// ClaimDeadObjects returns objects that are to be deleted now, and makes sure that none of them becomes that of a block: an upload that took too long
// has failed. There are none while a backup reads objects.
func (t Tx) ClaimDeadObjects(ctx context.Context, now time.Time) (due []DeadObject, err error) {
	rows, err := t.QueryContext(ctx, t.s.db.Text(claimDeadObjects), db.Micros(now))
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var o DeadObject
		err := rows.Scan(&o.Key, &o.Tries)
		due = append(due, o)
		return err
	})
	return due, db.Wrap("find objects to delete", err)
}

const deletedObject = `-- block.deletedObject
DELETE FROM dead_objects WHERE object = $1`

// DeletedObject notes that an object is not in object storage any more.
func (t Tx) DeletedObject(ctx context.Context, key string) error {
	_, err := t.Exec(ctx, deletedObject, key)
	return db.Wrap("note a deleted object", err)
}

const retryObject = `-- block.retryObject
UPDATE dead_objects SET tries = tries + 1, due_at = $2 WHERE object = $1`

// The waits between two tries to delete an object.
const (
	firstRetry = 5 * time.Second
	lastRetry  = 10 * time.Minute
)

// RetryObject notes that an object could not be deleted, and when that is tried again.
func (t Tx) RetryObject(ctx context.Context, o DeadObject, now time.Time) error {
	wait := min(firstRetry<<min(o.Tries, 10), lastRetry)
	_, err := t.Exec(ctx, retryObject, o.Key, db.Micros(now.Add(wait)))
	return db.Wrap("note an object that could not be deleted", err)
}

const objectsLeft = `-- block.objectsLeft
SELECT count(*) FROM dead_objects WHERE of_project = $1 AND added_at <= $2`

// ObjectsLeft returns how many objects of a project may still be in object storage that belong to no block since a time, or may have been uploaded
// before it.
func (s *Store) ObjectsLeft(ctx context.Context, projectID int64, since time.Time) (n int64, err error) {
	err = s.db.Read.QueryRowContext(ctx, s.db.Text(objectsLeft), projectID, db.Micros(since.Add(clocksApart))).Scan(&n)
	return n, db.Wrap("count objects to delete", err)
}

// clocksApart is more than the clocks of two nodes differ.
const clocksApart = time.Minute

const objectKeys = `-- block.objectKeys
SELECT first_part FROM object_keys WHERE id = 0`

const addObjectKeys = `-- block.addObjectKeys
INSERT INTO object_keys (id, first_part, held_until) VALUES (0, $1, 0) ON CONFLICT (id) DO NOTHING`

const hasObjectKeys = `-- block.hasObjectKeys
SELECT EXISTS (SELECT 1 FROM object_keys)`

// HasKeys reports whether this database has, or had, blocks in object storage.
func (s *Store) HasKeys(ctx context.Context) (has bool, err error) {
	err = s.db.Read.QueryRowContext(ctx, s.db.Text(hasObjectKeys)).Scan(&has)
	return has, db.Wrap("look for the beginning of keys", err)
}

// keysBegin returns the first part of the keys of all objects of this database. It is a new one, unless there is one.
func (s *Store) keysBegin(ctx context.Context, fresh string) (first string, err error) {
	err = s.db.Read.QueryRowContext(ctx, s.db.Text(objectKeys)).Scan(&first)
	if !errors.Is(err, sql.ErrNoRows) {
		return first, db.Wrap("read the beginning of keys", err)
	}
	err = s.db.InTx(ctx, "choose the beginning of keys", func(t *db.Tx) error {
		if _, err := t.Exec(ctx, addObjectKeys, fresh); err != nil {
			return err
		}
		return t.QueryRowContext(ctx, s.db.Text(objectKeys)).Scan(&first)
	})
	return first, err
}

const holdObjects = `-- block.holdObjects
UPDATE object_keys SET held_until = $1 WHERE id = 0`

// HoldObjects keeps all objects until a time, because a backup reads them.
func (s *Store) HoldObjects(ctx context.Context, until time.Time) error {
	return s.db.InTx(ctx, "hold objects", func(t *db.Tx) error {
		_, err := t.Exec(ctx, holdObjects, db.Micros(until))
		return err
	})
}

const forgetObjects = `-- block.forgetObjects
DELETE FROM dead_objects`

const forgetKeys = `-- block.forgetObjectKeys
DELETE FROM object_keys`

// ForgetObjects makes a copy of a database forget all objects: they belong to the other one.
func (t Tx) ForgetObjects(ctx context.Context) error {
	for _, statement := range []string{forgetObjects, forgetKeys} {
		if _, err := t.Exec(ctx, statement); err != nil {
			return db.Wrap("forget objects", err)
		}
	}
	return nil
}

const objectFigures = `-- block.objectFigures
SELECT (SELECT count(*) FROM block_objects), (SELECT coalesce(CAST(sum(bytes) AS bigint), 0) FROM block_objects), (SELECT count(*) FROM blocks WHERE NOT remote),
    (SELECT coalesce(CAST(sum(bytes) AS bigint), 0) FROM blocks WHERE NOT remote), (SELECT coalesce(min(last_id), 0) FROM blocks WHERE NOT remote), (SELECT count(*) FROM dead_objects)`

// ObjectFigures returns how many blocks are in object storage, and how many are not.
func (s *Store) ObjectFigures(ctx context.Context) (f accounts.ObjectFigures, err error) {
	var oldest int64
	err = s.db.Read.QueryRowContext(ctx, s.db.Text(objectFigures)).Scan(&f.Blocks, &f.Bytes, &f.InDatabase, &f.Waiting, &oldest, &f.Dead)
	if oldest != 0 {
		f.OldestWaiting = sett.NoticeID(oldest).Time()
	}
	return f, db.Wrap("count blocks in object storage", err)
}
