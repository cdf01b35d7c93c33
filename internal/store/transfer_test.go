package store_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store"
	"sett/internal/store/db"
	"sett/internal/store/storetest"
)

// sums are those of all tables of a store.
func sums(t *testing.T, s *store.Store) []accounts.TableSum {
	t.Helper()
	found, err := s.Sums(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// moved copies all rows into another store, whose tables then have the same sums.
func moved(t *testing.T, from, to *store.Store) {
	t.Helper()
	want := sums(t, from)
	copied, err := from.CopyRows(t.Context(), to.DB)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, copied); diff != "" {
		t.Errorf("what was copied (-before +copied):\n%s", diff)
	}
	if to.SQLite() {
		if err := to.Rollups.BecomeFile(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(want, sums(t, to)); diff != "" {
		t.Errorf("what is stored (-before +after):\n%s", diff)
	}
}

// Everything of a project moves from SQLite to PostgreSQL, to another PostgreSQL database and back, and new rows get new ids there.
func TestRowsMoveBetweenEngines(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short leaves out PostgreSQL")
	}
	file := storetest.OpenSQLite(t)
	d := newDesk(t, file)
	d.Furnish(d.ProjectID)
	filled := 0
	for _, s := range sums(t, file) {
		if s.Rows > 0 {
			filled++
		}
	}
	if filled < 50 {
		t.Fatalf("only %d tables have rows", filled)
	}
	deleted := d.CheckIn(d.ProjectID, storetest.Hourly("last"))
	if err := d.Uptime.DeleteCheckIn(t.Context(), d.ProjectID, deleted.ID); err != nil {
		t.Fatal(err)
	}
	var last int64
	d.Scan(`SELECT seq FROM sqlite_sequence WHERE name = 'check_ins'`, nil, &last)

	server := storetest.OpenTest(t, db.Options{Database: storetest.FreshPostgres(t)})
	other := storetest.OpenTest(t, db.Options{Database: storetest.FreshPostgres(t)})
	back := storetest.OpenSQLite(t)
	for _, step := range [][2]*store.Store{{file, server}, {server, other}, {other, back}} {
		moved(t, step[0], step[1])
		if _, err := step[0].CopyRows(t.Context(), step[1].DB); sett.CodeOf(err) != sett.Conflict {
			t.Errorf("a database with users was overwritten: %v", err)
		}
	}
	for _, s := range []*store.Store{other, back} {
		there := &desk{storetest.DeskOf(s, d.SetupResult, t)}
		there.CheckIn(d.ProjectID, storetest.Hourly("new"))
		var id int64
		there.Scan(`SELECT max(number) FROM check_ins`, nil, &id)
		if id <= last {
			t.Errorf("on %s, a new check-in got the id %d, which was used before: %d was the last one", s.Engine(), id, last)
		}
	}
}

// Notices that two nodes had stored and not counted are counted once in the file.
func TestUncountedNoticesMove(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short leaves out PostgreSQL")
	}
	c := storetest.NewCluster(t)
	first := newDesk(t, c.Node(t))
	second := &desk{storetest.DeskOf(c.Node(t), first.SetupResult, t)}
	for _, node := range []*desk{first, second} {
		node.Record(storetest.Noon, accounts.Limits{}, node.Report("Counted"), node.Report("Counted"))
	}
	for _, node := range []*desk{first, second, second} {
		node.RecordBusy(storetest.Noon, accounts.Limits{}, node.Report("Counted"), node.Report("New"))
	}
	file := storetest.OpenSQLite(t)
	if _, err := first.CopyRows(t.Context(), file.DB); err != nil {
		t.Fatal(err)
	}
	if err := file.Rollups.BecomeFile(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 2 { // as servers start, one after another
		if n, err := file.Intake.Recover(t.Context()); n != 0 || err != nil {
			t.Errorf("%d notices were counted again, %v", n, err)
		}
	}
	there := &desk{storetest.DeskOf(file, first.SetupResult, t)}
	for class, want := range map[string]int64{"Counted": 7, "New": 3} {
		var got, stored int64
		there.Scan(`SELECT c.notices_count, (SELECT count(*) FROM notices n WHERE n.fault_id = f.id) FROM faults f JOIN fault_counts c ON c.fault_id = f.id WHERE f.class = $1`, []any{class}, &got, &stored)
		if got != want || stored != want {
			t.Errorf("%s has %d notices, and %d are counted; want %d", class, stored, got, want)
		}
	}
	there.Record(storetest.Noon, accounts.Limits{}, there.Report("Counted"))
	var got int64
	there.Scan(`SELECT c.notices_count FROM faults f JOIN fault_counts c ON c.fault_id = f.id WHERE f.class = $1`, []any{"Counted"}, &got)
	if got != 8 {
		t.Errorf("after another notice, %d are counted", got)
	}
}
