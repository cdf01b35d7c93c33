package insightdb

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"maps"
	"math"
	"slices"

	"sett/internal/event/column"
	"sett/internal/sett/insight"
	"sett/internal/store/db"
)

const newestBatches = `-- insightdb.newestBatches
SELECT id, body FROM insight_batches WHERE project_id = $1 AND id > $2 ORDER BY id DESC LIMIT $3`

const newestChunks = `-- insightdb.newestChunks
SELECT id, first_at, last_at, count FROM insight_chunks WHERE project_id = $1 ORDER BY last_at DESC, id DESC LIMIT $2`

// The newest batches and chunks in which keys are looked for.
const (
	keysOfBatches = 20
	keysOfChunks  = 5
)

// Keys returns the keys that new events of a project have, in order.
func (s *Store) Keys(ctx context.Context, project int64) ([]string, error) {
	found := map[string]bool{}
	err := s.sample(ctx, project, func(f *insight.Frame) error {
		keys, err := f.Keys()
		for _, key := range keys {
			found[key] = true
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return db.Sorted(found, cmp.Compare), nil
}

// Fields returns the keys that new events of a project have, with the kinds of their values.
func (s *Store) Fields(ctx context.Context, project int64) ([]insight.Known, error) {
	kinds := map[string]string{}
	err := s.sample(ctx, project, func(f *insight.Frame) error {
		keys, err := f.Keys()
		if err != nil {
			return err
		}
		for _, key := range keys {
			if kinds[key] != "" {
				continue
			}
			c, err := f.Column(key)
			if err != nil {
				return err
			}
			kinds[key] = insight.KindOf(c)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var fields []insight.Known
	for _, key := range slices.Sorted(maps.Keys(kinds)) {
		fields = append(fields, insight.Known{Key: key, Kind: kinds[key]})
	}
	return fields, nil
}

// Values returns the values that a key has in new events of a project, the most frequent first, at most so many.
func (s *Store) Values(ctx context.Context, project int64, key string, most int) ([]string, error) {
	counts := map[string]int{}
	err := s.sample(ctx, project, func(f *insight.Frame) error {
		c, err := f.Column(key)
		if err != nil || c == nil {
			return err
		}
		for _, i := range c.Index {
			if i >= 0 && c.Values[i].Kind != insight.List && len(c.Values[i].Text) <= longestValue {
				counts[c.Values[i].Text]++
			}
		}
		return nil
	})
	values := slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return cmp.Or(counts[b]-counts[a], cmp.Compare(a, b)) })
	return values[:min(len(values), most)], err
}

// longestValue is how many bytes a value has at most that is offered for a search.
const longestValue = 200

// sample calls yield with the newest events of a project, in frames. What is damaged is left out.
func (s *Store) sample(ctx context.Context, project int64, yield func(*insight.Frame) error) error {
	read := func(f *insight.Frame) error {
		if err := yield(f); ctx.Err() != nil {
			return err
		}
		return nil
	}
	err := s.newest(ctx, project, 0, keysOfBatches, func(_ int64, events []insight.Event) {
		for some := range slices.Chunk(events, column.MostRows) {
			_ = read(insight.FrameOf(some)) // events in memory are not damaged
		}
	})
	if err != nil {
		return err
	}
	var chunks []chunk
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(newestChunks), project, keysOfChunks)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var c chunk
		err := rows.Scan(&c.id, &c.first, &c.last, &c.rows)
		chunks = append(chunks, c)
		return err
	})
	if err != nil {
		return db.Wrap("find keys of events", err)
	}
	for _, c := range chunks {
		frame, err := s.frame(ctx, c)
		if errors.Is(err, errChunkGone) || err == nil && frame == nil {
			continue
		}
		if err != nil {
			return err
		}
		if err := read(frame); err != nil {
			return err
		}
	}
	return nil
}

// newest calls yield with the events of the newest batches of a project after one, the newest first.
func (s *Store) newest(ctx context.Context, project, after int64, most int, yield func(batch int64, events []insight.Event)) error {
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(newestBatches), project, after, most)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var id int64
		var body []byte
		if err := rows.Scan(&id, &body); err != nil {
			return err
		}
		if events, err := openBatch(body); err == nil {
			yield(id, events)
		}
		return nil
	})
	return db.Wrap("read new events", err)
}

const lastBatch = `-- insightdb.LastBatch
SELECT coalesce(max(id), 0) FROM insight_batches WHERE project_id = $1`

// LastBatch returns where a tail begins that shows only events that are still to come.
func (s *Store) LastBatch(ctx context.Context, project int64) (last int64, err error) {
	err = s.db.Read.QueryRowContext(ctx, s.db.Text(lastBatch), project).Scan(&last)
	return last, db.Wrap("find the last events", err)
}

// batchesInTail is how many batches a tail reads at once.
const batchesInTail = 50

// Tail returns the newest events that match a filter, at most so many, of those that were received after a batch, and the last batch.
func (s *Store) Tail(ctx context.Context, project, after int64, filter insight.Filter, most int) (events []insight.Event, last int64, err error) {
	run := insight.NewRun(insight.Plan{Filter: filter, From: 0, To: math.MaxInt64, Rows: most})
	last = after
	var failed error
	err = s.newest(ctx, project, after, batchesInTail, func(batch int64, events []insight.Event) {
		last = max(last, batch)
		for some := range slices.Chunk(events, column.MostRows) {
			failed = errors.Join(failed, run.Add(insight.FrameOf(some)))
		}
	})
	found, wrong := run.Finish()
	return found.Events, last, errors.Join(err, failed, wrong)
}

// Sent reports whether a project has sent events lately.
func (s *Store) Sent(ctx context.Context, project int64) (bool, error) {
	return s.ReadSent(ctx, s.db.Read, project)
}

// ReadSent is Sent in a snapshot.
func (s *Store) ReadSent(ctx context.Context, q db.Querier, project int64) (sent bool, err error) {
	err = q.QueryRowContext(ctx, s.db.Text(hasSent), project).Scan(&sent)
	return sent, db.Wrap("look for events", err)
}

const hasSent = `-- insightdb.Sent
SELECT EXISTS (SELECT 1 FROM insight_days WHERE project_id = $1 AND events > 0)`
