package faultdb_test

import (
	"testing"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store"
	"sett/internal/store/accountdb"
	"sett/internal/store/storetest"
)

func TestNoticePlace(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		receipts := d.RecordBusy(storetest.Noon, accounts.Limits{}, d.Report("E"), d.Report("E", storetest.WithToken(7)), d.Report("F"))
		_, stranger, err := d.Accounts.CreateAccount(t.Context(), storetest.Noon, "Others", accountdb.NewUser{Email: "other@example.test", Name: "Other"})
		if err != nil {
			t.Fatal(err)
		}
		want := func() {
			t.Helper()
			for i, r := range receipts {
				project, fault, err := d.Faults.NoticePlace(t.Context(), d.UserID, r.ID)
				if class := []string{"E", "E", "F"}[i]; err != nil || project != d.ProjectID || fault != d.FaultID(class) {
					t.Errorf("notice %d is in project %d, fault %d, error %v", i, project, fault, err)
				}
				if _, _, err := d.Faults.NoticePlace(t.Context(), stranger, r.ID); sett.CodeOf(err) != sett.NotFound {
					t.Errorf("a stranger finds notice %d: %v", i, err)
				}
			}
		}
		want()
		if err := d.Intake.Flush(t.Context()); err != nil {
			t.Fatal(err)
		} // the tokens are in their table
		want()
		for _, unknown := range []sett.UUID{{}, {15: 8}} {
			if _, _, err := d.Faults.NoticePlace(t.Context(), d.UserID, unknown); sett.CodeOf(err) != sett.NotFound {
				t.Errorf("notice %s: %v", unknown, err)
			}
		}
	})
}
