package insightdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"sett/internal/sett/insight"
	"sett/internal/store/db"
)

// packAfter is how long events wait at most before they are packed, even if they are few.
const packAfter = time.Hour

// settleFor is how long events stay in a batch at least, so that a live tail sees all of them.
const settleFor = 5 * time.Second

const dueProjects = `-- insightdb.Due
SELECT project_id FROM insight_batches GROUP BY project_id HAVING sum(CASE WHEN received_at < $1 THEN count ELSE 0 END) >= $2 OR min(received_at) < $3 ORDER BY project_id`

// Due returns the projects of which events are to be packed.
func (s *Store) Due(ctx context.Context, now time.Time) ([]int64, error) {
	ids, err := s.db.ListIDs(ctx, s.db.Read, dueProjects, db.Micros(now.Add(-settleFor)), s.Sizes.Enough, db.Micros(now.Add(-packAfter)))
	return ids, db.Wrap("find events to pack", err)
}

// Packed is chunks that are to replace batches.
type Packed struct {
	project int64
	batches []int64
	count   int64 // of the events of all
	chunks  []*insight.Chunk
}

const oldestBatches = `-- insightdb.oldestBatches
SELECT id, count, body FROM insight_batches WHERE project_id = $1 AND received_at < $2 ORDER BY id LIMIT $3`

// errEnough ends a reading.
var errEnough = errors.New("enough events")

// The most that one step packs, beside Sizes.Most.
const (
	mostBatches = 2_000
	mostPacked  = 32 << 20 // bytes of keys and values
)

// Pack packs the oldest events of a project that wait; nil if there are none. Damaged batches are left out, and go.
func (s *Store) Pack(ctx context.Context, p *insight.Packer, now time.Time, project int64) (*Packed, error) {
	packed := &Packed{project: project}
	var events []insight.Event
	bytes := 0
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(oldestBatches), project, db.Micros(now.Add(-settleFor)), mostBatches)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var id, count int64
		var body []byte
		if err := rows.Scan(&id, &count, &body); err != nil {
			return err
		}
		packed.batches, packed.count = append(packed.batches, id), packed.count+count
		if more, err := openBatch(body); err == nil {
			events = append(events, more...)
			for _, e := range more {
				for _, f := range e.Fields {
					bytes += len(f.Key) + len(f.Value)
				}
			}
		}
		if int64(len(events)) >= s.Sizes.Most || bytes >= mostPacked {
			return errEnough
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return nil, db.Wrap("read events to pack", err)
	}
	if len(packed.batches) == 0 {
		return nil, nil
	}
	if packed.chunks, err = p.Pack(events); err != nil {
		return nil, err
	}
	return packed, nil
}

const deleteBatches = `-- insightdb.deleteBatches
DELETE FROM insight_batches WHERE id IN (SELECT k.id FROM {{rows k(id bigint)}}) RETURNING count`

const insertChunk = `-- insightdb.insertChunk
INSERT INTO insight_chunks (project_id, first_at, last_at, count, bytes, times) SELECT p.id, $2, $3, $4, $5, $6 FROM projects p WHERE p.id = $1 RETURNING id`

const insertFilters = `-- insightdb.insertFilters
INSERT INTO insight_filters (project_id, number, chunk_id, body)
SELECT k.project_id, k.number, k.chunk_id, k.body FROM {{rows k(project_id bigint, number bigint, chunk_id bigint, body bytea)}} WHERE true`

const insertParts = `-- insightdb.insertParts
INSERT INTO insight_parts (chunk_id, number, body) SELECT k.chunk_id, k.number, k.body FROM {{rows k(chunk_id bigint, number bigint, body bytea)}} WHERE true`

// Store replaces batches by their chunks. It reports false, and has stored nothing, if the batches are not there any more.
func (t Tx) Store(ctx context.Context, p *Packed) (bool, error) {
	there, count := 0, int64(0)
	add := func(n int64) { there, count = there+1, count+n }
	if err := t.EachRow(ctx, deleteBatches, db.ScanID(add), p.batches); err != nil {
		return false, db.Wrap("delete packed events", err)
	}
	if there == 0 {
		return false, nil
	}
	if there < len(p.batches) || count < p.count {
		return false, errors.New("some of the events were packed by another process, or erased")
	}
	for _, c := range p.chunks {
		if err := t.insertChunk(ctx, p.project, c); err != nil {
			return false, err
		}
	}
	return true, nil
}

func (t Tx) insertChunk(ctx context.Context, project int64, c *insight.Chunk) error {
	var id int64
	row := t.QueryRowContext(ctx, t.s.db.Text(insertChunk), project, c.First, c.Last, c.Rows, c.Bytes(), c.Times)
	if err := row.Scan(&id); err != nil {
		return fmt.Errorf("insert a chunk: %w", err)
	}
	filters, numbers := numbered(c.Columns.Filters[:])
	if err := t.Each(ctx, insertFilters, db.Repeated(project, len(filters)), numbers, db.Repeated(id, len(filters)), filters); err != nil {
		return fmt.Errorf("insert filters of a chunk: %w", err)
	}
	parts, numbers := numbered(c.Columns.Parts[:])
	return db.Wrap("insert parts of a chunk", t.Each(ctx, insertParts, db.Repeated(id, len(parts)), numbers, parts))
}

// numbered returns the texts that there are, and their indexes.
func numbered(texts [][]byte) (some [][]byte, numbers []int64) {
	for i, text := range texts {
		if text != nil {
			some, numbers = append(some, text), append(numbers, int64(i))
		}
	}
	return some, numbers
}

const oldChunks = `-- insightdb.oldChunks
DELETE FROM insight_chunks WHERE id IN (SELECT id FROM insight_chunks WHERE last_at < $1 ORDER BY last_at LIMIT $2)`

const oldDays = `-- insightdb.oldDays
DELETE FROM insight_days WHERE day < $1`

// KeepDays is for how many days the store keeps how much a project sent.
const KeepDays = 31

// oldest returns the time from which on events are kept: whole hours go.
func oldest(now time.Time) int64 { return db.Micros(now.Add(-insight.Keep).Truncate(time.Hour)) }

// DropOld drops at most so many chunks whose events are all too old, and returns how many.
func (t Tx) DropOld(ctx context.Context, now time.Time, most int64) (int64, error) {
	if _, err := t.Exec(ctx, oldDays, dayOf(now.AddDate(0, 0, -KeepDays))); err != nil {
		return 0, db.Wrap("forget days of events", err)
	}
	n, err := t.Changed(ctx, oldChunks, oldest(now), most)
	return n, db.Wrap("drop old events", err)
}

const someChunks = `-- insightdb.someChunks
DELETE FROM insight_chunks WHERE id IN (SELECT id FROM insight_chunks WHERE project_id = $1 ORDER BY id LIMIT $2)`

const someBatches = `-- insightdb.someBatches
DELETE FROM insight_batches WHERE id IN (SELECT id FROM insight_batches WHERE project_id = $1 ORDER BY id LIMIT $2)`

// dropsAtOnce is how many chunks or batches a step of a deletion drops.
const dropsAtOnce = 50

// SweepProject deletes all events of a project, some in each transaction.
func (s *Store) SweepProject(ctx context.Context, project int64) error {
	for _, statement := range []string{someBatches, someChunks} {
		err := s.db.Sweep(ctx, "delete events", dropsAtOnce, func(t *db.Tx) (int64, error) {
			t.KeepsCaches = true
			return t.Changed(ctx, statement, project, dropsAtOnce)
		})
		if err != nil {
			return s.db.Explain(err)
		}
	}
	return nil
}
