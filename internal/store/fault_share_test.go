package store

import (
	"testing"

	"sett/internal/sett"
)

// share makes a public link whose token has the hash "hash" and the id of the fault.
func (d *desk) share(project, fault int64) (hash []byte) {
	d.t.Helper()
	hash = append([]byte("hash"), byte(fault))
	if err := d.ShareFault(d.t.Context(), noon, d.UserID, project, fault, hash); err != nil {
		d.t.Fatal(err)
	}
	return hash
}

func TestPublicLinks(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := merges{newDesk(t, s)}
		d.record(noon, sett.Limits{}, d.report("A"), d.report("B"))
		a, b := d.faultID("A"), d.faultID("B")
		hash := d.share(d.ProjectID, a)
		want := func(when string, hash []byte, shown int64) {
			t.Helper()
			f, err := s.SharedFault(t.Context(), hash)
			if shown == 0 && sett.CodeOf(err) != sett.NotFound || shown != 0 && (err != nil || f.ID != shown) {
				t.Errorf("%s: fault %d, %v; want %d", when, f.ID, err, shown)
			}
		}
		allow := func(disabled bool) {
			t.Helper()
			if err := s.UpdateProject(t.Context(), d.ProjectID, sett.ProjectChange{DisablePublicLinks: sett.Some(disabled)}); err != nil {
				t.Fatal(err)
			}
		}
		want("made", hash, a)
		want("another hash", []byte("other"), 0)
		if share, err := s.ShareOfFault(t.Context(), d.ProjectID, a); err != nil || share.MadeBy.ID != d.UserID || !share.CreatedAt.Equal(noon) {
			t.Errorf("the link is %+v, %v", share, err)
		}
		allow(true)
		want("disabled", hash, 0)
		if err := s.ShareFault(t.Context(), noon, d.UserID, d.ProjectID, b, []byte("b")); sett.CodeOf(err) != sett.Forbidden {
			t.Errorf("a link was made in a project that allows none: %v", err)
		}
		allow(false)
		want("allowed again", hash, a)
		d.merge(a, b)
		want("merged", hash, 0)
		d.split(a)
		want("split", hash, a)
		if err := s.ShareFault(t.Context(), noon, d.UserID, d.ProjectID, a, []byte("new")); err != nil {
			t.Fatal(err)
		}
		want("replaced", hash, 0)
		want("its replacement", []byte("new"), a)
		if err := s.UnshareFault(t.Context(), d.ProjectID, a); err != nil {
			t.Fatal(err)
		}
		want("ended", []byte("new"), 0)
		if err := s.UnshareFault(t.Context(), d.ProjectID, a); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("a link ended twice: %v", err)
		}
		d.share(d.ProjectID, a)
		d.merge(a, b)
		if err := s.DeleteFault(t.Context(), d.ProjectID, b); err != nil {
			t.Fatal(err)
		}
		if n := d.numbers(`SELECT count(*) FROM fault_shares`, 1)[0]; n != 0 {
			t.Errorf("%d links are left of a deleted fault", n)
		}
	})
}
