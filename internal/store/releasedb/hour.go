package releasedb

import (
	"cmp"
	"context"
	"time"

	"sett/internal/sett/faults"
	"sett/internal/sett/release"
	"sett/internal/store/db"
)

// Hour is the sums of sessions of a release in an environment that began in an hour.
type Hour struct {
	Key
	Environment string
	At          time.Time // start of the hour
	release.SessionSums
}

const addHours = `-- releasedb.addHours
INSERT INTO release_hours (project_id, version, environment, at, total, errored, crashed, abnormal)
SELECT k.project_id, k.version, k.environment, k.at, k.total, k.errored, k.crashed, k.abnormal
FROM {{rows k(project_id bigint, version text, environment text, at bigint, total bigint, errored bigint, crashed bigint, abnormal bigint)}}
WHERE EXISTS (SELECT 1 FROM projects p WHERE p.id = k.project_id)
ON CONFLICT (project_id, version, environment, at) DO UPDATE SET total = release_hours.total + excluded.total,
    errored = release_hours.errored + excluded.errored, crashed = release_hours.crashed + excluded.crashed, abnormal = release_hours.abnormal + excluded.abnormal`

// hourKey identifies a row of sums.
type hourKey struct {
	Key
	environment string
	at          int64
}

// AddHours adds sums of sessions. Sessions of a release for which there is no room count for release.Other.
func (s *Store) AddHours(ctx context.Context, now time.Time, hours []Hour) error {
	return s.inTx(ctx, "count sessions", func(t Tx) error {
		t.Unsynced = true // as the sums were in memory until now, a crash may lose them
		named := map[Key]Named{}
		for _, h := range hours {
			if h.Version != release.Other {
				named[h.Key] = Named{Key: h.Key, At: now}
			}
		}
		var all []Named
		for _, k := range db.Sorted(named, compare) {
			all = append(all, named[k])
		}
		full, err := t.Note(ctx, all)
		if err != nil {
			return err
		}
		return t.addHours(ctx, hours, full)
	})
}

func (t Tx) addHours(ctx context.Context, hours []Hour, full map[Key]bool) error {
	sums := map[hourKey]release.SessionSums{}
	for _, h := range hours {
		k := hourKey{h.Key, h.Environment, db.Micros(h.At)}
		if full[h.Key] {
			k.Version, k.environment = release.Other, faults.OtherEnvironment
		}
		sums[k] = sums[k].Plus(h.SessionSums)
	}
	var projects, ats, totals, errored, crashed, abnormal []int64
	var versions, environments []string
	for _, k := range db.Sorted(sums, func(a, b hourKey) int {
		return cmp.Or(compare(a.Key, b.Key), cmp.Compare(a.environment, b.environment), cmp.Compare(a.at, b.at))
	}) {
		n := sums[k]
		projects, versions, environments, ats = append(projects, k.ProjectID), append(versions, k.Version), append(environments, k.environment), append(ats, k.at)
		totals, errored, crashed, abnormal = append(totals, n.Total), append(errored, n.Errored), append(crashed, n.Crashed), append(abnormal, n.Abnormal)
	}
	return t.Each(ctx, addHours, projects, versions, environments, ats, totals, errored, crashed, abnormal)
}
