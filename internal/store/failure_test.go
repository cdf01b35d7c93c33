package store

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"sett/internal/sett"
	"sett/internal/store/db"
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
			s := openTest(t, db.Options{Dir: dir})
			if _, _, err := s.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			d := newDesk(t, s)
			d.recordBusy(noon, sett.Limits{}, d.report("A"))
			if err := errors.Join(s.Sync(), s.TryWrite(t.Context(), noon)); err != nil {
				t.Fatal(err)
			}
			d.recordBusy(noon, sett.Limits{}, d.report("A")) // is committed, and not on the disk yet
			if err := remove(dir); err != nil {
				t.Fatal(err)
			}
			for what, err := range map[string]error{"a sync": s.Sync(), "a ping": s.Ping(t.Context()), "a try": s.TryWrite(t.Context(), noon)} {
				if sett.CodeOf(err) != sett.Unavailable {
					t.Errorf("%s: %v", what, err)
				}
			}
			if _, err := s.RecordNotices(t.Context(), noon, sett.Limits{}, Intake{Reports: []*Packed{d.report("A")}}); sett.CodeOf(err) != sett.Unavailable {
				t.Errorf("a notice: %v", err)
			}
		})
	}
}

// A try to write leaves nothing behind.
func TestTryWriteLeavesNothing(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		for range 3 {
			if err := s.TryWrite(t.Context(), noon); err != nil {
				t.Fatal(err)
			}
		}
		d := &desk{Store: s, t: t}
		if n := d.numbers(`SELECT count(*) FROM notices`, 1)[0]; n != 0 {
			t.Errorf("it left %d notices", n)
		}
	})
}
