package store

import (
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/store/db"
)

// ownedColumns lists the columns of the schema that say which project or fault a row belongs to.
var ownedColumns = map[string]string{
	"sqlite": `SELECT t.name, c.name FROM sqlite_master t, pragma_table_info(t.name) c
		WHERE t.type = 'table' AND c.name IN ('project_id', 'fault_id') ORDER BY 1, 2`,
	"postgres": `SELECT table_name, column_name FROM information_schema.columns
		WHERE table_schema = 'public' AND column_name IN ('project_id', 'fault_id') ORDER BY 1, 2`,
}

// owned counts what each table holds of a project, by table; faults are the ids of the project's faults.
func (d *desk) owned(project int64, faults []int64) map[string]int64 {
	d.t.Helper()
	counts := map[string]int64{"projects": d.count(`SELECT count(*) FROM projects WHERE id IN `, project)}
	rows, err := d.Read.QueryContext(d.t.Context(), ownedColumns[d.Engine()])
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var table, column string
		if err := rows.Scan(&table, &column); err != nil {
			return err
		}
		owners := []int64{project}
		if column == "fault_id" {
			owners = faults
		}
		counts[table] += d.count("SELECT count(*) FROM "+table+" WHERE "+column+" IN ", owners...)
		return nil
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return counts
}

func (d *desk) count(query string, ids ...int64) (n int64) {
	d.t.Helper()
	for some := range slices.Chunk(ids, 500) {
		list, args := db.In(d.DB, 1, some)
		var found int64
		if err := d.Read.QueryRowContext(d.t.Context(), query+list, args...).Scan(&found); err != nil {
			d.t.Fatal(err)
		}
		n += found
	}
	return n
}

func (d *desk) faultsOf(project int64) []int64 {
	d.t.Helper()
	ids, err := d.ListIDs(d.t.Context(), d.Read, `SELECT id FROM faults WHERE project_id = $1 UNION SELECT id FROM merged_faults WHERE project_id = $1 ORDER BY id`, project)
	if err != nil {
		d.t.Fatal(err)
	}
	return ids
}

// furnish gives a project a row in every table in which it can have one.
func (d *desk) furnish(project int64) {
	d.t.Helper()
	at := func(token byte) func(*sett.Report) {
		return func(r *sett.Report) { r.ProjectID, r.Token = project, sett.UUID{15: token} }
	}
	d.record(noon, sett.Limits{}, d.report("A", at(1)), d.report("B", at(2)), d.report("B", at(3)), d.report("Merged", at(4)))
	refused := Intake{Refused: []sett.Refusal{{AccountID: d.AccountID, ProjectID: project, Outcome: sett.InvalidNotice, Count: 1}}}
	if _, err := d.RecordNotices(d.t.Context(), noon, sett.Limits{}, refused); err != nil {
		d.t.Fatal(err)
	}
	d.team(project, d.UserID)
	d.run(`INSERT INTO integrations (id, project_id, type, active, events, site_ids, options, excluded_environments, filters, created_at)
		VALUES ($1, $2, 'WebHook', true, '[]', '[]', '{}', '[]', '[]', 0)`, 100+project, project)
	d.run(`INSERT INTO deploys (project_id, environment, revision, repository, local_username, created_at) VALUES ($1, '', '', '', '', 0)`, project)
	d.run(`INSERT INTO fault_links (fault_id, integration_id, data, created_at, updated_at) VALUES ($1, $2, '{}', 0, 0)`,
		d.faultsOf(project)[0], 100+project)
	d.run(`INSERT INTO personal_alerts (user_id, project_id, events, mentions, digest, digest_upto, updated_at) VALUES ($1, $2, '[]', true, 'off', 0, 0)`, d.UserID, project)
	d.run(`INSERT INTO unsubscribe_links (user_id, project_id, key) VALUES ($1, $2, $3)`, d.UserID, project, []byte{1})
	d.happen(noon, sett.Alert{ProjectID: project, Event: sett.AlertOccurred, Subject: "fault", FaultID: d.faultsOf(project)[0]})
	if _, err := d.TestIntegration(d.t.Context(), noon, project, 100+project); err != nil {
		d.t.Fatal(err)
	}
	d.run(`INSERT INTO floods (receiver, project_id, began_at, sent, held) VALUES ($1, $2, 0, 0, 0)`, string(sett.IntegrationReceiver(100+project)), project)
	d.run(`INSERT INTO rate_alerts (fault_id, integration_id, at) VALUES ($1, $2, 0)`, d.faultsOf(project)[0], 100+project)
	d.run(`INSERT INTO fault_graves (fault_id, project_id, taken, first_at, last_at) VALUES ($1, $2, false, 0, 0)`, d.faultsOf(project)[1], project)
	d.run(`INSERT INTO volume_spikes (fault_id, high_at) VALUES ($1, 0)`, d.faultsOf(project)[0])
	if _, err := d.CreateSite(d.t.Context(), noon, project, sett.SiteChange{URL: sett.Some("https://example.test")}); err != nil {
		d.t.Fatal(err)
	}
	d.ping(noon, d.checkIn(project, hourly("backup")))
	comment := sett.CommentChange{Body: sett.Some("Looks bad.")}
	if _, err := d.CreateComment(d.t.Context(), noon, d.UserID, project, d.faultsOf(project)[0], comment); err != nil {
		d.t.Fatal(err)
	}
	d.share(project, d.faultsOf(project)[0])
	d.save(project, sett.SavedSearchChange{Name: sett.Some("Open")})
	faults := d.faultsOf(project)
	merged := faults[len(faults)-1]
	d.run(`INSERT INTO fault_links (fault_id, integration_id, data, created_at, updated_at) VALUES ($1, $2, '{}', 0, 0)`, merged, 100+project)
	if err := d.MergeFault(d.t.Context(), noon, d.UserID, project, merged, sett.FaultMerge{IntoID: sett.Some(faults[0])}); err != nil {
		d.t.Fatal(err)
	}
}

func TestDeleteProjectLeavesNothingButTheLedger(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		other := d.project("Other")
		d.furnish(d.ProjectID)
		d.furnish(other.ID)
		faults, others := d.faultsOf(d.ProjectID), d.faultsOf(other.ID)
		before, theirs := d.owned(d.ProjectID, faults), d.owned(other.ID, others)
		for table, n := range before {
			if n == 0 {
				t.Errorf("the test has no row in %s that could be left: add one to furnish", table)
			}
		}

		if err := s.DeleteProject(t.Context(), d.ProjectID, func() {}); err != nil {
			t.Fatal(err)
		}
		want := map[string]int64{"ledger": before["ledger"], "refusals": before["refusals"]}
		for table := range before {
			want[table] += 0
		}
		if diff := cmp.Diff(want, d.owned(d.ProjectID, faults)); diff != "" {
			t.Errorf("rows that are left (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(theirs, d.owned(other.ID, others)); diff != "" {
			t.Errorf("rows of another project (-before +after):\n%s", diff)
		}
		if _, err := s.ProjectByKey(t.Context(), d.APIKey); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("its key: %v, want not found", err)
		}
		if err := s.DeleteProject(t.Context(), d.ProjectID, func() {}); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("deleted again: %v, want not found", err)
		}
	})
}

// A project that takes several steps of each kind.
func TestDeleteProjectInManySteps(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		other := d.project("Other")
		var batch []*Packed
		for i := range 2*faultsAtOnce + 50 {
			batch = append(batch, d.report(fmt.Sprint("Class", i)))
		}
		for i := range db.RowsAtOnce + 50 { // one fault with more notices, users and tokens than a step takes
			batch = append(batch, d.report("Busy", func(r *sett.Report) {
				r.User = fmt.Sprint("user", i)
				r.Token = sett.UUID{0: byte(i), 1: byte(i >> 8), 15: 1}
			}))
		}
		d.record(noon, sett.Limits{}, batch...)
		d.record(noon, sett.Limits{}, d.report("Theirs", func(r *sett.Report) { r.ProjectID = other.ID }))
		faults, others := d.faultsOf(d.ProjectID), d.faultsOf(other.ID)
		for i, fault := range []int64{faults[0], others[0]} {
			d.run(`INSERT INTO fault_buckets (width, at, fault_id, count)
				WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 15000)
				SELECT 60, i * 60, CAST($1 AS bigint), 1 FROM n`, fault)
			d.run(`INSERT INTO backtraces (project_id, hash, seen_on, body)
				WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)
				SELECT CAST($1 AS bigint), CAST(CAST(i AS text) AS bytea), 0, CAST('x' AS bytea) FROM n`, []int64{d.ProjectID, other.ID}[i])
		}
		theirs := d.owned(other.ID, others)

		if err := s.DeleteProject(t.Context(), d.ProjectID, func() {}); err != nil {
			t.Fatal(err)
		}
		d.wantNothing(d.ProjectID, faults)
		if diff := cmp.Diff(theirs, d.owned(other.ID, others)); diff != "" {
			t.Errorf("rows of another project (-before +after):\n%s", diff)
		}
	})
}

// wantNothing fails the test when anything but lines of the ledger and refusals is left of a project.
func (d *desk) wantNothing(project int64, faults []int64) {
	d.t.Helper()
	for table, n := range d.owned(project, faults) {
		if n > 0 && table != "ledger" && table != "refusals" {
			d.t.Errorf("%d rows are left in %s", n, table)
		}
	}
}

func TestDeleteProjectWhileNoticesArrive(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		d.furnish(d.ProjectID)
		faults := d.faultsOf(d.ProjectID)
		closed, deleted := make(chan struct{}), make(chan error, 1)
		go func() { deleted <- s.DeleteProject(t.Context(), d.ProjectID, func() { close(closed) }) }()
		for i, late := 0, 0; late < 20; i++ { // as from a buffer that took them in before
			select {
			case <-closed:
				late++
			default:
			}
			d.record(noon.Add(time.Duration(i)*time.Minute), sett.Limits{}, d.report("A"), d.report(fmt.Sprint("New", i)))
			faults = append(faults, d.faultsOf(d.ProjectID)...)
		}
		if err := <-deleted; err != nil {
			t.Fatal(err)
		}
		slices.Sort(faults)
		d.wantNothing(d.ProjectID, slices.Compact(faults))
		for _, r := range d.record(noon, sett.Limits{}, d.report("Late")) {
			if r.Outcome != sett.InvalidNotice {
				t.Errorf("a notice of a deleted project ended as %s", r.Outcome)
			}
		}
	})
}

func TestDeleteProjectNoticesWhatComesLate(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		d.furnish(d.ProjectID)
		if err := s.sweepNotices(t.Context(), d.ProjectID); err != nil {
			t.Fatal(err)
		}
		d.record(noon, sett.Limits{}, d.report("A"))
		if err := s.sweepFaults(t.Context(), d.ProjectID); !errors.Is(err, errLate) {
			t.Errorf("deleting faults after a late notice: %v, want %v", err, errLate)
		}
		if err := s.deleteEmptyProject(t.Context(), d.ProjectID); !errors.Is(err, errLate) {
			t.Errorf("deleting a project with faults: %v, want %v", err, errLate)
		}
		if n := len(d.faultsOf(d.ProjectID)); n != 3 {
			t.Errorf("%d faults are left, want all", n)
		}
	})
}
