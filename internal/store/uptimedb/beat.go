package uptimedb

import (
	"context"
	"time"

	"sett/internal/sett/checks"
	"sett/internal/store/db"
)

const lastBeatNow = `-- uptimedb.LastBeat
SELECT last_at FROM beats`

const lastBeat = `-- uptimedb.lastBeat
SELECT last_at FROM beats {{for update}}`

const moveBeat = `-- uptimedb.moveBeat
UPDATE beats SET last_at = $1`

const insertBlindWindow = `-- uptimedb.insertBlindWindow
INSERT INTO blind_windows (from_at, to_at) VALUES ($1, $2) ON CONFLICT (to_at, from_at) DO NOTHING`

// LastBeat returns the time of the last heartbeat of any server; zero: never.
func (s *Store) LastBeat(ctx context.Context) (time.Time, error) {
	var last int64
	err := s.db.Read.QueryRowContext(ctx, s.db.Text(lastBeatNow)).Scan(&last)
	return db.FromMicros(last), db.Wrap("read the last heartbeat", err)
}

// Beat records a heartbeat of this server. It returns, and records, the monitoring gap before it, if there was one: SweepCheckIns
// forgives deadlines in it. After a clock that was far ahead has been set back, it corrects the times that were recorded with it.
func (s *Store) Beat(ctx context.Context, now time.Time, b checks.Beginning) (blind checks.BlindWindow, err error) {
	err = s.inTx(ctx, "beat", func(t Tx) error {
		t.KeepsCaches = true
		var last int64
		if err := t.QueryRowContext(ctx, s.db.Text(lastBeat)).Scan(&last); err != nil {
			return err
		}
		if checks.ClockWasSetBack(db.FromMicros(last), now) {
			if err := t.setBack(ctx, now); err != nil {
				return err
			}
		}
		var next time.Time
		if next, blind = checks.Beat(db.FromMicros(last), now, b); !blind.IsZero() {
			if _, err := t.Exec(ctx, insertBlindWindow, db.Micros(blind.From), db.Micros(blind.To)); err != nil {
				return err
			}
		}
		if _, err := t.Exec(ctx, moveBeat, db.Micros(next)); err != nil {
			return err
		}
		return t.noteNodeBeat(ctx)
	})
	return blind, err
}

const noteNodeBeat = `-- uptimedb.noteNodeBeat
UPDATE nodes SET beaten_at = CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint) WHERE process = $1`

// noteNodeBeat records a heartbeat of this node, for other nodes that start.
func (t Tx) noteNodeBeat(ctx context.Context) error {
	if t.s.db.SQLite() {
		return nil
	}
	_, err := t.Exec(ctx, noteNodeBeat, t.s.db.Process)
	return err
}

// A live node holds the lock on its number. The database's clock decides whether heartbeats are recent.
const otherNodes = `-- uptimedb.OtherNodes
SELECT count(*), count(*) FILTER (WHERE n.beaten_at > (extract(epoch FROM clock_timestamp()) - 30) * 1000000)
FROM nodes n JOIN pg_locks l ON l.locktype = 'advisory' AND l.granted AND CAST(l.classid AS bigint) = $1 AND CAST(l.objid AS bigint) = n.number
    AND l.objsubid = 2 AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
WHERE n.process <> '' AND n.process <> $2`

// OtherNodes returns how many other live processes share the database, and how many of them had a heartbeat recently. On SQLite there are
// none.
func (s *Store) OtherNodes(ctx context.Context) (alive, beating int, err error) {
	if s.db.SQLite() {
		return 0, 0, nil
	}
	err = s.db.Read.QueryRowContext(db.FromPrimary(ctx), otherNodes, int64(db.LockClass), s.db.Process).Scan(&alive, &beating)
	return alive, beating, db.Wrap("look for other nodes", err)
}
