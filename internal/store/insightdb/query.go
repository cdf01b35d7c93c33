package insightdb

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"sett/internal/event/column"
	"sett/internal/sett"
	"sett/internal/sett/insight"
	"sett/internal/store/db"
)

const waitingBatches = `-- insightdb.waitingBatches
SELECT body FROM insight_batches WHERE project_id = $1 AND last_at >= $2 AND first_at < $3 ORDER BY id DESC`

const chunksOf = `-- insightdb.chunksOf
SELECT id, first_at, last_at, count FROM insight_chunks WHERE project_id = $1 AND last_at >= $2 AND first_at < $3 ORDER BY last_at DESC, id DESC`

// chunk is a stored chunk.
type chunk struct {
	id, first, last int64
	rows            int
}

// Query evaluates a plan over the events of a project that are not older than what is kept. When until comes, or ctx ends, the result has
// what was found by then, newest events first; its Since says so. The error is Unavailable when other queries take all of half of that time.
func (s *Store) Query(ctx context.Context, now, until time.Time, project int64, p insight.Plan) (insight.Result, error) {
	waits, cancel := context.WithTimeout(ctx, time.Until(until)/2)
	defer cancel()
	leave, err := s.queries.Take(waits, project)
	switch {
	case ctx.Err() != nil:
		return insight.Result{}, ctx.Err()
	case err != nil:
		return insight.Result{}, &sett.Error{Code: sett.Unavailable, Message: "The server is busy with other queries. Try again in a moment.", RetryAfter: time.Second}
	}
	defer leave()
	return s.evaluate(ctx, now, until, project, p)
}

func (s *Store) evaluate(ctx context.Context, now, until time.Time, project int64, p insight.Plan) (insight.Result, error) {
	p.From, p.Project = max(p.From, oldest(now)), project
	incomplete := false
	for i, first := range p.First() {
		found, err := s.evaluate(ctx, now, until, project, first)
		if err != nil {
			return insight.Result{}, err
		}
		p.Know(i, found)
		incomplete = incomplete || found.Dropped || found.Since != 0
	}
	run := insight.NewRun(p)
	run.Dropped = incomplete
	run.Until(func() bool { return ctx.Err() != nil || time.Now().After(until) })
	if p.Reads(insight.Recorded) {
		half := until
		if p.Reads(insight.Sent) {
			half = until.Add(-time.Until(until) / 2)
		}
		if err := s.Recorded(ctx, half, project, run); errors.Is(err, insight.ErrStopped) {
			run.Since = run.To
		} else if err != nil {
			return insight.Result{}, s.db.Explain(err)
		}
	}
	recorded := run.Since // the events of clients are read as far as there is time, whatever was left out
	run.Since = 0
	if p.Reads(insight.Sent) {
		if err := s.readSent(ctx, until, project, p, run); err != nil {
			return insight.Result{}, s.db.Explain(err)
		}
	}
	run.Since = max(run.Since, recorded)
	return run.Finish()
}

// readSent reads the events that clients sent.
func (s *Store) readSent(ctx context.Context, until time.Time, project int64, p insight.Plan, run *insight.Run) error {
	var chunks []chunk
	// Batches become chunks at any time: with the list of chunks in the same snapshot no event is missed or read twice.
	err := s.db.Snapshot(ctx, "query events", func(q db.Querier) (err error) {
		if chunks, err = s.chunks(ctx, q, project, p); err != nil {
			return err
		}
		return s.waiting(ctx, q, until, project, run)
	})
	if err != nil {
		return err
	}
	all := chunks
	if chunks, err = s.candidates(ctx, project, p, chunks); err != nil {
		return err
	}
	for _, c := range chunks {
		if run.Since == 0 && (time.Now().After(until) || ctx.Err() != nil) {
			run.Since = c.last
		}
		if run.Since != 0 {
			break
		}
		if err := s.read(ctx, c, run); err != nil {
			if ctx.Err() != nil || errors.Is(err, insight.ErrStopped) {
				run.Since = c.last
				break
			}
			return err
		}
	}
	if run.Since == 0 {
		if run.Missing, err = s.missing(ctx, project, all, run.Unmet()); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) chunks(ctx context.Context, q db.Querier, project int64, p insight.Plan) (chunks []chunk, err error) {
	rows, err := q.QueryContext(ctx, s.db.Text(chunksOf), project, p.From, p.To)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var c chunk
		err := rows.Scan(&c.id, &c.first, &c.last, &c.rows)
		chunks = append(chunks, c)
		return err
	})
	return chunks, db.Wrap("list chunks", err)
}

// waiting reads the events that are in no chunk.
func (s *Store) waiting(ctx context.Context, q db.Querier, until time.Time, project int64, run *insight.Run) error {
	rows, err := q.QueryContext(ctx, s.db.Text(waitingBatches), project, run.From, run.To)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var body []byte
		if err := rows.Scan(&body); err != nil {
			return err
		}
		events, err := openBatch(body)
		if err != nil {
			run.Unread++
			return nil
		}
		for some := range slices.Chunk(events, column.MostRows) {
			if err := run.Add(insight.FrameOf(some)); err != nil {
				return err
			}
		}
		if time.Now().After(until) {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) || errors.Is(err, insight.ErrStopped) {
		run.Since, err = run.To, nil
	}
	return err
}

const filtersOf = `-- insightdb.filtersOf
SELECT chunk_id, body FROM insight_filters WHERE project_id = $1 AND number = $2`

// candidates returns the chunks that may have events that are wanted, as their filters say.
func (s *Store) candidates(ctx context.Context, project int64, p insight.Plan, chunks []chunk) (left []chunk, err error) {
	needs := p.Needs()
	if len(needs) == 0 || len(chunks) == 0 {
		return chunks, nil
	}
	may := make([]map[int64]bool, len(needs))
	byFilter := map[int][]ask{}
	for group, terms := range needs {
		may[group] = map[int64]bool{}
		for _, t := range terms {
			byFilter[t.Filter] = append(byFilter[t.Filter], ask{group, t})
		}
	}
	for number, asks := range byFilter {
		err := s.eachFilter(ctx, project, number, func(id int64, f column.Filter) {
			for _, a := range asks {
				may[a.group][id] = may[a.group][id] || a.Ask(f) != column.None
			}
		})
		if err != nil {
			return nil, err
		}
	}
	for _, c := range chunks {
		wanted := true
		for _, ids := range may {
			wanted = wanted && ids[c.id]
		}
		if wanted {
			left = append(left, c)
		}
	}
	return left, nil
}

// ask is a term that belongs to a group of which one must have an answer.
type ask struct {
	group int
	column.Term
}

func (s *Store) eachFilter(ctx context.Context, project int64, number int, yield func(chunk int64, f column.Filter)) error {
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(filtersOf), project, number)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var id int64
		var body sql.RawBytes
		if err := rows.Scan(&id, &body); err != nil {
			return err
		}
		if f, err := column.OpenFilter(body); err == nil {
			yield(id, f)
		}
		return nil
	})
	return db.Wrap("read filters of events", err)
}

const timesOf = `-- insightdb.timesOf
SELECT times FROM insight_chunks WHERE id = $1`

const partOf = `-- insightdb.partOf
SELECT body FROM insight_parts WHERE chunk_id = $1 AND number = $2`

// errChunkGone says that a chunk was dropped meanwhile.
var errChunkGone = errors.New("the chunk was dropped")

// read evaluates the plan over a chunk. A damaged one is counted, and one that was dropped meanwhile has nothing.
func (s *Store) read(ctx context.Context, c chunk, run *insight.Run) error {
	frame, err := s.frame(ctx, c)
	switch {
	case errors.Is(err, errChunkGone):
		return nil
	case err != nil:
		return err
	case frame == nil:
		run.Unread++
		return nil
	}
	if err := run.Add(frame); err != nil {
		if ctx.Err() != nil || sett.CodeOf(err) == sett.Invalid || errors.Is(err, insight.ErrStopped) {
			return err
		}
		run.Unread++
	}
	return nil
}

// frame returns the events of a chunk; nil if it is damaged.
func (s *Store) frame(ctx context.Context, c chunk) (*insight.Frame, error) {
	var times []byte
	if err := s.db.Read.QueryRowContext(ctx, s.db.Text(timesOf), c.id).Scan(&times); err != nil {
		if errors.Is(err, sql.ErrNoRows) {
			err = errChunkGone
		}
		return nil, err
	}
	at, err := insight.OpenTimes(times, c.first, c.rows)
	if err != nil {
		return nil, nil //nolint:nilerr // the caller counts it
	}
	return insight.FrameOfChunk(at, func(number int) (body []byte, err error) {
		err = s.db.Read.QueryRowContext(ctx, s.db.Text(partOf), c.id, number).Scan(&body)
		if errors.Is(err, sql.ErrNoRows) {
			return nil, nil
		}
		return body, err
	}), nil
}

// missing returns sentences about those of some keys that no chunk has.
func (s *Store) missing(ctx context.Context, project int64, chunks []chunk, keys []string) (sentences []string, err error) {
	in := map[int64]bool{}
	for _, c := range chunks {
		in[c.id] = true
	}
	var known []string
	for _, key := range keys {
		term, has := column.Present(key), false
		err := s.eachFilter(ctx, project, term.Filter, func(id int64, f column.Filter) { has = has || in[id] && term.Ask(f) != column.None })
		if err != nil {
			return nil, err
		}
		if has {
			continue
		}
		if known == nil {
			if known, err = s.Keys(ctx, project); err != nil {
				return nil, err
			}
		}
		if len(known) > 0 {
			sentences = append(sentences, insight.Suggest(key, known))
		}
	}
	return sentences, nil
}
