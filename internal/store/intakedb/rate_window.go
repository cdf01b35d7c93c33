package intakedb

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"

	"sett/internal/store/db"
)

// RateWindow is how many requests a user has sent in their current window.
type RateWindow struct {
	Used  int64
	Reset time.Time // the end of the window
}

// take counts one more request; when the window is over, it starts another of the given length.
func (w RateWindow) take(now time.Time, length time.Duration) RateWindow {
	if !now.Before(w.Reset) {
		w = RateWindow{Reset: now.Add(length)}
	}
	w.Used++
	return w
}

// rateWindows holds the windows of an SQLite file, which one process serves. It counts in memory, and writes changes when SaveRateWindows
// is called and when the store is closed. Only a process that is killed loses what it has not written.
type rateWindows struct {
	mu      sync.Mutex
	known   map[int64]RateWindow // by user
	unsaved map[int64]bool
}

// TakeRequest counts one request of a user and returns the window that it falls in. A window has the given length, and starts with the
// first request after the previous window.
func (s *Store) TakeRequest(ctx context.Context, now time.Time, user int64, length time.Duration) (RateWindow, error) {
	if !s.db.SQLite() {
		return s.takeShared(ctx, now, user, length)
	}
	if err := s.loadRateWindow(ctx, user); err != nil {
		return RateWindow{}, err
	}
	s.rates.mu.Lock()
	defer s.rates.mu.Unlock()
	w := s.rates.known[user].take(now, length)
	s.rates.known[user], s.rates.unsaved[user] = w, true
	return w, nil
}

// takeRequest is RateWindow.take as a statement. Its commit does not wait for the disk: a crash of the server loses only the requests of
// a fraction of a second.
const takeRequest = `-- intakedb.takeRequest
INSERT INTO rate_windows (user_id, reset_at, used)
SELECT $1, $3, 1 WHERE set_config('synchronous_commit', 'off', true) = 'off'
ON CONFLICT (user_id) DO UPDATE SET
    used = CASE WHEN rate_windows.reset_at > $2 THEN rate_windows.used + 1 ELSE 1 END,
    reset_at = CASE WHEN rate_windows.reset_at > $2 THEN rate_windows.reset_at ELSE excluded.reset_at END
RETURNING used, reset_at`

// takeShared counts in the table, for all nodes. The statement is a transaction of its own: one round trip to the server.
func (s *Store) takeShared(ctx context.Context, now time.Time, user int64, length time.Duration) (w RateWindow, err error) {
	var reset int64
	row := s.db.Write.QueryRowContext(ctx, takeRequest, user, db.Micros(now), db.Micros(now.Add(length)))
	if err = row.Scan(&w.Used, &reset); err != nil {
		return w, fmt.Errorf("take request: %w", err)
	}
	w.Reset = db.FromMicros(reset)
	return w, nil
}

const rateWindow = `-- intakedb.rateWindow
SELECT used, reset_at FROM rate_windows WHERE user_id = $1`

// loadRateWindow reads the window of a user who has sent no request since the start.
func (s *Store) loadRateWindow(ctx context.Context, user int64) error {
	s.rates.mu.Lock()
	_, known := s.rates.known[user]
	s.rates.mu.Unlock()
	if known {
		return nil
	}
	var w RateWindow
	var reset int64
	err := s.db.Read.QueryRowContext(ctx, rateWindow, user).Scan(&w.Used, &reset)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("read rate window: %w", err)
	}
	w.Reset = db.FromMicros(reset)
	s.rates.mu.Lock()
	defer s.rates.mu.Unlock()
	if _, known := s.rates.known[user]; !known { // another request of the user may have been faster
		s.rates.learn(user, w)
	}
	return nil
}

func (r *rateWindows) learn(user int64, w RateWindow) {
	if r.known == nil {
		r.known, r.unsaved = map[int64]RateWindow{}, map[int64]bool{}
	}
	r.known[user] = w
}

const saveRateWindows = `-- intakedb.saverateWindows
INSERT INTO rate_windows (user_id, reset_at, used)
SELECT k.user_id, k.reset_at, k.used FROM {{rows k(user_id bigint, reset_at bigint, used bigint)}} JOIN users u ON u.id = k.user_id
WHERE true
ON CONFLICT (user_id) DO UPDATE SET reset_at = excluded.reset_at, used = excluded.used`

// SaveRateWindows writes what TakeRequest has counted in memory; if it counts in the table, there is nothing to do. Windows of deleted
// users are skipped.
func (s *Store) SaveRateWindows(ctx context.Context) error {
	users, resets, used := s.rates.takeUnsaved()
	if len(users) == 0 {
		return nil
	}
	err := s.inTx(ctx, "save rate windows", func(t Tx) error {
		t.KeepsCaches, t.Unsynced = true, true
		return t.Each(ctx, saveRateWindows, users, resets, used)
	})
	if err != nil {
		s.rates.keepUnsaved(users)
	}
	return err
}

// takeUnsaved returns the changed windows as columns, and marks them as written.
func (r *rateWindows) takeUnsaved() (users, resets, used []int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	users = db.Sorted(r.unsaved, cmp.Compare[int64])
	for _, u := range users {
		w := r.known[u]
		resets, used = append(resets, db.Micros(w.Reset)), append(used, w.Used)
	}
	clear(r.unsaved)
	return users, resets, used
}

// keepUnsaved marks windows as unwritten again.
func (r *rateWindows) keepUnsaved(users []int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, u := range users {
		r.unsaved[u] = true
	}
}
