package insightdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"sett/internal/sett/insight"
	"sett/internal/store/block"
	"sett/internal/store/db"
)

// Mixed is a batch or a chunk with events of a person and maybe of others.
type Mixed struct {
	N int64 // events of the person

	project, id, count int64
	packed             bool
	others             func() ([]insight.Event, error)
}

const batchesOf = `-- insightdb.batchesOf
SELECT id, count, body FROM insight_batches WHERE project_id = $1 AND id > $2 AND id <= $3 ORDER BY id LIMIT $4`

// batchesAtOnce is how many batches one statement reads: a batch can have 256 KB.
const batchesAtOnce = 20

// EachOf calls yield with what holds events of a person, of those that a project has when it is called. Batches are read first: so it
// misses none that is packed meanwhile. It calls rest between them. A damaged one is an error, after all others.
func (s *Store) EachOf(ctx context.Context, project int64, p *insight.Person, yield func(*Mixed) error, rest func() error) error {
	damaged, err := s.batchesOf(ctx, project, p, yield, rest)
	if err != nil {
		return s.db.Explain(db.Wrap("look for events of a person", err))
	}
	chunks, err := s.chunks(ctx, s.db.Read, project, insight.Plan{To: 1<<63 - 1})
	if err != nil {
		return s.db.Explain(err)
	}
	for _, c := range chunks {
		if err := rest(); err != nil {
			return err
		}
		m, err := s.chunkOf(ctx, project, c, p)
		switch {
		case errors.Is(err, errChunkGone) || err == nil && m.N == 0:
			continue
		case errors.Is(err, errUnreadable):
			damaged = fmt.Errorf("chunk %d of structured events: %w", c.id, err)
			continue
		case err == nil:
			err = yield(m)
		}
		if err != nil {
			return s.db.Explain(err)
		}
	}
	return damaged
}

// errUnreadable says that it is unknown whose events they are. They are dropped when they are too old.
var errUnreadable = errors.New("it is damaged")

func (s *Store) batchesOf(ctx context.Context, project int64, p *insight.Person, yield func(*Mixed) error, rest func() error) (damaged, err error) {
	last, err := s.LastBatch(ctx, project)
	for after := int64(0); err == nil && after < last; {
		var found []*Mixed
		before := after
		rows, failed := s.db.Read.QueryContext(ctx, s.db.Text(batchesOf), project, after, last, batchesAtOnce)
		err = db.ScanAll(rows, failed, func(rows *sql.Rows) error {
			m := &Mixed{project: project}
			var body []byte
			if err := rows.Scan(&m.id, &m.count, &body); err != nil {
				return err
			}
			after = m.id
			events, err := openBatch(body)
			if err != nil {
				damaged = fmt.Errorf("batch %d of structured events: %w", m.id, errUnreadable)
				return nil //nolint:nilerr // it is returned after all others
			}
			if m.keep(events, p); m.N > 0 {
				found = append(found, m)
			}
			return nil
		})
		if after == before {
			break
		}
		for _, m := range found {
			if err == nil {
				err = yield(m)
			}
		}
		if err == nil {
			err = rest()
		}
	}
	return damaged, err
}

// keep sorts the events of a batch.
func (m *Mixed) keep(events []insight.Event, p *insight.Person) {
	var others []insight.Event
	for _, e := range events {
		if p.Of(e) {
			m.N++
		} else {
			others = append(others, e)
		}
	}
	m.others = func() ([]insight.Event, error) { return others, nil }
}

// chunkOf looks for the events of a person in a chunk.
func (s *Store) chunkOf(ctx context.Context, project int64, c chunk, p *insight.Person) (*Mixed, error) {
	frame, err := s.frame(ctx, c)
	if err != nil {
		return nil, err
	}
	if frame == nil {
		return nil, errUnreadable
	}
	unread := func(err error) error { // of a part: from the database, or damaged
		if err == nil || ctx.Err() != nil {
			return err
		}
		return errors.Join(errUnreadable, err)
	}
	rows, err := p.Rows(frame)
	if err != nil {
		return nil, unread(err)
	}
	m := &Mixed{N: int64(rows.Len()), project: project, id: c.id, packed: true}
	m.others = func() (events []insight.Event, err error) {
		for row := range c.rows {
			if rows.Has(row) {
				continue
			}
			e, err := frame.Event(row, nil)
			if err != nil {
				return nil, unread(err)
			}
			events = append(events, e)
		}
		return events, nil
	}
	return m, nil
}

// Others is what is to replace a batch or a chunk: the events of others in it.
type Others struct {
	*Mixed
	batch  *Batch // nil: there are none
	chunks []*insight.Chunk
}

// Others returns what is to replace it.
func (m *Mixed) Others(p *insight.Packer) (*Others, error) {
	events, err := m.others()
	o := &Others{Mixed: m}
	if err != nil || len(events) == 0 {
		return o, err
	}
	if m.packed {
		o.chunks, err = p.Pack(events)
		return o, err
	}
	var body []byte
	first, last := events[0].At, events[0].At
	for _, e := range events {
		body, first, last = e.Append(body), min(first, e.At), max(last, e.At)
	}
	o.batch = &Batch{Count: int64(len(events)), First: first, Last: last, body: block.AppendCompressed(nil, body, block.CompressedTogether)}
	return o, nil
}

const (
	replaceBatch = `-- insightdb.replaceBatch
UPDATE insight_batches SET first_at = $3, last_at = $4, count = $5, body = $6 WHERE id = $1 AND count = $2`

	deleteBatch = `-- insightdb.deleteBatch
DELETE FROM insight_batches WHERE id = $1 AND count = $2`

	deleteChunk = `-- insightdb.deleteChunk
DELETE FROM insight_chunks WHERE id = $1`
)

// Replace replaces a batch or a chunk by the events of others in it. It reports false, and has changed nothing, if it is not there any more.
func (t Tx) Replace(ctx context.Context, o *Others) (done bool, err error) {
	var n int64
	switch {
	case o.packed:
		n, err = t.Changed(ctx, deleteChunk, o.id)
	case o.batch == nil:
		n, err = t.Changed(ctx, deleteBatch, o.id, o.count)
	default:
		n, err = t.Changed(ctx, replaceBatch, o.id, o.count, o.batch.First, o.batch.Last, o.batch.Count, o.batch.body)
	}
	if err != nil || n == 0 {
		return false, db.Wrap("replace events", err)
	}
	for _, c := range o.chunks {
		if err := t.insertChunk(ctx, o.project, c); err != nil {
			return false, err
		}
	}
	return true, nil
}
