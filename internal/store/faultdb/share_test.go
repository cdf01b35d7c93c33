package faultdb_test

import (
	"testing"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store"
	"sett/internal/store/storetest"
)

func TestPublicLinks(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := merges{newDesk(t, s)}
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("A"), d.Report("B"))
		a, b := d.FaultID("A"), d.FaultID("B")
		hash := d.Share(d.ProjectID, a)
		want := func(when string, hash []byte, shown int64) {
			t.Helper()
			f, err := s.Faults.SharedFault(t.Context(), hash)
			if shown == 0 && sett.CodeOf(err) != sett.NotFound || shown != 0 && (err != nil || f.ID != shown) {
				t.Errorf("%s: fault %d, %v; want %d", when, f.ID, err, shown)
			}
		}
		allow := func(disabled bool) {
			t.Helper()
			if err := s.Accounts.UpdateProject(t.Context(), d.ProjectID, accounts.ProjectChange{DisablePublicLinks: sett.Some(disabled)}); err != nil {
				t.Fatal(err)
			}
		}
		want("made", hash, a)
		want("another hash", []byte("other"), 0)
		if share, err := s.Faults.ShareOfFault(t.Context(), d.ProjectID, a); err != nil || share.MadeBy.ID != d.UserID || !share.CreatedAt.Equal(storetest.Noon) {
			t.Errorf("the link is %+v, %v", share, err)
		}
		allow(true)
		want("disabled", hash, 0)
		if err := s.Faults.ShareFault(t.Context(), storetest.Noon, d.UserID, d.ProjectID, b, []byte("b")); sett.CodeOf(err) != sett.Forbidden {
			t.Errorf("a link was made in a project that allows none: %v", err)
		}
		allow(false)
		want("allowed again", hash, a)
		d.merge(a, b)
		want("merged", hash, 0)
		d.split(a)
		want("split", hash, a)
		if err := s.Faults.ShareFault(t.Context(), storetest.Noon, d.UserID, d.ProjectID, a, []byte("new")); err != nil {
			t.Fatal(err)
		}
		want("replaced", hash, 0)
		want("its replacement", []byte("new"), a)
		if err := s.Faults.UnshareFault(t.Context(), d.ProjectID, a); err != nil {
			t.Fatal(err)
		}
		want("ended", []byte("new"), 0)
		if err := s.Faults.UnshareFault(t.Context(), d.ProjectID, a); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("a link ended twice: %v", err)
		}
		d.Share(d.ProjectID, a)
		d.merge(a, b)
		if err := s.Faults.DeleteFault(t.Context(), d.ProjectID, b); err != nil {
			t.Fatal(err)
		}
		if n := d.Numbers(`SELECT count(*) FROM fault_shares`, 1)[0]; n != 0 {
			t.Errorf("%d links are left of a deleted fault", n)
		}
	})
}
