package releasedb

import (
	"cmp"
	"context"
	"slices"
	"time"

	"sett/internal/sett/release"
	"sett/internal/store/db"
)

// Fault is what happened to a fault in a release.
type Fault struct {
	Key
	Event release.Event
	ID    int64
	At    time.Time
}

const insertFaults = `-- releasedb.AddFaults
INSERT INTO release_faults (project_id, version, event, fault_id, at)
SELECT k.project_id, k.version, k.event, k.id, k.at FROM {{rows k(project_id bigint, version text, event text, id bigint, at bigint)}} WHERE true
ON CONFLICT (project_id, version, event, fault_id) DO NOTHING`

// AddFaults notes what happened to faults in releases, in the transaction in which it happens. What cannot be a version is left out.
func (t Tx) AddFaults(ctx context.Context, faults []Fault) error {
	faults = slices.DeleteFunc(slices.Clone(faults), func(f Fault) bool { return !release.IsVersion(f.Version) })
	slices.SortFunc(faults, func(a, b Fault) int {
		return cmp.Or(compare(a.Key, b.Key), cmp.Compare(a.Event, b.Event), cmp.Compare(a.ID, b.ID))
	})
	var projects, ids, ats []int64
	var versions, events []string
	for _, f := range faults {
		projects, versions, events = append(projects, f.ProjectID), append(versions, f.Version), append(events, string(f.Event))
		ids, ats = append(ids, f.ID), append(ats, db.Micros(f.At))
	}
	return db.Wrap("note faults of releases", t.Each(ctx, insertFaults, projects, versions, events, ids, ats))
}
