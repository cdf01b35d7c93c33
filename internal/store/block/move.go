package block

import (
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"sett/internal/event/column"
	"sett/internal/store/db"
)

const nextLocal = `-- block.nextLocal
SELECT id FROM blocks WHERE NOT remote AND NOT rewrites AND id > $1 ORDER BY id LIMIT 1`

// NextLocal returns the first block after an id that is in the database and has no deleted notices, or 0.
func (s *Store) NextLocal(ctx context.Context, after int64) (int64, error) {
	return s.firstOf(ctx, nextLocal, after)
}

const nextRemote = `-- block.nextRemote
SELECT block_id FROM block_objects WHERE block_id > $1 ORDER BY block_id LIMIT 1`

// NextRemote returns the first block after an id that is in object storage, or 0.
func (s *Store) NextRemote(ctx context.Context, after int64) (int64, error) {
	return s.firstOf(ctx, nextRemote, after)
}

func (s *Store) firstOf(ctx context.Context, statement string, after int64) (int64, error) {
	ids, err := s.db.ListIDs(ctx, s.db.Read, statement, after)
	if err != nil || len(ids) == 0 {
		return 0, db.Wrap("find a block", err)
	}
	return ids[0], nil
}

// Outgoing is a block on its way to object storage. All of it is in the database until Moved.
type Outgoing struct {
	Key   string
	Body  []byte
	block int64
	of    int64 // the project
	list  []byte
	users []byte

	notices []byte // the block's list of notices: another one if it was rewritten
}

// uploadLife is how long an upload may take until its object counts as abandoned.
const uploadLife = time.Hour

const beginUpload = `-- block.beginUpload
INSERT INTO dead_objects (object, of_project, added_at, due_at, tries) VALUES ($1, $2, $3, $4, 0)`

const projectOfBlock = `-- block.projectOfBlock
SELECT project_id FROM blocks WHERE id = $1`

// Outgoing reads a block that is to be moved to object storage, and notes the key of its object. It returns nil if the block is gone, was
// moved already, or has deleted notices, which are removed first.
func (c *Compactor) Outgoing(ctx context.Context, id int64, now time.Time) (o *Outgoing, err error) {
	first, err := c.s.keysBegin(ctx, strings.ToLower(rand.Text()))
	if err != nil {
		return nil, err
	}
	o = &Outgoing{block: id}
	if err := c.s.db.Read.QueryRowContext(ctx, c.s.db.Text(projectOfBlock), id).Scan(&o.of); err != nil {
		if errors.Is(err, sql.ErrNoRows) {
			return nil, nil
		}
		return nil, fmt.Errorf("find project of block %d: %w", id, err)
	}
	o.Key = fmt.Sprintf("%s/%d/%s-%s", first, o.of, strconv.FormatInt(id, 36), strings.ToLower(rand.Text()[:12]))
	// The key is noted before the block is read: see ObjectsLeft.
	err = c.s.db.InTx(ctx, "begin an upload", func(t *db.Tx) error {
		_, err := t.Exec(ctx, beginUpload, o.Key, o.of, db.Micros(now), db.Micros(now.Add(uploadLife)))
		return err
	})
	if err != nil {
		return nil, err
	}
	found := false
	err = c.s.db.Snapshot(ctx, "read a block to move it", func(q db.Querier) error {
		found, err = c.fill(ctx, q, o)
		return err
	})
	if err != nil || !found {
		return nil, errors.Join(err, c.s.Abandon(ctx, o))
	}
	return o, nil
}

const readLocal = `-- block.readLocal
SELECT id, project_id, count, remote, gone, notices FROM blocks WHERE id = $1 AND NOT remote AND NOT rewrites`

// fill reads what the object of a block contains. found is false if the block is not to be moved.
func (c *Compactor) fill(ctx context.Context, q db.Querier, o *Outgoing) (found bool, err error) {
	b := held{}
	rows, err := q.QueryContext(ctx, c.s.db.Text(readLocal), o.block)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		return rows.Scan(&b.id, &b.project, &b.count, &b.remote, &b.gone, &o.notices)
	})
	if err != nil || b.id == 0 {
		return false, err
	}
	if b.list, err = openList(o.notices, b.id); err != nil {
		return false, nil //nolint:nilerr // a damaged block stays where it is
	}
	frames, err := c.s.frames(ctx, q, &b)
	if err != nil {
		return false, err
	}
	parts, err := c.s.parts(ctx, q, &b)
	if err != nil {
		return false, err
	}
	var all [column.Parts][]byte
	for _, p := range parts {
		if p.number >= 0 && p.number < column.Parts {
			all[p.number] = p.body
		}
	}
	count := (len(b.ids) + framePayloads - 1) / framePayloads
	ordered := make([][]byte, count)
	for _, f := range frames {
		if f.number >= 0 && f.number < count {
			ordered[f.number] = f.body
		}
	}
	o.Body, o.list = packObject(ordered, all)
	o.users = c.packer.packUsers(c.s.usersInFrames(frames, len(b.ids)))
	return true, nil
}

const abandonObject = `-- block.abandonObject
INSERT INTO dead_objects (object, of_project, added_at, due_at, tries) VALUES ($1, $2, 0, 0, 0) ON CONFLICT (object) DO UPDATE SET added_at = 0, due_at = 0`

// Abandon notes that an upload failed, or was not needed: its object, if there is one, is deleted soon.
func (s *Store) Abandon(ctx context.Context, o *Outgoing) error {
	return s.db.InTx(context.WithoutCancel(ctx), "abandon an upload", func(t *db.Tx) error {
		_, err := t.Exec(ctx, abandonObject, o.Key, o.of)
		return err
	})
}

const lockLocal = `-- block.lockLocal
SELECT notices FROM blocks WHERE id = $1 AND project_id = $2 AND NOT remote AND NOT rewrites {{for update}}`

const lockUpload = `-- block.lockUpload
DELETE FROM dead_objects WHERE object = $1 AND added_at <> 0`

const insertObject = `-- block.insertObject
INSERT INTO block_objects (block_id, project_id, object, bytes, pieces, users) VALUES ($1, $2, $3, $4, $5, $6)`

const setRemote = `-- block.setRemote
UPDATE blocks SET remote = $2 WHERE id = $1`

// Moved replaces a block's payloads and facets in the database by its object, which is uploaded. moved is false if the block has changed since it was
// read: then nothing has changed.
func (t Tx) Moved(ctx context.Context, o *Outgoing) (moved bool, err error) {
	same := false
	rows, err := t.QueryContext(ctx, t.s.db.Text(lockLocal), o.block, o.of)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var notices []byte
		err := rows.Scan(&notices)
		same = bytes.Equal(notices, o.notices)
		return err
	})
	if err != nil || !same {
		return false, db.Wrap("lock a block", err)
	}
	// The upload took so long that it counts as abandoned if the key is not noted any more.
	if n, err := t.Changed(ctx, lockUpload, o.Key); err != nil || n == 0 {
		return false, err
	}
	if _, err := t.Exec(ctx, insertObject, o.block, o.of, o.Key, len(o.Body), o.list, o.users); err != nil {
		return false, fmt.Errorf("note the object of a block: %w", err)
	}
	if _, err := t.Exec(ctx, setRemote, o.block, true); err != nil {
		return false, fmt.Errorf("note a moved block: %w", err)
	}
	for _, statement := range []string{dropBlockParts, dropPayloads} {
		if _, err := t.Exec(ctx, statement, o.block); err != nil {
			return false, fmt.Errorf("drop what was moved: %w", err)
		}
	}
	return true, nil
}

// Incoming is a block that comes back from object storage.
type Incoming struct {
	block         int64
	key           string
	frames, parts []body
}

// Incoming reads a block that is in object storage. It returns nil if there is none any more.
func (s *Store) Incoming(ctx context.Context, id int64) (in *Incoming, err error) {
	err = s.db.Snapshot(ctx, "read a block from object storage", func(q db.Querier) error {
		in = nil
		b := held{}
		rows, err := q.QueryContext(ctx, s.db.Text(readBlock), id)
		err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
			var notices []byte
			return rows.Scan(&b.id, &b.project, &b.count, &b.remote, &b.gone, &notices, &b.known)
		})
		if err != nil || !b.remote {
			return err
		}
		o, err := s.objectOf(ctx, q, id)
		if err != nil {
			return err
		}
		parts, failed := s.parts(ctx, q, &b)
		frames, err := s.frames(ctx, q, &b)
		in = &Incoming{id, o.key, frames, parts}
		return errors.Join(failed, err)
	})
	return in, db.Wrap(fmt.Sprintf("bring back block %d", id), err)
}

const objectOfBlock = `-- block.objectOfBlock
SELECT object FROM block_objects WHERE block_id = $1 {{for update}}`

// CameBack stores a block in the database that was in object storage. back is false if it has changed meanwhile. The object is deleted later, unless
// it belongs to another database, of which this one is a copy.
func (t Tx) CameBack(ctx context.Context, in *Incoming, isCopy bool) (back bool, err error) {
	var key string
	err = t.QueryRowContext(ctx, t.s.db.Text(objectOfBlock), in.block).Scan(&key)
	if errors.Is(err, sql.ErrNoRows) || err == nil && key != in.key {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("lock the object of a block: %w", err)
	}
	if !isCopy {
		if _, err := t.Exec(ctx, forgetObject, in.block); err != nil {
			return false, fmt.Errorf("forget an object: %w", err)
		}
	}
	if _, err := t.Exec(ctx, dropObject, in.block); err != nil {
		return false, fmt.Errorf("forget an object: %w", err)
	}
	if _, err := t.Exec(ctx, setRemote, in.block, false); err != nil {
		return false, fmt.Errorf("note a block that came back: %w", err)
	}
	parts, numbers := split(in.parts)
	if err := t.Each(ctx, insertBlockParts, db.Repeated(in.block, len(parts)), numbers, parts); err != nil {
		return false, fmt.Errorf("insert facets of a block: %w", err)
	}
	frames, numbers := split(in.frames)
	err = t.Each(ctx, insertPayloads, db.Repeated(in.block, len(frames)), numbers, frames)
	return err == nil, db.Wrap("insert payloads of a block", err)
}

func split(all []body) (bodies [][]byte, numbers []int64) {
	for _, b := range all {
		bodies, numbers = append(bodies, b.body), append(numbers, int64(b.number))
	}
	return bodies, numbers
}
