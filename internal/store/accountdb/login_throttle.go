package accountdb

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"sett/internal/sett/signin"
	"sett/internal/store/db"
)

// TryKey is a target or a source of sign-in attempts, with the number of failures that cause no wait.
type TryKey struct {
	Hash []byte // SHA-256 of the target or source
	Free int64
	Once []byte // another key of the same attempt; once that has no free failures left, this key counts no more failures
}

const keepFailures = `-- accountdb.keepFailures
INSERT INTO login_failures (key, count, wait_until) VALUES ($1, 0, 0) ON CONFLICT (key) DO NOTHING`

const failures = `-- accountdb.failures
SELECT count, wait_until FROM login_failures WHERE key = $1 {{for update}}`

const waitOf = `-- accountdb.waitOf
SELECT wait_until FROM login_failures WHERE key = $1`

const setFailures = `-- accountdb.setFailures
UPDATE login_failures SET count = $2, wait_until = $3 WHERE key = $1`

const DropFailures = `-- accountdb.dropFailures
DELETE FROM login_failures WHERE wait_until <= $1`

// TakeTry counts a sign-in attempt as failed on all its keys, until ForgiveTry. If one of them requires a wait, nothing is counted and
// the error is TooMany.
func (s *Store) TakeTry(ctx context.Context, now time.Time, keys ...TryKey) error {
	keys = slices.Clone(keys)
	if err := s.checkWaits(ctx, now, keys); err != nil {
		return err
	}
	slices.SortFunc(keys, func(a, b TryKey) int { return bytes.Compare(a.Hash, b.Hash) }) // so that no transactions deadlock
	return s.inTx(ctx, "count sign-in attempt", func(t Tx) error {
		t.KeepsCaches = true
		if _, err := t.Exec(ctx, DropFailures, db.Micros(now.Add(-signin.FailureMemory))); err != nil {
			return err
		}
		counted := map[string]signin.Failures{}
		for _, k := range keys {
			f, err := t.takeTry(ctx, now, k)
			if err != nil {
				return err
			}
			counted[string(k.Hash)] = f
		}
		return t.writeTries(ctx, keys, counted)
	})
}

// writeTries stores the failures of all keys except those that count no more.
func (t Tx) writeTries(ctx context.Context, keys []TryKey, counted map[string]signin.Failures) error {
	free := map[string]int64{}
	for _, k := range keys {
		free[string(k.Hash)] = k.Free
	}
	for _, k := range keys {
		if k.Once != nil && counted[string(k.Once)].Count > free[string(k.Once)] {
			continue
		}
		f := counted[string(k.Hash)]
		if _, err := t.Exec(ctx, setFailures, k.Hash, f.Count, db.Micros(f.Until)); err != nil {
			return err
		}
	}
	return nil
}

// checkWaits rejects an attempt that has to wait, without a write transaction: repeated attempts must not block writers.
func (s *Store) checkWaits(ctx context.Context, now time.Time, keys []TryKey) error {
	for _, k := range keys {
		var until int64
		err := s.db.Read.QueryRowContext(ctx, s.db.Text(waitOf), k.Hash).Scan(&until)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return fmt.Errorf("read failed sign-ins: %w", err)
		}
		if wait := db.FromMicros(until).Sub(now); wait > 0 {
			return signin.TooManyTries(wait)
		}
	}
	return nil
}

// takeTry returns the failures of a key plus one, and locks the key.
func (t Tx) takeTry(ctx context.Context, now time.Time, k TryKey) (f signin.Failures, err error) {
	if _, err := t.Exec(ctx, keepFailures, k.Hash); err != nil { // ensures that there is a row to lock
		return f, err
	}
	var until int64
	if err := t.QueryRowContext(ctx, t.s.db.Text(failures), k.Hash).Scan(&f.Count, &until); err != nil {
		return f, err
	}
	f.Until = db.FromMicros(until)
	f, wait := f.Try(now, k.Free)
	if wait > 0 {
		return f, signin.TooManyTries(wait)
	}
	return f, nil
}

const clearFailures = `-- accountdb.clearFailures
DELETE FROM login_failures WHERE key = $1`

const forgiveOne = `-- accountdb.forgiveOne
UPDATE login_failures SET count = count - 1, wait_until = $2 WHERE key = $1 AND count > 0`

// PassedTry is a successful attempt, with the keys on which it was counted.
type PassedTry struct {
	Account    []byte   // all failures are forgotten
	Others     [][]byte // only this attempt is forgotten
	Known      []byte   // the key of the network, which is known from now on
	KnownUntil time.Time
}

const keepKnown = `-- accountdb.keepKnown
INSERT INTO login_failures (key, count, wait_until) VALUES ($1, 0, $2) ON CONFLICT (key) DO UPDATE SET wait_until = excluded.wait_until`

// ForgiveTry undoes the counting of TakeTry for a successful attempt.
func (s *Store) ForgiveTry(ctx context.Context, now time.Time, passed PassedTry) error {
	others := slices.SortedFunc(slices.Values(passed.Others), bytes.Compare) // so that no transactions deadlock
	return s.inTx(ctx, "forgive sign-in attempt", func(t Tx) error {
		t.KeepsCaches = true
		if _, err := t.Exec(ctx, clearFailures, passed.Account); err != nil {
			return err
		}
		for _, key := range others {
			if _, err := t.Exec(ctx, forgiveOne, key, db.Micros(now)); err != nil {
				return err
			}
		}
		if passed.Known == nil {
			return nil
		}
		_, err := t.Exec(ctx, keepKnown, passed.Known, db.Micros(passed.KnownUntil))
		return err
	})
}

const knowsNetwork = `-- accountdb.KnowsNetwork
SELECT EXISTS (SELECT 1 FROM login_failures WHERE key = $1 AND wait_until > $2)`

// KnowsNetwork reports whether ForgiveTry has recorded a network as known.
func (s *Store) KnowsNetwork(ctx context.Context, now time.Time, key []byte) (known bool, err error) {
	err = s.db.Read.QueryRowContext(ctx, s.db.Text(knowsNetwork), key, db.Micros(now)).Scan(&known)
	return known, db.Wrap("look for known network", err)
}

const forgetTries = `-- accountdb.ForgetTries
DELETE FROM login_failures WHERE substr(key, 1, 16) = $1 OR key = $2`

// ForgetTries deletes the failures under all keys with a prefix of 16 bytes, and under one more key.
func (s *Store) ForgetTries(ctx context.Context, prefix, key []byte) error {
	return s.inTx(ctx, "forget sign-in attempts", func(t Tx) error {
		t.KeepsCaches = true
		_, err := t.Exec(ctx, forgetTries, prefix, key)
		return err
	})
}

// TakeBegin counts the start of a sign-in under a key, the SHA-256 of its source; it is never undone. If a wait is required, nothing is
// counted and the error is TooMany, without a write transaction.
func (s *Store) TakeBegin(ctx context.Context, now time.Time, key []byte) error {
	if err := takeBegin(s.db.Read.QueryRowContext(ctx, s.db.Text(begunSoFar), key), now, new(signin.Begun)); err != nil {
		return err
	}
	return s.inTx(ctx, "count started sign-in", func(t Tx) error {
		t.KeepsCaches = true
		if _, err := t.Exec(ctx, DropFailures, db.Micros(now.Add(-signin.FailureMemory))); err != nil {
			return err
		}
		if _, err := t.Exec(ctx, keepFailures, key); err != nil { // ensures that there is a row to lock
			return err
		}
		var b signin.Begun
		if err := takeBegin(t.QueryRowContext(ctx, s.db.Text(failures), key), now, &b); err != nil {
			return err
		}
		_, err := t.Exec(ctx, setFailures, key, b.Count, db.Micros(b.Until))
		return err
	})
}

const begunSoFar = `-- accountdb.begunSoFar
SELECT count, wait_until FROM login_failures WHERE key = $1`

// takeBegin reads the count of started sign-ins and adds one.
func takeBegin(row *sql.Row, now time.Time, b *signin.Begun) error {
	var until int64
	if err := row.Scan(&b.Count, &until); err != nil && !errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("read started sign-ins: %w", err)
	}
	b.Until = db.FromMicros(until)
	next, wait := b.Begin(now)
	if wait > 0 {
		return signin.TooManyTries(wait)
	}
	*b = next
	return nil
}
