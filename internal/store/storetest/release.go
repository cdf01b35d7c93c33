package storetest

import (
	"time"

	"sett/internal/sett/release"
	"sett/internal/store/db"
	"sett/internal/store/releasedb"
)

// Release creates a release of a project with a commit, a new fault and an hour of sessions.
func (d *Desk) Release(project int64, version string) {
	d.T.Helper()
	ctx, k := d.T.Context(), releasedb.Key{ProjectID: project, Version: version}
	if _, _, err := d.Releases.Save(ctx, Noon, project, release.Change{Version: version}); err != nil {
		d.T.Fatal(err)
	}
	if err := d.Releases.SetCommits(ctx, project, version, []release.Commit{{SHA: "8c5f2a1", Message: "Add discounts", At: Noon}}); err != nil {
		d.T.Fatal(err)
	}
	err := d.InTx(ctx, "add faults of release", func(t *db.Tx) error {
		return d.Releases.In(t).AddFaults(ctx, []releasedb.Fault{{Key: k, Event: release.New, ID: d.FaultsOf(project)[0], At: Noon}})
	})
	if err != nil {
		d.T.Fatal(err)
	}
	d.Sessions(Noon, releasedb.Hour{Key: k, Environment: "production", At: Noon, SessionSums: release.SessionSums{Total: 1}})
}

// Sessions adds sums of sessions.
func (d *Desk) Sessions(now time.Time, hours ...releasedb.Hour) {
	d.T.Helper()
	if err := d.Releases.AddHours(d.T.Context(), now, hours); err != nil {
		d.T.Fatal(err)
	}
}
