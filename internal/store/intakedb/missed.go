package intakedb

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"sett/internal/sett"
	"sett/internal/store/db"
)

// Earlier versions left notices uncounted on PostgreSQL: their nodes assigned ids that table digests considered counted. A one-time scan
// finds these notices, hour by hour, once no node of such a version is left; table missed_notices holds its position.
//
// A notice that is not in the list of its fault was missed by the counts of the fault. The other counts may include it all the same,
// because each was flushed separately. So the counts of its hour are compared with the notices of that hour.

const beginMissed = `-- intakedb.beginMissed
INSERT INTO missed_notices (id, looked_at, upto) SELECT 0, 0, coalesce((SELECT max(id) FROM notices), 0)
WHERE NOT EXISTS (SELECT 1 FROM nodes WHERE NOT sound) ON CONFLICT (id) DO NOTHING`

const readMissed = `-- intakedb.readMissed
SELECT looked_at, upto FROM missed_notices WHERE id = 0`

const moveMissed = `-- intakedb.moveMissed
UPDATE missed_notices SET looked_at = $1 WHERE id = 0 AND looked_at = $2`

// MissedStep is the result of CountMissed.
type MissedStep struct {
	Looked  int  // notices checked
	Counted int  // of these, the notices that were counted now
	Done    bool // nothing is left to check
}

// CountMissed checks the next hour of notices, and counts those that earlier versions missed. On SQLite there are none.
func (s *Store) CountMissed(ctx context.Context) (step MissedStep, err error) {
	if s.db.SQLite() {
		return MissedStep{Done: true}, nil
	}
	var from, upto sett.NoticeID
	err = s.db.Read.QueryRowContext(ctx, readMissed).Scan(&from, &upto)
	if errors.Is(err, sql.ErrNoRows) {
		return step, s.inTx(ctx, "begin to look for uncounted notices", func(t Tx) error {
			t.KeepsCaches = true
			_, err := t.Exec(ctx, beginMissed)
			return err
		})
	}
	if err != nil || from >= upto {
		return MissedStep{Done: err == nil}, s.db.Explain(db.Wrap("look for uncounted notices", err))
	}
	m := missedHour{s: s, from: from, upto: upto, missed: map[sett.NoticeID]bool{}, lacking: map[missedKey]int64{}}
	if err := m.look(ctx); err != nil {
		return step, s.db.Explain(db.Wrap("look for uncounted notices", err))
	}
	step.Looked, step.Counted = m.looked, len(m.notices)
	return step, m.write(ctx)
}

// missedHour covers the notices after from that lie in the same hour as the first of them.
type missedHour struct {
	s          *Store
	from, upto sett.NoticeID // the last of the hour, or of the whole scan
	start      time.Time     // of the hour
	looked     int
	missed     map[sett.NoticeID]bool // those that their faults do not list
	notices    []noted                // the same
	gone       []int64                // of those, the notices of deleted faults
	lacking    map[missedKey]int64    // how many notices of the hour are missing in each count
}

const firstAfter = `-- intakedb.firstAfter
SELECT coalesce(min(id), 0) FROM notices WHERE id > $1 AND id <= $2`

// missedBatch is how many notices are compared with the lists of their faults in one query.
const missedBatch = 10_000

const listMissed = `-- intakedb.listMissed
WITH part AS (SELECT id, fault_id FROM notices WHERE id > $1 AND id <= $2 ORDER BY id LIMIT $3)
SELECT p.id, 0 FROM part p WHERE NOT EXISTS (SELECT 1 FROM fault_notices x WHERE x.fault_id = p.fault_id AND x.id = p.id)
    AND NOT EXISTS (SELECT 1 FROM nodes o JOIN digests d ON d.node = o.number WHERE o.number = p.id % $4 AND d.id = $5 AND p.id > d.upto)
UNION ALL SELECT max(id), count(*) FROM part HAVING count(*) > 0`

// look finds the notices of the hour that were missed, and how many of them each count lacks.
func (m *missedHour) look(ctx context.Context) error {
	var first sett.NoticeID
	if err := m.s.db.Read.QueryRowContext(ctx, firstAfter, int64(m.from), int64(m.upto)).Scan(&first); err != nil || first == 0 {
		return err
	}
	m.start = first.Time().Truncate(time.Hour)
	m.upto = min(m.upto, m.end())
	for at := first - 1; at < m.upto; {
		next, err := m.list(ctx, at)
		if err != nil {
			return err
		}
		if next == at {
			break
		}
		at = next
	}
	if len(m.missed) == 0 {
		return nil
	}
	return m.s.db.Snapshot(ctx, "compare counts of an hour", func(q db.Querier) error { return m.compare(ctx, q) })
}

// end returns the last id of the hour.
func (m *missedHour) end() sett.NoticeID { return sett.NoticeIDAt(m.start.Add(time.Hour)) - 1 }

// list checks the next notices, and returns the last of them.
func (m *missedHour) list(ctx context.Context, from sett.NoticeID) (last sett.NoticeID, err error) {
	last = from
	rows, err := m.s.db.Read.QueryContext(ctx, listMissed, int64(from), int64(m.upto), missedBatch,
		int64(sett.MaxNodes), m.s.rollups.Kinds[faultRollup][0].ID)
	return last, db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var id sett.NoticeID
		var n int
		err := rows.Scan(&id, &n)
		if n > 0 {
			last = id
			m.looked += n
		} else {
			m.missed[id] = true
		}
		return err
	})
}
