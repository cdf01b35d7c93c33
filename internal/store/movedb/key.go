package movedb

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"sett/internal/sett/faults"
	"sett/internal/store/db"
)

// MostKeys is how many keys one transaction gives an error.
const MostKeys = 200

const insertKeys = `-- movedb.insertKeys
INSERT INTO fault_keys (project_id, key, near, part_id, fault_id, inputs, why, revision, revised_at, created_at)
SELECT k.project_id, k.key, k.near, k.fault_id, k.fault_id, k.inputs, '` + string(faults.Imported) + `', k.revision, k.at, k.at
FROM {{rows k(project_id bigint, key bytea, near bytea, fault_id bigint, inputs text, revision text, at bigint)}} JOIN faults f ON f.id = k.fault_id WHERE true
ON CONFLICT (project_id, key) DO NOTHING`

const holdersOf = `-- movedb.holdersOf
SELECT y.fault_id FROM {{rows k(project_id bigint, key bytea)}} JOIN fault_keys y ON y.project_id = k.project_id AND y.key = k.key`

// Keys lets events with some groupings land in an error, unless another error has their keys. It returns those errors.
func (s *Store) Keys(ctx context.Context, now time.Time, projectID, faultID int64, groupings []faults.Grouping) (others []int64, err error) {
	for lot := range slices.Chunk(groupings, MostKeys) {
		err := s.inTx(ctx, "import keys", func(t Tx) error {
			holders, err := t.addKeysTo(ctx, now, projectID, faultID, lot)
			others = append(others, holders...)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(others)
	return slices.DeleteFunc(slices.Compact(others), func(id int64) bool { return id == faultID }), nil
}

func (t Tx) addKeysTo(ctx context.Context, now time.Time, projectID, faultID int64, groupings []faults.Grouping) (holders []int64, err error) {
	var keys, nears [][]byte
	var inputs, revisions []string
	for i := range groupings {
		g := &groupings[i]
		text, err := json.Marshal(g)
		if err != nil {
			return nil, fmt.Errorf("write a grouping: %w", err)
		}
		keys, nears = append(keys, g.Key[:]), append(nears, g.Near[:])
		inputs, revisions = append(inputs, string(text)), append(revisions, g.Revision)
	}
	n := len(keys)
	projects := db.Repeated(projectID, n)
	if err := t.Each(ctx, insertKeys, projects, keys, nears, db.Repeated(faultID, n), inputs, revisions, db.Repeated(db.Micros(now), n)); err != nil {
		return nil, fmt.Errorf("store keys of an imported error: %w", err)
	}
	return holders, t.EachRow(ctx, holdersOf, func(rows *sql.Rows) error {
		var id int64
		err := rows.Scan(&id)
		holders = append(holders, id)
		return err
	}, projects, keys)
}

const describeFault = `-- movedb.describeFault
UPDATE faults SET environment = $3, class = $4, component = $5, action = $6, message = $7, grouping_inputs = $8
WHERE project_id = $1 AND id = $2 AND grouping_inputs = '{}'`

// Describe gives an imported error the names that sett gives those that it has from events: those of one of its own.
func (s *Store) Describe(ctx context.Context, projectID, faultID int64, r *faults.Report) error {
	text, err := json.Marshal(r.Grouping)
	if err != nil {
		return fmt.Errorf("write a grouping: %w", err)
	}
	return s.inTx(ctx, "describe an imported error", func(t Tx) error {
		_, err := t.Exec(ctx, describeFault, projectID, faultID, r.Environment, r.Class, r.Component, r.Action, r.Message, string(text))
		return err
	})
}
