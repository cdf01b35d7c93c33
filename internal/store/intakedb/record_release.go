package intakedb

import (
	"context"
	"errors"

	"sett/internal/sett/release"
	"sett/internal/sett/repo"
	"sett/internal/store/db"
	"sett/internal/store/releasedb"
	"sett/internal/store/repodb"
)

// noteReleases notes which faults the batch created or reopened in which releases, and has the commits looked for that they came from.
func (b *batch) noteReleases(ctx context.Context) error {
	var faults []releasedb.Fault
	var kinds []string
	var ids, projects, dues []int64
	for _, f := range b.order {
		if f.count == 0 || !f.made && !f.reopened {
			continue
		}
		event := release.New
		if f.reopened {
			event = release.Reopened
		}
		k := releasedb.Key{ProjectID: f.project, Version: f.first.Revision}
		faults = append(faults, releasedb.Fault{Key: k, Event: event, ID: f.id, At: b.now})
		kinds, ids = append(kinds, string(repo.FaultWork)), append(ids, f.id)
		projects, dues = append(projects, f.project), append(dues, db.Micros(b.now))
	}
	return errors.Join(b.t.release().AddFaults(ctx, faults), b.t.Later(ctx, repodb.AddWork, kinds, ids, projects, dues))
}
