package searchdb_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store"
	"sett/internal/store/storetest"
)

func TestSavedSearches(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		other := d.User("ann", accounts.Admin)
		names := func(user int64) (names []string) {
			t.Helper()
			found, err := s.Search.ListSavedSearches(t.Context(), user, d.ProjectID)
			if err != nil {
				t.Fatal(err)
			}
			for _, one := range found {
				names = append(names, fmt.Sprintf("%s %s %s %s %v", one.Name, one.Q, one.Environment, one.Order, one.Shared))
			}
			return names
		}
		own := d.Save(d.ProjectID, faults.SavedSearchChange{Name: sett.Some("own"), Q: sett.Some("is:resolved"), Environment: sett.Some("lab"), Order: sett.Some("recent")})
		shared := d.Save(d.ProjectID, faults.SavedSearchChange{Name: sett.Some("Open"), Q: sett.Some("-is:resolved"), Shared: sett.Some(true)})
		if diff := cmp.Diff([]string{"Open -is:resolved   true", "own is:resolved lab recent false"}, names(d.UserID)); diff != "" {
			t.Errorf("mine (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"Open -is:resolved   true"}, names(other)); diff != "" {
			t.Errorf("another's (-want +got):\n%s", diff)
		}
		for _, refused := range []faults.SavedSearchChange{
			{},
			{Name: sett.Some("x"), Order: sett.Some("oldest")},
			{Name: sett.Some("x"), Q: sett.Some("is:nonsense")},
		} {
			if _, err := s.Search.CreateSavedSearch(t.Context(), storetest.Noon, d.UserID, d.ProjectID, refused); sett.CodeOf(err) != sett.Invalid {
				t.Errorf("%+v: %v, want it refused", refused, err)
			}
		}
		member := accounts.Scope{Role: accounts.Member, OfTeam: true}
		if err := s.Search.DeleteSavedSearch(t.Context(), other, member, d.ProjectID, own.ID); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("another's own search: %v", err)
		}
		if err := s.Search.DeleteSavedSearch(t.Context(), other, member, d.ProjectID, shared.ID); sett.CodeOf(err) != sett.Forbidden {
			t.Errorf("a shared search of another: %v", err)
		}
		if err := s.Search.DeleteSavedSearch(t.Context(), other, accounts.Scope{Role: accounts.Admin}, d.ProjectID, shared.ID); err != nil {
			t.Errorf("a shared search by an admin: %v", err)
		}
		if err := s.Search.DeleteSavedSearch(t.Context(), d.UserID, member, d.ProjectID, own.ID); err != nil {
			t.Error(err)
		}
		for i := range faults.MostSavedSearches {
			d.Save(d.ProjectID, faults.SavedSearchChange{Name: sett.Some(fmt.Sprint(i))})
		}
		if _, err := s.Search.CreateSavedSearch(t.Context(), storetest.Noon, d.UserID, d.ProjectID, faults.SavedSearchChange{Name: sett.Some("x")}); sett.CodeOf(err) != sett.Invalid {
			t.Errorf("one search too many: %v", err)
		}
		d.Save(d.ProjectID, faults.SavedSearchChange{Name: sett.Some("x"), Shared: sett.Some(true)})
	})
}
