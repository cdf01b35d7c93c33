package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store"
	"sett/internal/store/accountdb"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
	"sett/internal/store/intakedb"
	"sett/internal/store/storetest"
)

// The files of a database that were deleted or replaced take nothing any more, whatever the system says.
func TestDeletedFilesTakeNothing(t *testing.T) {
	t.Parallel()
	for name, remove := range map[string]func(dir string) error{
		"the directory is deleted": os.RemoveAll,
		"the file is deleted":      func(dir string) error { return os.Remove(filepath.Join(dir, "sett.db")) },
		"the log is deleted":       func(dir string) error { return os.Remove(filepath.Join(dir, "sett.db-wal")) },
		"the file is replaced": func(dir string) error {
			other := filepath.Join(dir, "other")
			return errors.Join(os.WriteFile(other, nil, 0o600), os.Rename(other, filepath.Join(dir, "sett.db")))
		},
		"the directory is moved": func(dir string) error { return os.Rename(dir, dir+"-moved") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "data")
			s := storetest.OpenTest(t, db.Options{Dir: dir})
			if _, _, err := s.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			d := newDesk(t, s)
			d.RecordBusy(storetest.Noon, accounts.Limits{}, d.Report("A"))
			if err := errors.Join(s.Sync(), s.Intake.TryWrite(t.Context(), storetest.Noon)); err != nil {
				t.Fatal(err)
			}
			d.RecordBusy(storetest.Noon, accounts.Limits{}, d.Report("A")) // is committed, and not on the disk yet
			if err := remove(dir); err != nil {
				t.Fatal(err)
			}
			for what, err := range map[string]error{"a sync": s.Sync(), "a ping": s.Ping(t.Context()), "a try": s.Intake.TryWrite(t.Context(), storetest.Noon)} {
				if sett.CodeOf(err) != sett.Unavailable {
					t.Errorf("%s: %v", what, err)
				}
			}
			if _, err := s.Intake.RecordNotices(t.Context(), storetest.Noon, accounts.Limits{}, intakedb.Intake{Reports: []*faultdb.Packed{d.Report("A")}}); sett.CodeOf(err) != sett.Unavailable {
				t.Errorf("a notice: %v", err)
			}
		})
	}
}

// A try to write leaves nothing behind.
func TestTryWriteLeavesNothing(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		for range 3 {
			if err := s.Intake.TryWrite(t.Context(), storetest.Noon); err != nil {
				t.Fatal(err)
			}
		}
		d := &desk{storetest.DeskOf(s, accountdb.SetupResult{}, t)}
		if n := d.Numbers(`SELECT count(*) FROM notices`, 1)[0]; n != 0 {
			t.Errorf("it left %d notices", n)
		}
	})
}
