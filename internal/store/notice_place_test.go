package store

import (
	"testing"

	"sett/internal/sett"
)

func TestNoticePlace(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		receipts := d.recordBusy(noon, sett.Limits{}, d.report("E"), d.report("E", withToken(7)), d.report("F"))
		_, stranger, err := d.CreateAccount(t.Context(), noon, "Others", NewUser{Email: "other@example.test", Name: "Other"})
		if err != nil {
			t.Fatal(err)
		}
		want := func() {
			t.Helper()
			for i, r := range receipts {
				project, fault, err := d.NoticePlace(t.Context(), d.UserID, r.ID)
				if class := []string{"E", "E", "F"}[i]; err != nil || project != d.ProjectID || fault != d.faultID(class) {
					t.Errorf("notice %d is in project %d, fault %d, error %v", i, project, fault, err)
				}
				if _, _, err := d.NoticePlace(t.Context(), stranger, r.ID); sett.CodeOf(err) != sett.NotFound {
					t.Errorf("a stranger finds notice %d: %v", i, err)
				}
			}
		}
		want()
		if err := d.Fold(t.Context()); err != nil {
			t.Fatal(err)
		} // the tokens are in their table
		want()
		for _, unknown := range []sett.UUID{{}, {15: 8}} {
			if _, _, err := d.NoticePlace(t.Context(), d.UserID, unknown); sett.CodeOf(err) != sett.NotFound {
				t.Errorf("notice %s: %v", unknown, err)
			}
		}
	})
}
