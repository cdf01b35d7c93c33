package intakedb

import (
	"context"
	"errors"
	"sync"
	"time"

	"sett/internal/store/db"
)

const tryNotice = `-- intakedb.tryNotice
INSERT INTO notices (id, fault_id, backtrace_id, bundle_id, slot, facets) VALUES ($1, 0, 0, 0, 0, '')`

const untryNotice = `-- intakedb.untryNotice
DELETE FROM notices WHERE id = $1`

// TryWrite returns an error if nothing can be stored. It inserts and deletes a row where notices are written, in one transaction that is
// synced to disk.
func (s *Store) TryWrite(ctx context.Context, now time.Time) error {
	if err := s.damage.lately(time.Now()); err != nil {
		return err
	}
	return s.inIntakeTx(ctx, "try to write", func(t Tx) error {
		t.KeepsCaches = true
		num, _ := s.node.Current()
		id := int64(s.node.NextID(now, num))
		if _, err := t.Exec(ctx, tryNotice, id); err != nil {
			return err
		}
		_, err := t.Exec(ctx, untryNotice, id)
		return err
	})
}

// damage is the last damage that storing notices met: a part of the database that nothing else reads may be damaged.
type damage struct {
	mu  sync.Mutex
	err error
	at  time.Time
}

// damageLasts is how long it counts if no notice was stored since.
const damageLasts = 30 * time.Second

// note records the result of storing notices.
func (d *damage) note(now time.Time, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case err == nil:
		d.err = nil
	case errors.Is(err, db.ErrDamaged):
		d.err, d.at = err, now
	}
}

func (d *damage) lately(now time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if now.Sub(d.at) > damageLasts {
		return nil
	}
	return d.err
}
