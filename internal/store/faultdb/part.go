package faultdb

import (
	"context"
	"database/sql"
	"fmt"

	"sett/internal/sett"
	"sett/internal/sett/triage"
	"sett/internal/store/db"
)

const partsOfFault = `-- faultdb.partsOf
SELECT id FROM merged_faults WHERE into_id = $1 ORDER BY id`

// PartsOf returns the ids under which the notices of a fault are stored: its own first, then those of the faults that were merged into
// it.
func (s *Store) PartsOf(ctx context.Context, q db.Querier, faultID int64) ([]int64, error) {
	merged, err := s.db.ListIDs(ctx, q, partsOfFault, faultID)
	if err != nil {
		return nil, fmt.Errorf("find parts of fault: %w", err)
	}
	return append([]int64{faultID}, merged...), nil
}

const partsOfFaults = `-- faultdb.withParts
SELECT id, into_id FROM merged_faults WHERE into_id IN `

// partOwners maps the ids under which notices are stored to their faults.
type partOwners map[int64]int64

// withParts returns the ids under which the notices of some faults are stored, and the fault of each.
func (s *Store) withParts(ctx context.Context, q db.Querier, faults []int64) (all []int64, of partOwners, err error) {
	all, of = append(all, faults...), partOwners{}
	for _, id := range faults {
		of[id] = id
	}
	list, args := db.In(s.db, 1, faults)
	rows, err := q.QueryContext(ctx, s.db.Text(partsOfFaults+list), args...)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var id, into int64
		err := rows.Scan(&id, &into)
		all, of[id] = append(all, id), into
		return err
	})
	return all, of, db.Wrap("find parts of faults", err)
}

const mergedInto = `-- faultdb.MergedInto
SELECT into_id FROM merged_faults WHERE project_id = $1 AND id = $2`

// MergedInto returns the fault that a fault of the project was merged into. The error is NotFound if it was not merged.
func (s *Store) MergedInto(ctx context.Context, projectID, faultID int64) (into int64, err error) {
	err = s.db.Read.QueryRowContext(ctx, s.db.Text(mergedInto), projectID, faultID).Scan(&into)
	return into, db.NotFound(err, "Fault", "find merged fault")
}

const listParts = `-- faultdb.ListParts
SELECT m.id, m.class, m.component, m.action, m.message, m.grouping_inputs, m.key, m.notices_count, m.last_notice_at, m.merged_at, u.id, u.email, u.name
FROM merged_faults m LEFT JOIN users u ON u.id = m.merged_by WHERE m.into_id = $1 ORDER BY m.merged_at, m.id`

const ownPart = `-- faultdb.ownPart
SELECT f.id, f.class, f.component, f.action, f.message, f.grouping_inputs, f.key,
    c.notices_count - (SELECT coalesce(CAST(sum(m.notices_count) AS bigint), 0) FROM merged_faults m WHERE m.into_id = f.id),
    c.last_notice_at, 0, CAST(NULL AS bigint), CAST(NULL AS text), CAST(NULL AS text)
FROM faults f JOIN fault_counts c ON c.fault_id = f.id WHERE f.project_id = $1 AND f.id = $2`

// ListParts returns the fingerprints of a fault: its own first, then those of the faults that were merged into it, earliest first. The
// error is NotFound if the project has no such fault.
func (s *Store) ListParts(ctx context.Context, projectID, faultID int64) (found []triage.FaultPart, err error) {
	err = s.db.Snapshot(ctx, "list parts of fault", func(q db.Querier) error {
		found, err = s.listParts(ctx, q, projectID, faultID)
		return err
	})
	return found, err
}

func (s *Store) listParts(ctx context.Context, q db.Querier, projectID, faultID int64) (found []triage.FaultPart, err error) {
	own, err := scanPart(q.QueryRowContext(ctx, s.db.Text(ownPart), projectID, faultID))
	if err != nil {
		return nil, db.NotFound(err, "Fault", "find fault of parts")
	}
	found = append(found, own)
	rows, err := q.QueryContext(ctx, s.db.Text(listParts), faultID)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		p, err := scanPart(rows)
		found = append(found, p)
		return err
	})
	if err == nil {
		err = s.addKeys(ctx, q, faultID, found)
	}
	if err != nil || len(found) == 1 {
		return found, err
	}
	last, err := s.lastOfPart(ctx, q, faultID)
	found[0].LastNoticeAt = db.FromMicros(last)
	return found, err
}

const keysOfParts = `-- faultdb.keysOfParts
SELECT y.part_id, y.key, y.inputs, y.why, y.created_at FROM fault_keys y WHERE y.fault_id = $1 AND y.why <> '' ORDER BY y.created_at, y.key`

// addKeys adds to the parts of a fault the keys by which they went on.
func (s *Store) addKeys(ctx context.Context, q db.Querier, faultID int64, parts []triage.FaultPart) error {
	rows, err := q.QueryContext(ctx, s.db.Text(keysOfParts), faultID)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var part, at int64
		var k triage.KeyOfPart
		err := rows.Scan(&part, &k.Key, &k.Grouping, &k.Why, &at)
		k.At = db.FromMicros(at)
		for i := range parts {
			if p := &parts[i]; p.ID == part && len(p.GoneOn) < triage.MostKeysOfPart {
				p.GoneOn = append(p.GoneOn, k)
			}
		}
		return err
	})
	return db.Wrap("find keys of fault", err)
}

func scanPart(row db.Row) (p triage.FaultPart, err error) {
	var last, merged int64
	var by sql.NullInt64
	var email, name sql.NullString
	err = row.Scan(&p.ID, &p.Class, &p.Component, &p.Action, &p.Message, &p.Grouping, &p.Key, &p.NoticesCount, &last, &merged, &by, &email, &name)
	p.LastNoticeAt, p.MergedAt = db.FromMicros(last), db.FromMicros(merged)
	if by.Valid {
		p.MergedBy = &sett.Person{ID: by.Int64, Email: email.String, Name: name.String}
	}
	return p, err
}

// lastOfPart finds the time of the last notice that is counted under an id. A fault stores only the last notice of all its parts. If the
// notices are deleted, it is the day of the last one; if there never was any, the time of creation.
const lastOfPart = `-- faultdb.lastOfPart
SELECT coalesce((SELECT max(n.id) FROM fault_notices n WHERE n.fault_id = $1) / $2,
    (SELECT max(b.at) FROM fault_buckets b WHERE b.width = $3 AND b.fault_id = $1) * 1000000,
    (SELECT f.created_at FROM faults f WHERE f.id = $1), 0)`

func (s *Store) lastOfPart(ctx context.Context, q db.Querier, faultID int64) (last int64, err error) {
	err = q.QueryRowContext(ctx, s.db.Text(lastOfPart), faultID, int64(sett.MaxNodes), int64(Day)).Scan(&last)
	return last, db.Wrap("find last notice of part", err)
}

const groupingsOf = `-- faultdb.GroupingsOf
SELECT f.id, f.grouping_inputs FROM {{rows k(project_id bigint, id bigint)}} JOIN faults f ON f.id = k.id AND f.project_id = k.project_id`

// GroupingsOf returns the JSON of the groupings of some faults of a project.
func (s *Store) GroupingsOf(ctx context.Context, projectID int64, faults []int64) (groupings map[int64]string, err error) {
	groupings = map[int64]string{}
	err = s.db.ReadRows(ctx, s.db.Read, groupingsOf, func(rows *sql.Rows) error {
		var id int64
		var grouping string
		err := rows.Scan(&id, &grouping)
		groupings[id] = grouping
		return err
	}, db.Repeated(projectID, len(faults)), faults)
	return groupings, db.Wrap("read groupings of faults", err)
}

const mergedOfProject = `-- faultdb.mergedOfProject
SELECT id, into_id FROM merged_faults WHERE project_id = $1`

// MergedOf maps the faults of a project that were merged to the faults that stand for them.
func (s *Store) MergedOf(ctx context.Context, q db.Querier, projectID int64) (into map[int64]int64, err error) {
	into = map[int64]int64{}
	rows, err := q.QueryContext(ctx, s.db.Text(mergedOfProject), projectID)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var id, of int64
		err := rows.Scan(&id, &of)
		into[id] = of
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("find merged faults: %w", err)
	}
	return into, nil
}
