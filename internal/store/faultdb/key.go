package faultdb

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

const faultsOfKeys = `-- faultdb.FaultsOfKeys
SELECT y.key, y.fault_id FROM {{rows k(project_id bigint, key bytea)}} JOIN fault_keys y ON y.project_id = k.project_id AND y.key = k.key`

// keysAtOnce is how many keys one statement looks up.
const keysAtOnce = 1_000

// FaultsOfKeys returns which faults of a project are known by some keys.
func (s *Store) FaultsOfKeys(ctx context.Context, projectID int64, keys [][16]byte) (known map[[16]byte]int64, err error) {
	known = map[[16]byte]int64{}
	for lot := range slices.Chunk(keys, keysAtOnce) {
		texts := make([][]byte, len(lot))
		for i := range lot {
			texts[i] = lot[i][:]
		}
		err := s.db.ReadRows(ctx, s.db.Read, faultsOfKeys, func(rows *sql.Rows) error {
			var key []byte
			var fault int64
			err := rows.Scan(&key, &fault)
			known[[16]byte(key)] = fault
			return err
		}, db.Repeated(projectID, len(lot)), texts)
		if err != nil {
			return nil, fmt.Errorf("find faults of keys: %w", err)
		}
	}
	return known, nil
}

// AdoptedKey is a key by which a part of a fault goes on.
type AdoptedKey struct {
	Grouping faults.Grouping
	Part     int64
}

const adoptKeys = `-- faultdb.AdoptKeys
INSERT INTO fault_keys (project_id, key, near, part_id, fault_id, inputs, why, revision, revised_at, created_at)
SELECT k.project_id, k.key, k.near, k.part_id, f.id, k.inputs, '` + string(faults.OwnRules) + `', k.revision, k.at, k.at
FROM {{rows k(project_id bigint, key bytea, near bytea, part_id bigint, inputs text, revision text, at bigint)}}
    LEFT JOIN merged_faults m ON m.id = k.part_id JOIN faults f ON f.id = coalesce(m.into_id, k.part_id) AND f.project_id = k.project_id WHERE true
ON CONFLICT (project_id, key) DO NOTHING`

// AdoptKeys lets parts of faults go on under the keys that changed rules of their project give their events. Keys that are known stay where they are.
func (s *Store) AdoptKeys(ctx context.Context, now time.Time, projectID int64, adopted []AdoptedKey) error {
	for lot := range slices.Chunk(adopted, keysAtOnce) {
		var parts []int64
		var keys, nears [][]byte
		var inputs, revisions []string
		for i := range lot {
			g := &lot[i].Grouping
			text, err := json.Marshal(g)
			if err != nil {
				return fmt.Errorf("write a grouping: %w", err)
			}
			keys, nears, parts = append(keys, g.Key[:]), append(nears, g.Near[:]), append(parts, lot[i].Part)
			inputs, revisions = append(inputs, string(text)), append(revisions, g.Revision)
		}
		err := s.inTx(ctx, "adopt keys", func(t Tx) error {
			return t.Each(ctx, adoptKeys, db.Repeated(projectID, len(lot)), keys, nears, parts, inputs, revisions, db.Repeated(db.Micros(now), len(lot)))
		})
		if err != nil {
			return err
		}
	}
	return nil
}
