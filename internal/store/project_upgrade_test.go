package store_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store"
	"sett/internal/store/storetest"
)

// before70 makes the tables what they were before version 70, which takes up what earlier versions have left.
func (d *desk) before70() {
	d.T.Helper()
	for _, statement := range []string{
		`DROP TABLE pending_lots`, `DROP TABLE pending_work`, `ALTER TABLE projects DROP COLUMN deleting`,
		`ALTER TABLE fault_graves ADD COLUMN taken boolean NOT NULL DEFAULT true`,
		`CREATE INDEX fault_graves_open ON fault_graves (project_id, fault_id) WHERE NOT taken`,
		`DELETE FROM goose_db_version WHERE version_id = 70`,
	} {
		d.Run(statement)
	}
}

// A server of an earlier version was killed while it deleted a project, errors and sites. They are gone after the upgrade, and nothing else.
func TestAnUpgradeEndsDeletionsOfEarlierVersions(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short leaves out tests that take seconds")
	}
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		half, stays, inactive := d.ProjectID, d.Project("Stays").ID, d.Project("Inactive").ID
		for _, project := range []int64{stays, inactive} {
			d.Furnish(project)
		}
		d.Finish()
		d.Run(`UPDATE projects SET active = false WHERE id = $1`, inactive)
		theirs := []map[string]int64{d.owned(stays, d.FaultsOf(stays)), d.owned(inactive, d.FaultsOf(inactive))}
		kept := d.FaultsOf(stays)

		d.Furnish(half)
		halves := d.FaultsOf(half)
		if err := s.SweepNoticesOf(t.Context(), half); err != nil {
			t.Fatal(err)
		}
		toStays := func(r *faults.Report) { r.ProjectID = stays }
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("Chosen", toStays), d.Report("Chosen", toStays), d.Report("Taken", toStays))
		fresh := d.FaultsOf(stays)[len(kept):]
		chosen, taken := fresh[0], fresh[1]
		d.before70()
		d.Run(`UPDATE projects SET active = false WHERE id = $1`, half)
		d.Run(`DELETE FROM project_keys WHERE project_id = $1`, half)
		d.Run(`INSERT INTO fault_graves (fault_id, project_id, first_at, last_at, taken) VALUES ($1, $2, 0, 0, false), ($3, $2, 0, 0, true)`, chosen, stays, taken)
		d.Run(`DELETE FROM faults WHERE id = $1`, taken)
		d.Run(`DELETE FROM fault_counts WHERE fault_id = $1`, taken)
		for site := int64(771); site < 774; site++ { // the last one is swept
			d.Run(`INSERT INTO site_graves (revision, uuid, site_id, at, swept) VALUES ($1, $2, $1, 0, $3)`, site, []byte{byte(site), 15: 1}, site == 773)
			d.Run(`INSERT INTO uptime_checks (site_id, location, status, at, duration, up, reason) VALUES ($1, 1, 200, 0, 1, true, '')`, site)
		}

		if err := s.Apply(t.Context(), 70); err != nil {
			t.Fatal(err)
		}
		d.wantGone(half)
		if left, err := s.Faults.FaultsWaiting(t.Context(), stays); left != 1 || err != nil {
			t.Errorf("%d errors are to be deleted, %v; want the one that was chosen", left, err)
		}
		if err := d.WorkUntil(storetest.CutAfter(-1)); err != nil { // what it leaves are the checks of the project's sites
			t.Fatal(err)
		}
		d.Finish()
		d.wantNothing(half, halves)
		if n := d.Count(`SELECT count(*) FROM notices WHERE fault_id IN `, chosen, taken); n != 0 {
			t.Errorf("%d notices of deleted errors are left", n)
		}
		if n := d.Numbers(`SELECT (SELECT count(*) FROM uptime_checks), (SELECT count(*) FROM site_graves WHERE NOT swept)`, 2); n[0] != 1 || n[1] != 0 {
			t.Errorf("%d checks of deleted sites are left, want the one of a site that was swept; and %d sites", n[0], n[1])
		}
		if diff := cmp.Diff(kept, d.FaultsOf(stays)); diff != "" {
			t.Errorf("errors of a project that stays (-before +after):\n%s", diff)
		}
		for i, project := range []int64{stays, inactive} {
			if diff := cmp.Diff(theirs[i]["project_keys"], d.owned(project, kept)["project_keys"]); diff != "" {
				t.Errorf("keys of project %d (-before +after):\n%s", project, diff)
			}
		}
		if diff := cmp.Diff(theirs[1], d.owned(inactive, d.FaultsOf(inactive))); diff != "" {
			t.Errorf("rows of a project that is inactive, but not deleted (-before +after):\n%s", diff)
		}
	})
}
