package delivery

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
	"time"

	"sett/internal/store/db"
	"sett/internal/store/status"
)

// The claims of a process are its own until the results are recorded, the lease ends, or the process is dead. On SQLite there is one
// process at a time, and all others are dead. On PostgreSQL a process without a node is dead (see node). It may only be cut off: then it
// has a moment to renew its node; if it cannot, it has to cancel what it is sending.

// deadNodes holds the dead processes that have left claims.
type deadNodes struct {
	sync.Mutex
	since map[string]time.Time // when this process first noticed that they are dead, by process
}

// HoldClaims confirms that this process is alive, so that it keeps its claims. If contested, other processes may take them: then call it
// about every second, and if it fails for some time – well below the wait of FreeClaims – cancel what is being sent.
func (s *Store) HoldClaims(ctx context.Context) (contested bool, err error) {
	if s.db.SQLite() {
		return false, nil
	}
	held, err := s.intake.HoldsClaims(ctx)
	if err != nil || held {
		return true, err
	}
	return true, s.intake.Rejoin(ctx)
}

const deadClaimers = `-- store.deadClaimers
SELECT c.claimed_by FROM (SELECT d.claimed_by FROM deliveries d WHERE d.trying UNION SELECT n.claimed_by FROM status_notices n WHERE n.trying) c
WHERE c.claimed_by NOT IN ('', $1) AND c.claimed_by NOT IN (SELECT n.process FROM nodes n)`

const freeDeliveries = `-- store.freeDeliveries
UPDATE deliveries SET due_at = k.due_at, trying = false, tries = tries - 1
FROM {{rows k(process text, due_at bigint)}} WHERE deliveries.claimed_by = k.process AND deliveries.trying AND deliveries.state = 'due'`

const freeNotices = `-- store.freeNotices
UPDATE status_notices SET due_at = k.due_at, trying = false, tries = tries - 1
FROM {{rows k(process text, due_at bigint)}} WHERE status_notices.claimed_by = k.process AND status_notices.trying`

// FreeClaims makes the claims of dead processes due again, without counting an attempt. If a process that seems dead may be alive, it
// waits first. Call it before the first claim of a process, and regularly afterwards.
func (s *Store) FreeClaims(ctx context.Context, now time.Time, wait time.Duration) error {
	dead, err := s.deadClaimers(ctx, now)
	if err != nil {
		return s.db.Explain(fmt.Errorf("look for claims of the dead: %w", err))
	}
	var names []string
	for name, since := range dead {
		if s.db.SQLite() || now.Sub(since) >= wait {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return s.inTx(ctx, "free claims", func(t Tx) error {
		t.KeepsCaches = true
		t.Wake(DeliveryDue)
		t.Wake(status.StatusPublished)
		if err := t.Each(ctx, freeDeliveries, names, db.Repeated(db.Micros(now), len(names))); err != nil {
			return err
		}
		return t.Each(ctx, freeNotices, names, db.Repeated(db.Micros(now), len(names)))
	})
}

// deadClaimers returns the dead processes that have left claims, and when each was first noticed.
func (s *Store) deadClaimers(ctx context.Context, now time.Time) (map[string]time.Time, error) {
	s.deadNodes.Lock()
	defer s.deadNodes.Unlock()
	before, dead := s.deadNodes.since, map[string]time.Time{}
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(deadClaimers), s.db.Process)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var name string
		err := rows.Scan(&name)
		if dead[name] = now; !before[name].IsZero() {
			dead[name] = before[name]
		}
		return err
	})
	if err == nil {
		s.deadNodes.since = dead
	}
	return dead, err
}
