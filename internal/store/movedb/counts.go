package movedb

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"sett/internal/sett/move"
	"sett/internal/store/faultdb"
)

const addFaultBuckets = `-- movedb.addFaultBuckets
INSERT INTO fault_buckets (width, at, fault_id, count) SELECT k.width, k.at, k.fault_id, k.n
FROM {{rows k(width bigint, at bigint, fault_id bigint, n bigint)}} JOIN faults f ON f.id = k.fault_id WHERE true
ON CONFLICT (width, at, fault_id) DO UPDATE SET count = fault_buckets.count + excluded.count`

const addProjectBuckets = `-- movedb.addProjectBuckets
INSERT INTO project_buckets (width, at, project_id, environment, count) SELECT k.width, k.at, p.id, f.environment, k.n
FROM {{rows k(width bigint, at bigint, fault_id bigint, n bigint)}} JOIN faults f ON f.id = k.fault_id JOIN projects p ON p.id = f.project_id WHERE true
ON CONFLICT (width, at, project_id, environment) DO UPDATE SET count = project_buckets.count + excluded.count`

// hoursAtOnce is how many hours of a project one statement adds to.
const hoursAtOnce = 800

// counts adds to charts how often an error occurred at the source, except for what came before. An error has days alone: of its hours, rates
// are exact to the notice.
func (t Tx) counts(ctx context.Context, now time.Time, from move.Place, projectID int64, p Pending, counts move.Counts) error {
	of, before := things{from, kindCounts}, move.Known{}
	had, err := t.s.imported(ctx, t, of, []string{p.ID})
	if err != nil {
		return err
	}
	if record, ok := had[0]; ok {
		if err := json.Unmarshal([]byte(record), &before); err != nil {
			return err
		}
	}
	add, all := counts.Added(now, before)
	if len(add.Days) == 0 {
		return nil
	}
	if err := t.addBuckets(ctx, addFaultBuckets, p.FaultID, faultdb.Day, add.Days); err != nil {
		return err
	}
	if err := t.addBuckets(ctx, addProjectBuckets, p.FaultID, faultdb.Day, add.Days); err != nil {
		return err
	}
	if err := t.addBuckets(ctx, addProjectBuckets, p.FaultID, faultdb.Hour, add.Hours); err != nil {
		return err
	}
	return t.noteImported(ctx, of, p.ID, projectID, p.FaultID, recordOf(all))
}

func (t Tx) addBuckets(ctx context.Context, statement string, faultID, width int64, counts map[int64]int64) error {
	for lot := range slices.Chunk(slices.SortedFunc(maps.Keys(counts), cmp.Compare[int64]), hoursAtOnce) {
		var widths, faults, ns []int64
		for _, at := range lot {
			widths, faults, ns = append(widths, width), append(faults, faultID), append(ns, counts[at])
		}
		if err := t.Each(ctx, statement, widths, lot, faults, ns); err != nil {
			return err
		}
	}
	return nil
}
