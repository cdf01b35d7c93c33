package intakedb

import (
	"context"
	"database/sql"

	"sett/internal/sett"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
)

// missedKey identifies a count of an hour, by the kind of its rollup and by name if that kind has names.
type missedKey struct {
	kind        int
	project     int64
	environment string
	name        string
}

// missedKeys returns the counts that include a notice, except those of its fault.
func missedKeys(n *noted) []missedKey {
	w := n.owner
	keys := []missedKey{{projectRollup, w.project, w.environment, ""}, {classRollup, w.project, w.environment, n.facts.Class}}
	if n.facts.Location != "" {
		keys = append(keys, missedKey{locationRollup, w.project, w.environment, n.facts.Location})
	}
	if n.facts.User != "" {
		keys = append(keys, missedKey{userNameRollup, w.project, w.environment, n.facts.User})
	}
	return keys
}

// nodeUptos holds the position of each rollup of each node, by node and rollup.
type nodeUptos map[[2]int64]sett.NoticeID

const listUptos = `-- intakedb.listUptos
SELECT d.node, d.id, d.upto FROM digests d JOIN nodes o ON o.number = d.node`

func readUptos(ctx context.Context, q db.Querier) (nodeUptos, error) {
	uptos := nodeUptos{}
	rows, err := q.QueryContext(ctx, listUptos)
	return uptos, db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var k [2]int64
		var upto sett.NoticeID
		err := rows.Scan(&k[0], &k[1], &upto)
		uptos[k] = upto
		return err
	})
}

// left reports whether a node still has to count a notice.
func (u nodeUptos) left(id sett.NoticeID, rollup int64) bool {
	upto, ok := u[[2]int64{int64(id) % sett.MaxNodes, rollup}]
	return ok && id > upto
}

const noticesOfHour = `-- intakedb.noticesOfHour
` + notedColumns + `
WHERE n.id > $1 AND n.id <= $2 ORDER BY n.id LIMIT 2000`

// compare reads the notices and the counts of the hour in one snapshot.
func (m *missedHour) compare(ctx context.Context, q db.Querier) error {
	uptos, err := readUptos(ctx, q)
	if err != nil {
		return err
	}
	for at := sett.NoticeIDAt(m.start) - 1; at < m.end(); {
		next, err := m.readNotices(ctx, q, at, uptos)
		if err != nil {
			return err
		}
		if next == at {
			break
		}
		at = next
	}
	return m.subtract(ctx, q)
}

// readNotices reads the next notices, and returns the last of them.
func (m *missedHour) readNotices(ctx context.Context, q db.Querier, from sett.NoticeID, uptos nodeUptos) (last sett.NoticeID, err error) {
	last = from
	all, err := m.s.readNotedIn(ctx, q, noticesOfHour, int64(from), int64(m.end()))
	for i := range all {
		last = all[i].id
		m.take(&all[i], uptos)
	}
	return last, err
}

func (m *missedHour) take(n *noted, uptos nodeUptos) {
	missed := m.missed[n.id]
	if n.owner.project == 0 {
		if missed {
			m.gone = append(m.gone, int64(n.id))
		}
		return
	}
	if missed {
		m.notices = append(m.notices, *n)
	}
	for _, k := range missedKeys(n) {
		if !uptos.left(n.id, m.s.rollups.Kinds[k.kind][0].ID) {
			m.lacking[k]++
		}
	}
}

const projectsOfHour = `-- intakedb.projectsOfHour
SELECT b.project_id, b.environment, b.count FROM {{rows k(id bigint, at bigint)}}
JOIN project_buckets b ON b.width = 3600 AND b.at = k.at AND b.project_id = k.id`

const namesOfHour = `-- intakedb.namesOfHour
SELECT b.kind, b.project_id, b.environment, b.name, b.count FROM {{rows k(id bigint, at bigint, kind text)}}
JOIN named_buckets b ON b.kind = k.kind AND b.at = k.at AND b.project_id = k.id`

// subtract subtracts the existing counts, for the projects that have missed notices.
func (m *missedHour) subtract(ctx context.Context, q db.Querier) error {
	projects := map[int64]bool{}
	for i := range m.notices {
		projects[m.notices[i].owner.project] = true
	}
	kinds := map[string]int{faultdb.OfClass: classRollup, faultdb.OfLocation: locationRollup, faultdb.OfUser: userNameRollup}
	var ids, named []int64
	var names []string
	for id := range projects {
		ids = append(ids, id)
		for kind := range kinds {
			named, names = append(named, id), append(names, kind)
		}
	}
	at := m.start.Unix()
	err := m.s.db.ReadRows(ctx, q, projectsOfHour, func(rows *sql.Rows) error {
		k, n := missedKey{kind: projectRollup}, int64(0)
		err := rows.Scan(&k.project, &k.environment, &n)
		m.lacking[k] -= n
		return err
	}, ids, db.Repeated(at, len(ids)))
	if err != nil || len(ids) == 0 {
		return err
	}
	return m.s.db.ReadRows(ctx, q, namesOfHour, func(rows *sql.Rows) error {
		var kind string
		k, n := missedKey{}, int64(0)
		err := rows.Scan(&kind, &k.project, &k.environment, &k.name, &n)
		k.kind = kinds[kind]
		m.lacking[k] -= n
		return err
	}, named, db.Repeated(at, len(named)), names)
}

// write counts the missed notices and saves the position of the scan. If another node has already done so, it does nothing.
func (m *missedHour) write(ctx context.Context) error {
	sums := m.sums()
	return m.s.inTx(ctx, "count notices that were missed", func(t Tx) error {
		moved, err := t.Changed(ctx, moveMissed, int64(m.upto), int64(m.from))
		if err != nil || moved == 0 {
			return err
		}
		if err := t.fault().DeleteNotices(ctx, m.gone); err != nil {
			return err
		}
		for kind := range sums {
			if err := sums[kind].write(ctx, t); err != nil {
				return err
			}
		}
		return nil
	})
}

// sums adds up the missed notices: all of them for faults, and for every other count as many as it lacks. The two rollups of users are
// flushed together.
func (m *missedHour) sums() []sum {
	var sums []sum
	for _, k := range rollupKinds {
		sums = append(sums, k.fresh())
	}
	for i := range m.notices {
		n := &m.notices[i]
		sums[faultRollup].add(n)
		for _, k := range missedKeys(n) {
			if m.lacking[k] <= 0 {
				continue
			}
			m.lacking[k]--
			if sums[k.kind].add(n); k.kind == userNameRollup {
				sums[userRollup].add(n)
			}
		}
	}
	return sums
}
