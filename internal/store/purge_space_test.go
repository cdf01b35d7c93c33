package store_test

import (
	"path/filepath"
	"testing"

	"sett/internal/sett/accounts"
	"sett/internal/store"
	"sett/internal/store/db"
	"sett/internal/store/storetest"
)

// bulky makes an SQLite file of some 50 MB of which nine tenths are too old, purges it and returns its bytes before and after.
func (d *desk) bulky(t *testing.T) (before, after float64) {
	t.Helper()
	other := d.Project("Other").ID
	d.fillNotices(20_000, storetest.Noon, other)
	d.fillNotices(1_000, storetest.Noon.Add(100*days), other)
	before = d.fileBytes(t)
	now := storetest.Noon.Add(101 * days)
	if n := d.purged(now); n < 20_000 {
		t.Fatalf("only %d notices went", n)
	}
	if _, err := d.ReturnSpace(t.Context(), purgeAt(now)); err != nil {
		t.Fatal(err)
	}
	return before, d.fileBytes(t)
}

func TestAFileGetsShorterWhenNoticesGo(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short leaves out tests that take seconds")
	}
	d := newDesk(t, storetest.OpenSQLite(t))
	before, after := d.bulky(t)
	if after > before*7/10 {
		t.Errorf("the file had %.1f MB and has %.1f", before, after)
	}
	if got := d.Numbers(`SELECT count(*) FROM pragma_integrity_check() WHERE integrity_check <> 'ok'`, 1)[0]; got != 0 {
		t.Errorf("the file has %d faults", got)
	}
}

// A file that an earlier version made cannot get shorter; what is free is used again, and a copy of it can.
func TestAnOldFileUsesItsSpaceAgain(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short leaves out tests that take seconds")
	}
	s := storetest.OpenTest(t, db.Options{Dir: t.TempDir()})
	s.Write.SetMaxOpenConns(1)
	for _, statement := range []string{"PRAGMA auto_vacuum=0", "VACUUM"} {
		if _, err := s.Write.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	d := newDesk(t, s)
	before, after := d.bulky(t)
	if after < before || after > before*21/20 {
		t.Errorf("the file had %.1f MB and has %.1f", before, after)
	}
	d.fillNotices(10_000, storetest.Noon.Add(101*days), d.ProjectID)
	if again := d.fileBytes(t); again > after {
		t.Errorf("the file had %.1f MB and has %.1f with new notices", after, again)
	}
	copied := filepath.Join(t.TempDir(), "sett.db")
	if err := s.CopyTo(t.Context(), copied); err != nil {
		t.Fatal(err)
	}
	c := storetest.OpenTest(t, db.Options{Dir: filepath.Dir(copied)})
	var mode int
	if err := c.Read.QueryRowContext(t.Context(), "PRAGMA auto_vacuum").Scan(&mode); err != nil || mode != 2 {
		t.Errorf("the copy has mode %d, %v; want %d", mode, err, db.Incremental)
	}
}

func TestKeptEstimatesWhatAProjectHas(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		other := d.Project("Other").ID
		d.fillNotices(1_280, storetest.Noon, other)
		d.fillNotices(1_280, storetest.Noon.Add(100*days), other)
		got, err := s.Intake.Kept(t.Context(), storetest.Noon.Add(101*days), other, 90)
		if err != nil || got.Notices < 500 || got.Notices > 524 {
			t.Errorf("kept %+v, %v; want some 512 notices", got, err)
		}
		if each := got.Bytes / got.Notices; each < 800 || each > 5_000 {
			t.Errorf("a notice takes %d bytes", each)
		}
		if got, err := s.Intake.Kept(t.Context(), storetest.Noon.Add(101*days), other, 3650); err != nil || got.Notices < 1000 {
			t.Errorf("kept for long: %+v, %v", got, err)
		}
		if got, err := s.Intake.Kept(t.Context(), storetest.Noon, d.Project("Empty").ID, 90); err != nil || got != (accounts.Kept{}) {
			t.Errorf("of an empty project %+v, %v are kept", got, err)
		}
	})
}
