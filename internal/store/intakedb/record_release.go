package intakedb

import (
	"context"

	"sett/internal/sett/release"
	"sett/internal/store/releasedb"
)

// noteReleases notes which faults the batch created or reopened in which releases.
func (b *batch) noteReleases(ctx context.Context) error {
	var faults []releasedb.Fault
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
	}
	return b.t.release().AddFaults(ctx, faults)
}
