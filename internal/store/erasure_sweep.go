package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"sett/internal/sett"
	"sett/internal/store/block"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
	"sett/internal/store/rollupdb"
)

// erasureLease is the name of the lease of the node that erases.
const erasureLease = "erasures"

// A round of an erasure leaves out notices that their node has not counted yet, and those of a block that was rewritten meanwhile. It is
// repeated so many times, with a pause in which other nodes count.
const (
	erasureRounds = 20
	erasurePause  = 150 * time.Millisecond
)

// erasing is an erasure that is not finished.
type erasing struct {
	id, project, before, deleted int64
	text                         string
	value                        *block.Value
}

const openErasures = `-- store.openErasures
SELECT id, project_id, subject, before_id, deleted_at FROM erasures WHERE finished_at = 0 ORDER BY id LIMIT 100`

// SweepErasures continues all erasures, in small pieces: it deletes their notices, then what is counted by the name of the user, and then
// rewrites the blocks that contained the notices. If it is interrupted, or has to wait for another node, the next call continues. Of
// several nodes only one does it at a time, but each has to call it: it counts the notices that this node has stored.
func (s *Store) SweepErasures(ctx context.Context, o Purge) error {
	open, err := s.openErasures(ctx)
	if err != nil || len(open) == 0 {
		return s.Explain(err)
	}
	if err := s.Intake.Settle(ctx); err != nil { // deleted notices must be counted first
		return err
	}
	err = s.purging(ctx, erasureLease, o, func(p *purge) error {
		var failed []error // one that meets damaged notices does not stop the others
		for _, e := range open {
			if e.deleted > 0 {
				continue
			}
			err := p.erase(ctx, e)
			if errors.Is(err, errNotOurs) || ctx.Err() != nil {
				return err
			}
			failed = append(failed, db.Wrap(fmt.Sprintf("erasure %d", e.id), err))
		}
		return errors.Join(failed...)
	})
	if ctx.Err() != nil {
		return s.Explain(err)
	}
	return s.Explain(errors.Join(err, s.finishErasures(ctx, o)))
}

// openErasures returns the erasures that are not finished.
func (s *Store) openErasures(ctx context.Context) (open []*erasing, err error) {
	rows, err := s.Read.QueryContext(ctx, s.Text(openErasures))
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		e := &erasing{}
		err := rows.Scan(&e.id, &e.project, &e.text, &e.before, &e.deleted)
		open = append(open, e)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("find erasures: %w", err)
	}
	for _, e := range open {
		if e.text, err = s.Reveal(sealedErased, e.text, e.id); err != nil {
			return nil, err
		}
	}
	return open, nil
}

const noteErased = `-- store.noteErased
UPDATE erasures SET deleted_at = $2, subject = '', remaining = 0 WHERE id = $1`

// erase deletes everything about the user, as far as all nodes have counted it.
func (p *purge) erase(ctx context.Context, e *erasing) (err error) {
	for round := range erasureRounds {
		if round > 0 {
			if err := errors.Join(p.Rest(ctx, erasurePause), p.Intake.Settle(ctx)); err != nil {
				return err
			}
		}
		whole, err := p.eraseRound(ctx, e)
		if sett.CodeOf(err) == sett.NotFound {
			return nil // the project is deleted
		}
		if err != nil {
			return err
		}
		if !whole {
			continue
		}
		if err := errors.Join(p.eraseUsers(ctx, e), p.eraseReports(ctx, e), p.eraseMessages(ctx, e), p.eraseInsights(ctx, e)); err != nil {
			return err
		}
		return p.inTx(ctx, "note erased notices", func(t *tx) error { // synced, and with it all pieces
			t.Wake(ErasuresChanged)
			_, err := t.Exec(ctx, noteErased, e.id, db.Micros(p.Now()))
			return err
		})
	}
	return nil
}

const noteFound = `-- store.noteFound
UPDATE erasures SET remaining = $2, faults = CASE WHEN faults < $3 THEN $3 ELSE faults END WHERE id = $1`

// eraseRound searches the notices of the user and deletes them. whole is false if it had to leave some out.
func (p *purge) eraseRound(ctx context.Context, e *erasing) (whole bool, err error) {
	found := newErased()
	search, err := p.erasedNotices(ctx, e.project, e.text, found)
	if err != nil {
		return false, err
	}
	e.value, search.Before, search.Rest = search.Value, e.before, p.renewing(ctx)
	whole, err = p.Blocks.FindExact(ctx, search)
	if errors.Is(err, errManyErased) {
		whole, err = false, nil
	}
	if err != nil {
		return false, err
	}
	ids := db.Sorted(found.faults, cmp.Compare)
	faults, err := p.countErased(ctx, e.project, found)
	if err != nil || len(ids) == 0 {
		return whole, err
	}
	err = p.piece(ctx, "note found notices", func(t *tx) error {
		_, err := t.Exec(ctx, noteFound, e.id, len(ids), faults)
		return err
	})
	p.size = leastInPiece
	for len(ids) > 0 && err == nil {
		some := ids[:min(int64(len(ids)), p.size)]
		ids = ids[len(some):]
		var left int64
		err = p.piece(ctx, "erase notices", func(t *tx) (err error) {
			left, err = t.eraseNotices(ctx, e, some)
			return err
		})
		whole = whole && left == 0
	}
	return whole, err
}

// renewEvery is how often the lease is renewed while nothing is written.
const renewEvery = purgeLeaseLife / 8

// renewing returns a function that renews the lease from time to time.
func (p *purge) renewing(ctx context.Context) func() error {
	last := p.Now()
	return func() error {
		if p.Now().Sub(last) < renewEvery {
			return ctx.Err()
		}
		last = p.Now()
		return p.piece(ctx, "renew lease of erasures", func(*tx) error { return nil })
	}
}

const noticesLeft = `-- store.noticesLeft
SELECT n.id FROM {{rows k(id bigint)}} JOIN notices n ON n.id = k.id`

const addErased = `-- store.addErased
UPDATE erasures SET notices = notices + $2, remaining = CASE WHEN remaining < $2 THEN 0 ELSE remaining - $2 END WHERE id = $1`

// eraseNotices deletes notices with everything that only exists because of them, and returns how many it had to leave.
func (t *tx) eraseNotices(ctx context.Context, e *erasing, ids []int64) (left int64, err error) {
	rows := &purged{gone: block.Gone{}}
	byHour := map[int64]block.Gone{} // so that the user of a payload can be taken from the count of its hour
	scan := func(r *sql.Rows) error {
		var id, fault, bundle, slot int64
		var token []byte
		if err := r.Scan(&id, &fault, &token, &bundle, &slot); err != nil {
			return err
		}
		rows.ids, rows.faults = append(rows.ids, id), append(rows.faults, fault)
		if token != nil {
			rows.tokens, rows.tokenIDs = append(rows.tokens, token), append(rows.tokenIDs, id)
		}
		hour := hourOf(id)
		if byHour[hour] == nil {
			byHour[hour] = block.Gone{}
		}
		byHour[hour].Add(id, fault, bundle, slot)
		return nil
	}
	if err := t.EachRow(ctx, purgeNotices, scan, ids); err != nil {
		return 0, fmt.Errorf("delete notices: %w", err)
	}
	if err := t.forgetSaid(ctx, e.project, rows.ids, rows.faults); err != nil {
		return 0, err
	}
	environments, err := t.environmentsOf(ctx, rows.faults)
	if err != nil {
		return 0, err
	}
	users, counts := rollupdb.Users{}, userCounts{}
	for _, hour := range db.Sorted(byHour, cmp.Compare) {
		err := t.block.Remove(ctx, byHour[hour], func(of int64, user string) {
			if users.Add(of, user); user != "" {
				counts[userHour{hour, environments[of], user}]++
			}
		})
		if err != nil {
			return 0, err
		}
	}
	n, err := t.dropPurged(ctx, rows, users)
	if err != nil {
		return 0, err
	}
	if err := counts.lower(ctx, t, e.project); err != nil {
		return 0, err
	}
	if _, err := t.Exec(ctx, addErased, e.id, n); err != nil {
		return 0, fmt.Errorf("count erased notices: %w", err)
	}
	err = t.EachRow(ctx, noticesLeft, func(*sql.Rows) error { left++; return nil }, ids)
	return left, db.Wrap("find notices that are left", err)
}

// hourOf returns the hour in which a notice is counted, in seconds.
func hourOf(id int64) int64 { return sett.NoticeID(id).Time().Unix() / faultdb.Hour * faultdb.Hour }

const environmentsOf = `-- store.environmentsOf
SELECT k.id, coalesce(f.environment, m.environment, '') FROM {{rows k(id bigint)}} LEFT JOIN faults f ON f.id = k.id LEFT JOIN merged_faults m ON m.id = k.id`

// environmentsOf returns the environments of faults and of merged faults, by their ids.
func (t *tx) environmentsOf(ctx context.Context, faults []int64) (environments map[int64]string, err error) {
	environments = map[int64]string{}
	ids := slices.Compact(slices.Sorted(slices.Values(faults)))
	err = t.EachRow(ctx, environmentsOf, func(rows *sql.Rows) error {
		var id int64
		var name string
		err := rows.Scan(&id, &name)
		environments[id] = name
		return err
	}, ids)
	return environments, db.Wrap("find environments of faults", err)
}

const sweepRewritten = `-- store.erasedBlocks
SELECT count(*) FROM blocks WHERE project_id = $1 AND rewrites`

const noteFinished = `-- store.noteFinished
UPDATE erasures SET finished_at = $2 WHERE id = $1`

// finishErasures removes deleted notices from blocks, and on SQLite the pages from the file that contained them.
func (s *Store) finishErasures(ctx context.Context, o Purge) error {
	open, err := s.openErasures(ctx)
	if err != nil {
		return err
	}
	open = slices.DeleteFunc(open, func(e *erasing) bool { return e.deleted == 0 })
	if len(open) == 0 {
		return nil
	}
	_, problem := s.RewriteBlocks(ctx, o) // what it could not rewrite is seen below
	_, failed := s.DeleteObjects(ctx, o)
	problem = errors.Join(problem, failed)
	if ctx.Err() != nil {
		return problem
	}
	err = s.purging(ctx, erasureLease, o, func(p *purge) error {
		vacuumed := false
		for _, e := range open {
			var left int64
			if err := p.Read.QueryRowContext(ctx, p.Text(sweepRewritten), e.project).Scan(&left); err != nil {
				return fmt.Errorf("look for deleted notices in blocks: %w", err)
			}
			objects, err := p.Blocks.ObjectsLeft(ctx, e.project, db.FromMicros(e.deleted))
			if err != nil {
				return err
			}
			if left > 0 || objects > 0 {
				continue
			}
			if !vacuumed {
				if err := p.returnAll(ctx); err != nil {
					return err
				}
				vacuumed = true
			}
			if err := p.eraseMessages(ctx, e); err != nil { // those that were being composed when the notices were deleted
				return err
			}
			err = p.piece(ctx, "note a finished erasure", func(t *tx) error {
				t.Wake(ErasuresChanged)
				_, err := t.Exec(ctx, noteFinished, e.id, db.Micros(p.Now()))
				return err
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	return errors.Join(problem, err)
}

// returnAll shortens an SQLite file by all of its free pages, which may contain what was deleted.
func (p *purge) returnAll(ctx context.Context) error {
	if !p.SQLite() {
		return nil
	}
	free, err := p.FreePages(ctx)
	p.size = leastInPiece
	for free > 0 && err == nil {
		some := min(free, p.size)
		free -= some
		err = p.piece(ctx, "return space", func(t *tx) error { return t.Vacuum(ctx, some) })
	}
	return err
}
