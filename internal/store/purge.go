package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"sett/internal/sett/accounts"
	"sett/internal/sett/checks"
	"sett/internal/store/db"
)

// Purge configures the deletion of old rows: in small pieces, each a transaction, so that others can write in between. Only one of
// several nodes does it at a time.
type Purge struct {
	Now    func() time.Time
	Holder string                                              // of the lease
	Rest   func(ctx context.Context, took time.Duration) error // called after each piece, with its duration; an error ends the purge
}

// purgeLease is the name of the lease of the purging node, which renews it with every piece.
const (
	purgeLease     = "retention"
	purgeLeaseLife = checks.AgentSilence
)

// A piece is as many rows as can be deleted in some 10 ms, in which nothing else can write to an SQLite file.
const (
	leastInPiece = 16
	mostInPiece  = 1_024 // as in a block
	shortPiece   = 6 * time.Millisecond
	longPiece    = 12 * time.Millisecond
)

// errNotOurs says that another node is purging.
var errNotOurs = errors.New("another node holds the lease")

// purge is a running Purge.
type purge struct {
	*Store
	Purge
	lease string
	size  int64 // rows in the next piece
}

// purging runs f while this process holds a lease. If another process holds it, nothing is done.
func (s *Store) purging(ctx context.Context, lease string, o Purge, f func(*purge) error) error {
	p := &purge{s, o, lease, leastInPiece}
	err := p.piece(ctx, "take lease of "+lease, func(*tx) error { return nil })
	if err == nil {
		err = f(p)
	}
	if errors.Is(err, errNotOurs) {
		return nil
	}
	if !s.SQLite() {
		err = errors.Join(err, s.DropLease(context.WithoutCancel(ctx), lease, o.Holder))
	}
	return err
}

// piece runs one piece in a transaction, and rests.
func (p *purge) piece(ctx context.Context, what string, f func(*tx) error) error {
	var began time.Time
	err := p.inTx(ctx, what, func(t *tx) error {
		t.KeepsCaches, t.Unsynced = true, true // what a crash undoes is repeated
		began = p.Now()
		if err := t.holdPurge(ctx, p.lease, p.Purge); err != nil {
			return err
		}
		return f(t)
	})
	if err != nil {
		return err
	}
	took := p.Now().Sub(began)
	p.adapt(took)
	return p.Rest(ctx, took)
}

// holdPurge renews the lease. An SQLite file has one process, which needs none.
func (t *tx) holdPurge(ctx context.Context, lease string, o Purge) error {
	if t.s.SQLite() {
		return nil
	}
	now := o.Now()
	held, err := t.Lease(ctx, lease, o.Holder, now, now.Add(purgeLeaseLife))
	if err == nil && !held {
		err = errNotOurs
	}
	return err
}

func (p *purge) adapt(took time.Duration) {
	switch {
	case took < shortPiece:
		p.size = min(2*p.size, mostInPiece)
	case took > longPiece:
		p.size = max(p.size/2, leastInPiece)
	}
}

// rows repeats a piece that deletes at most so many rows until it deletes fewer, and returns the number of deleted rows.
func (p *purge) rows(ctx context.Context, what string, step func(t *tx, most int64) (int64, error)) (all int64, err error) {
	p.size = leastInPiece // rows of another kind take different time
	for {
		var n int64
		most := p.size
		err := p.piece(ctx, what, func(t *tx) (err error) {
			n, err = step(t, most)
			return err
		})
		if all += n; err != nil || n < most {
			return all, err
		}
	}
}

// keeping is what a project keeps, with times in microseconds.
type keeping struct {
	project int64
	from    int64 // older data is to be deleted
	purged  int64 // older data is already deleted
	first   int64 // the project's first notice; 0: none
}

const readKeepings = `-- store.keepings
SELECT id, purge_days, purged_to, coalesce(earliest_notice_at, 0) FROM projects ORDER BY id`

// keepings returns what each project keeps.
func (s *Store) keepings(ctx context.Context, now time.Time) (all []keeping, err error) {
	rows, err := s.Read.QueryContext(ctx, s.Text(readKeepings))
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var k keeping
		var days int64
		err := rows.Scan(&k.project, &days, &k.purged, &k.first)
		k.from = db.Micros(accounts.KeptFrom(now, days))
		all = append(all, k)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read what projects keep: %w", err)
	}
	return all, nil
}

// longestKept returns the earliest time from which any project keeps notices.
func longestKept(all []keeping) int64 {
	return slices.MinFunc(all, func(a, b keeping) int { return int(max(-1, min(1, a.from-b.from))) }).from
}

const setPurged = `-- store.setPurged
UPDATE projects SET purged_to = k.upto FROM {{rows k(id bigint, upto bigint)}} WHERE projects.id = k.id AND projects.purged_to < k.upto`

// PurgeProjects deletes what is older than its project keeps: notices with their payloads, attachments, tokens and affected users, messages, rows of reports by
// class, location and user, backtraces, and source maps. It returns the number of deleted notices. Counts of errors and projects by time are kept. If
// it is interrupted, the next call continues.
func (s *Store) PurgeProjects(ctx context.Context, o Purge) (notices int64, err error) {
	all, err := s.keepings(ctx, o.Now())
	if err != nil || len(all) == 0 {
		return 0, s.Explain(err)
	}
	if err := s.Intake.Flush(ctx); err != nil { // deleted notices must be counted first
		return 0, err
	}
	err = s.purging(ctx, purgeLease, o, func(p *purge) error {
		if err := p.attachments(ctx, all); err != nil {
			return err
		}
		notices, err = p.notices(ctx, all)
		if err != nil {
			return err
		}
		for _, part := range []func(context.Context, []keeping) error{p.names, p.messages, p.backtraces, p.sourceMaps, p.notePurged} {
			if err := part(ctx, all); err != nil {
				return err
			}
		}
		return nil
	})
	return notices, s.Explain(err)
}

func (p *purge) notePurged(ctx context.Context, all []keeping) error {
	var ids, uptos []int64
	for _, k := range all {
		if k.purged < k.from {
			ids, uptos = append(ids, k.project), append(uptos, k.from)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return p.piece(ctx, "note what was purged", func(t *tx) error { return t.Each(ctx, setPurged, ids, uptos) })
}
