package spool

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"

	"sett/internal/store/db"
)

// Entries leave the spool from its beginning: pings before all others, because a job whose ping waits behind many notices would be reported as
// missing. To delete rows, SQLite needs room on the disk, which a spool that has filled the disk does not leave. Then the rows stay, this process
// passes over them, and the file is deleted with all of them when none is left: that needs no room. A process that starts before that passes
// them on again, and the database stores nothing twice.

// passed holds the last ids that were dropped: of pings, and of all others.
type passed struct{ pings, others int64 }

// last is the one of pings, or of the others.
func (p *passed) last(kind Kind) *int64 {
	if kind == Ping {
		return &p.pings
	}
	return &p.others
}

func (s *Spool) passed() passed {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.done
}

const firstOthers = `SELECT id, kind, at, body FROM entries WHERE kind <> 2 AND id > $1 ORDER BY id LIMIT $2`

const firstPings = `SELECT id, kind, at, body FROM entries WHERE kind = 2 AND id > $1 ORDER BY id LIMIT $2`

// mostAtOnce is how many bytes of entries First returns, if there are more; the first entry may be larger.
const mostAtOnce = 8 << 20

// First returns up to n entries, oldest first: pings while there are any, or else the others.
func (s *Spool) First(ctx context.Context, n int) (entries []Entry, err error) {
	if s.Size().Entries == 0 {
		return nil, nil
	}
	done := s.passed()
	statement, after := firstOthers, done.others
	if s.Share(Ping) > 0 {
		statement, after = firstPings, done.pings
	}
	s.using.RLock()
	defer s.using.RUnlock()
	rows, err := s.db.QueryContext(ctx, statement, after, n)
	bytes := 0
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		if bytes > mostAtOnce {
			return nil
		}
		var e Entry
		var at int64
		err := rows.Scan(&e.ID, &e.Kind, &at, &e.Body)
		e.At, bytes = db.FromMicros(at), bytes+len(e.Body)
		entries = append(entries, e)
		return err
	})
	return entries, db.Wrap("read spool", err)
}

const dropOthers = `DELETE FROM entries WHERE id IN (SELECT id FROM entries WHERE kind <> 2 AND id <= $1 ORDER BY id LIMIT $2)`

const dropPings = `DELETE FROM entries WHERE id IN (SELECT id FROM entries WHERE kind = 2 AND id <= $1 ORDER BY id LIMIT $2)`

// Drop removes the first entries, as First returned them, all of one kind.
func (s *Spool) Drop(ctx context.Context, first []Entry) error {
	if len(first) == 0 {
		return nil
	}
	done := s.passed()
	last := first[len(first)-1]
	*done.last(last.Kind) = last.ID
	err := s.inTx(ctx, func(t *sql.Tx) error { return done.drop(ctx, t, 2*len(first)) }) // also some that were passed over
	if isFull(err) {
		s.note(err)
	} else if err != nil {
		return fmt.Errorf("drop entries of spool: %w", err)
	}
	s.dropped(first, done)
	if s.Size().Entries == 0 {
		return s.shrink(ctx)
	}
	return s.readOldest(ctx)
}

// drop deletes what was passed, up to so many entries of each kind.
func (p passed) drop(ctx context.Context, t *sql.Tx, most int) error {
	_, others := t.ExecContext(ctx, dropOthers, p.others, most)
	_, pings := t.ExecContext(ctx, dropPings, p.pings, most)
	return errors.Join(others, pings)
}

// dropped counts entries that were dropped.
func (s *Spool) dropped(first []Entry, done passed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done = done
	s.add(first, -1)
	s.full = false
}

const oldestEntry = `SELECT coalesce(min(at), 0) FROM (
    SELECT at FROM (SELECT at FROM entries WHERE kind <> 2 AND id > $1 ORDER BY id LIMIT 1)
    UNION ALL SELECT at FROM (SELECT at FROM entries WHERE kind = 2 AND id > $2 ORDER BY id LIMIT 1))`

func (s *Spool) readOldest(ctx context.Context) error {
	done := s.passed()
	s.using.RLock()
	defer s.using.RUnlock()
	var oldest int64
	if err := s.db.QueryRowContext(ctx, oldestEntry, done.others, done.pings).Scan(&oldest); err != nil {
		return fmt.Errorf("find oldest entry of spool: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if oldest > 0 && s.size.Entries > 0 {
		s.size.Oldest = db.FromMicros(oldest)
	}
	return nil
}

const anyEntry = `SELECT EXISTS (SELECT 1 FROM entries)`

// shrink gives the room of an empty spool back to the disk, so that the size of its files says whether it holds anything.
func (s *Spool) shrink(ctx context.Context) error {
	s.using.Lock()
	defer s.using.Unlock()
	if s.Size().Entries > 0 { // one came meanwhile
		return nil
	}
	var rest bool
	err := s.db.QueryRowContext(ctx, anyEntry).Scan(&rest)
	if err == nil && !rest {
		_, err = s.db.ExecContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`)
	}
	if rest || isFull(err) {
		err = s.replace(ctx)
	}
	return db.Wrap("shrink spool", err)
}

// replace begins with a new file. The caller has locked s.using.
func (s *Spool) replace(ctx context.Context) error {
	if _, err := s.readKeys(ctx); err != nil && !isFull(err) {
		return err
	}
	s.mu.Lock()
	s.begun = false // until there is a new file, nothing is taken
	s.mu.Unlock()
	err := s.db.Close()
	for _, ending := range []string{"", "-wal", "-shm"} { // without the first, SQLite takes nothing from the others
		if gone := os.Remove(s.file + ending); !errors.Is(gone, os.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}
	err = errors.Join(err, s.open(ctx))
	s.note(err)
	return err
}
