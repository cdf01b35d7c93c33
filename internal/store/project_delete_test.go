package store_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
	"sett/internal/store/storetest"
)

// owned counts what each table holds of a project, by table; faults are the ids of the project's faults.
func (d *desk) owned(project int64, faults []int64) map[string]int64 {
	d.T.Helper()
	counts := map[string]int64{"projects": d.Count(`SELECT count(*) FROM projects WHERE id IN `, project)}
	rows, err := d.Read.QueryContext(d.T.Context(), storetest.OwnedColumns[d.Engine()])
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var table, column string
		if err := rows.Scan(&table, &column); err != nil {
			return err
		}
		owners := []int64{project}
		if column == "fault_id" {
			owners = faults
		}
		counts[table] += d.Count("SELECT count(*) FROM "+table+" WHERE "+column+" IN ", owners...)
		return nil
	})
	if err != nil {
		d.T.Fatal(err)
	}
	return counts
}

func TestDeleteProjectLeavesNothingButTheLedger(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		other := d.Project("Other")
		d.Furnish(d.ProjectID)
		d.Furnish(other.ID)
		faults, others := d.FaultsOf(d.ProjectID), d.FaultsOf(other.ID)
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
		if _, err := s.Accounts.ProjectByKey(t.Context(), d.APIKey); sett.CodeOf(err) != sett.NotFound {
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
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		other := d.Project("Other")
		var batch []*faultdb.Packed
		for i := range 2*store.FaultsAtOnce + 50 {
			batch = append(batch, d.Report(fmt.Sprint("Class", i)))
		}
		for i := range db.RowsAtOnce + 50 { // one fault with more notices, users and tokens than a step takes
			batch = append(batch, d.Report("Busy", func(r *faults.Report) {
				r.User = fmt.Sprint("user", i)
				r.Token = sett.UUID{0: byte(i), 1: byte(i >> 8), 15: 1}
			}))
		}
		d.Record(storetest.Noon, accounts.Limits{}, batch...)
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("Theirs", func(r *faults.Report) { r.ProjectID = other.ID }))
		faults, others := d.FaultsOf(d.ProjectID), d.FaultsOf(other.ID)
		for i, fault := range []int64{faults[0], others[0]} {
			d.Run(`INSERT INTO fault_buckets (width, at, fault_id, count)
				WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 15000)
				SELECT 60, i * 60, CAST($1 AS bigint), 1 FROM n`, fault)
			d.Run(`INSERT INTO backtraces (project_id, hash, seen_on, body)
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
	d.T.Helper()
	for table, n := range d.owned(project, faults) {
		if n > 0 && table != "ledger" && table != "refusals" {
			d.T.Errorf("%d rows are left in %s", n, table)
		}
	}
}

func TestDeleteProjectWhileNoticesArrive(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Furnish(d.ProjectID)
		faults := d.FaultsOf(d.ProjectID)
		closed, deleted := make(chan struct{}), make(chan error, 1)
		go func() { deleted <- s.DeleteProject(t.Context(), d.ProjectID, func() { close(closed) }) }()
		for i, late := 0, 0; late < 20; i++ { // as from a buffer that took them in before
			select {
			case <-closed:
				late++
			default:
			}
			d.Record(storetest.Noon.Add(time.Duration(i)*time.Minute), accounts.Limits{}, d.Report("A"), d.Report(fmt.Sprint("New", i)))
			faults = append(faults, d.FaultsOf(d.ProjectID)...)
		}
		if err := <-deleted; err != nil {
			t.Fatal(err)
		}
		slices.Sort(faults)
		d.wantNothing(d.ProjectID, slices.Compact(faults))
		for _, r := range d.Record(storetest.Noon, accounts.Limits{}, d.Report("Late")) {
			if r.Outcome != accounts.InvalidNotice {
				t.Errorf("a notice of a deleted project ended as %s", r.Outcome)
			}
		}
	})
}

func TestDeleteProjectNoticesWhatComesLate(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Furnish(d.ProjectID)
		if err := s.SweepNoticesOf(t.Context(), d.ProjectID); err != nil {
			t.Fatal(err)
		}
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("A"))
		if err := s.SweepFaultsOf(t.Context(), d.ProjectID); !errors.Is(err, store.ErrLate) {
			t.Errorf("deleting faults after a late notice: %v, want %v", err, store.ErrLate)
		}
		if err := s.DeleteEmptyProject(t.Context(), d.ProjectID); !errors.Is(err, store.ErrLate) {
			t.Errorf("deleting a project with faults: %v, want %v", err, store.ErrLate)
		}
		if n := len(d.FaultsOf(d.ProjectID)); n != 3 {
			t.Errorf("%d faults are left, want all", n)
		}
	})
}

// A deletion goes on wherever its process dies, and the project is gone from the start.
func TestDeleteProjectGoesOnWhereverItIsCutOff(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short leaves out tests that take seconds")
	}
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		other := d.Project("Other")
		d.Furnish(d.ProjectID)
		d.Furnish(other.ID)
		faults, others := d.FaultsOf(d.ProjectID), d.FaultsOf(other.ID)
		d.Run(`DELETE FROM pending_work`) // what is pending of the other project would be done too
		d.Run(`DELETE FROM fault_graves WHERE project_id = $1`, other.ID)
		theirs := d.owned(other.ID, others)
		if err := s.CloseProject(t.Context(), d.ProjectID); err != nil {
			t.Fatal(err)
		}
		step := 1
		if !s.SQLite() {
			step = 4
		}
		cuts := 0
		for pieces := 0; ; pieces += step {
			err := d.WorkUntil(storetest.CutAfter(pieces))
			d.wantGone(d.ProjectID)
			if err == nil {
				break
			}
			if cuts++; !errors.Is(err, storetest.ErrCut) {
				t.Fatal(err)
			}
		}
		if cuts < 10 {
			t.Errorf("it was cut off only %d times", cuts)
		}
		d.wantNothing(d.ProjectID, faults)
		if diff := cmp.Diff(theirs, d.owned(other.ID, others)); diff != "" {
			t.Errorf("rows of another project (-before +after):\n%s", diff)
		}
	})
}

// No transaction of a deletion deletes more rows than a step may, with those that go by themselves, however many a project has of a kind, at
// one time, or of one fault.
func TestNoTransactionOfADeletionDeletesManyRows(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short leaves out tests that take seconds")
	}
	d := newDesk(t, storetest.OpenSQLite(t))
	d.Furnish(d.ProjectID)
	const many = 2*store.BucketsAtOnce + 1
	d.fillFaults(many, d.ProjectID, d.UserID)
	for _, row := range []string{
		`comments (fault_id, project_id, event, source, author, body, notices_count, created_at) SELECT (SELECT min(id) FROM faults WHERE project_id = $1), $1, 'resolved', '', '', '', 1, i FROM n`,
		`deploys (project_id, environment, revision, repository, local_username, created_at) SELECT $1, '', '', '', '', i FROM n`,
		`waiting_feedback (project_id, feedback, event, content, due_at, ends_at) SELECT $1, CAST(i AS blob), CAST('e' AS blob), CAST('{}' AS blob), 0, 0 FROM n`,
		`discards (project_id, day, source, category, reason, count) SELECT $1, i, '', '', '', 1 FROM n`,
		`scrubbed (project_id, day, kind, count) SELECT $1, i, '', 1 FROM n`,
		`named_buckets (kind, at, project_id, environment, name, count) SELECT 'user', 3600, $1, '', 'u' || i, 1 FROM n`,
		`project_buckets (width, at, project_id, environment, count) SELECT 60, 3600, $1, 'e' || i, 1 FROM n`,
		`check_in_events (check_in, at, kind, payload) SELECT c.number, i, '', '' FROM check_ins c, n WHERE c.project_id = $1`,
	} {
		d.Run(fmt.Sprintf(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) INSERT INTO `, many)+row, d.ProjectID)
	}
	before, most := int64(-1), int64(0)
	d.Hook(db.Hooks{BeforeCommit: []func(context.Context, *db.Tx) error{func(ctx context.Context, t *db.Tx) error {
		var now int64
		err := t.QueryRowContext(ctx, `SELECT total_changes()`).Scan(&now)
		if before >= 0 {
			most = max(most, now-before)
		}
		before = now
		return err
	}}})
	if err := d.DeleteProject(t.Context(), d.ProjectID, func() {}); err != nil {
		t.Fatal(err)
	}
	d.Finish()
	d.wantNothing(d.ProjectID, nil)
	if most > store.BucketsAtOnce {
		t.Errorf("one transaction deleted %d rows, more than %d", most, store.BucketsAtOnce)
	}
}

// PostgreSQL reads the next rows of a piece from an index, also before it knows how many rows the tables have. Otherwise each piece would
// read and sort all of them.
func TestPiecesOfADeletionSortNothing(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.OpenTest(t, db.Options{Database: storetest.FreshPostgres(t)}))
	d.fillFaults(5_000, d.ProjectID, d.UserID)
	for statement, args := range map[string][]any{
		store.SweepProjectFaults: {d.ProjectID, 0, 0, 200},
		store.SweepComments:      {d.ProjectID, 0, 0, 200, 1000},
	} {
		var plan strings.Builder
		err := d.InTx(t.Context(), "explain", func(tx *db.Tx) error {
			rows, err := tx.QueryContext(t.Context(), "EXPLAIN "+d.Text(statement), args...)
			return db.ScanAll(rows, err, func(rows *sql.Rows) error {
				var line string
				err := rows.Scan(&line)
				plan.WriteString(line + "\n")
				return err
			})
		})
		if err != nil || strings.Contains(plan.String(), "Sort") || !strings.Contains(plan.String(), "faults_by_creation") {
			t.Errorf("%v:\n%s", err, plan.String())
		}
	}
}

// wantGone fails the test if users or clients still reach a project.
func (d *desk) wantGone(project int64) {
	d.T.Helper()
	ctx := d.T.Context()
	scope, err := d.Accounts.ProjectScope(ctx, d.UserID, project)
	seen, failed := d.Accounts.VisibleProjectIDs(ctx, d.UserID)
	_, _, byKey := d.Accounts.ProjectOfKey(ctx, d.UserID, d.APIKey)
	_, intake := d.Accounts.ProjectByKey(ctx, d.APIKey)
	if scope != (accounts.Scope{}) || slices.Contains(seen, project) || err != nil || failed != nil || sett.CodeOf(byKey) != sett.NotFound || sett.CodeOf(intake) != sett.NotFound {
		d.T.Fatalf("a project that is being deleted is seen: %+v %v %v %v %v %v", scope, seen, err, failed, byKey, intake)
	}
}
