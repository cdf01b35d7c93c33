package store_test

import (
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

// A disk that has failed once is not believed again: what could not be brought to it is not called stored, and nothing
// more is taken, until another process has read what is there.
func TestADiskThatFailedIsNotBelieved(t *testing.T) {
	t.Parallel()
	dir, disk := storetest.MigratedDir(t), &storetest.Disk{}
	s, err := store.Open(t.Context(), db.Options{Dir: dir, SyncFile: disk.Sync})
	if err != nil {
		t.Fatal(err)
	}
	d := newDesk(t, s)
	d.RecordBusy(storetest.Noon, accounts.Limits{}, d.Report("A"))
	if err := s.Sync(); err != nil {
		t.Fatal(err)
	}
	disk.Fails.Store(true)
	d.RecordBusy(storetest.Noon, accounts.Limits{}, d.Report("A"))
	if err := s.Sync(); sett.CodeOf(err) != sett.Unavailable {
		t.Errorf("a sync that failed: %v", err)
	}
	if err := s.Sync(); sett.CodeOf(err) != sett.Unavailable {
		t.Errorf("the next one: %v", err)
	}
	if _, err := s.Intake.RecordNotices(t.Context(), storetest.Noon, accounts.Limits{}, intakedb.Intake{Reports: []*faultdb.Packed{d.Report("A")}}); sett.CodeOf(err) != sett.Unavailable {
		t.Errorf("recording after it: %v", err)
	}
	if _, err := s.Accounts.CreateUser(t.Context(), storetest.Noon, accountdb.NewUser{AccountID: d.AccountID, Email: "b@example.test", Role: accounts.Member}); sett.CodeOf(err) != sett.Unavailable {
		t.Errorf("a change after it: %v", err)
	}
	if err := s.Ping(t.Context()); sett.CodeOf(err) != sett.Unavailable {
		t.Errorf("a ping after it: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}

	again := storetest.OpenTest(t, db.Options{Dir: dir})
	if _, err := again.Intake.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	d = &desk{storetest.DeskOf(again, d.SetupResult, t)}
	d.Record(storetest.Noon, accounts.Limits{}, d.Report("A"))
	if got := d.Numbers(`SELECT count(*), (SELECT notices_count FROM fault_counts) FROM notices`, 2); got[0] != 3 || got[1] != 3 {
		t.Errorf("%d notices, of which %d are counted; want 3", got[0], got[1])
	}
}

// Changes wait for the disk, and what may be lost does not.
func TestChangesAreOnTheDisk(t *testing.T) {
	t.Parallel()
	disk := &storetest.Disk{}
	s := storetest.OpenTest(t, db.Options{Dir: storetest.MigratedDir(t), SyncFile: disk.Sync})
	d := newDesk(t, s)
	disk.Fails.Store(true)
	d.RecordBusy(storetest.Noon, accounts.Limits{}, d.Many()...)
	if err := s.Intake.Flush(t.Context()); err != nil {
		t.Errorf("a fold: %v", err)
	}
	if err := s.Accounts.TouchToken(t.Context(), storetest.Noon, d.UserID, 1, "192.0.2.1"); err != nil {
		t.Errorf("the use of a token: %v", err)
	}
	if _, err := s.Accounts.CreateUser(t.Context(), storetest.Noon, accountdb.NewUser{AccountID: d.AccountID, Email: "b@example.test", Role: accounts.Member}); sett.CodeOf(err) != sett.Unavailable {
		t.Errorf("a change: %v", err)
	}
}
