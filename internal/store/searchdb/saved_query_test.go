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

func TestSavedQueries(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		other, elsewhere := d.User("ann", accounts.Member), d.Project("Elsewhere").ID
		member, admin := accounts.Scope{Role: accounts.Member, OfTeam: true}, accounts.Scope{Role: accounts.Admin}
		save := func(user int64, name, q string, shared bool) faults.SavedSearch {
			t.Helper()
			made, err := s.Search.SaveQuery(t.Context(), storetest.Noon, user, d.ProjectID, faults.SavedSearchSettings{Name: name, Q: q, Period: "7d", View: "chart"}, shared)
			if err != nil {
				t.Fatal(err)
			}
			return made
		}
		names := func(user int64) (names []string) {
			t.Helper()
			found, err := s.Search.ListSavedQueries(t.Context(), user, d.ProjectID)
			if err != nil {
				t.Fatal(err)
			}
			for _, one := range found {
				names = append(names, fmt.Sprintf("%s: %s %s %s %v", one.Name, one.Q, one.Period, one.View, one.Shared))
			}
			return names
		}
		own, shared := save(d.UserID, " Mine ", "stats\n\tcount()", false), save(d.UserID, "Ours", "level:error", true)
		d.Save(d.ProjectID, faults.SavedSearchChange{Name: sett.Some("of errors"), Shared: sett.Some(true)})
		if diff := cmp.Diff([]string{"Mine: stats\n\tcount() 7d chart false", "Ours: level:error 7d chart true"}, names(d.UserID)); diff != "" {
			t.Errorf("mine (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"Ours: level:error 7d chart true"}, names(other)); diff != "" {
			t.Errorf("another's (-want +got):\n%s", diff)
		}
		if found, err := s.Search.ListSavedSearches(t.Context(), d.UserID, d.ProjectID); err != nil || len(found) != 1 {
			t.Errorf("searches of errors: %+v %v", found, err)
		}
		rename := func(s *faults.SavedSearchSettings) { s.Name = "Renamed" }
		for what, try := range map[string]struct {
			user    int64
			scope   accounts.Scope
			project int64
			id      int64
			code    sett.Code
		}{
			"another's own":           {other, member, d.ProjectID, own.ID, sett.NotFound},
			"a shared one of another": {other, member, d.ProjectID, shared.ID, sett.Forbidden},
			"one of another project":  {d.UserID, admin, elsewhere, own.ID, sett.NotFound},
		} {
			if _, err := s.Search.ChangeSavedQuery(t.Context(), try.user, try.scope, try.project, try.id, rename); sett.CodeOf(err) != try.code {
				t.Errorf("changing %s: %v, want %q", what, err, try.code)
			}
			if err := s.Search.DeleteSavedQuery(t.Context(), try.user, try.scope, try.project, try.id); sett.CodeOf(err) != try.code {
				t.Errorf("deleting %s: %v, want %q", what, err, try.code)
			}
		}
		if err := s.Search.DeleteSavedQuery(t.Context(), other, admin, d.ProjectID, shared.ID); err != nil {
			t.Errorf("a shared query, by an admin: %v", err)
		}
		if err := s.Search.DeleteSavedSearch(t.Context(), d.UserID, admin, d.ProjectID, own.ID); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("a query is deleted as a search of errors: %v", err)
		}
		if _, err := s.Search.ChangeSavedQuery(t.Context(), d.UserID, member, d.ProjectID, own.ID, func(s *faults.SavedSearchSettings) { s.Name = " " }); sett.CodeOf(err) != sett.Invalid {
			t.Errorf("a blank name: %v", err)
		}
		if _, err := s.Search.ChangeSavedQuery(t.Context(), d.UserID, member, d.ProjectID, own.ID, rename); err != nil {
			t.Error(err)
		}
		if one, err := s.Search.SavedQuery(t.Context(), d.UserID, d.ProjectID, own.ID); err != nil || one.Name != "Renamed" || one.Q != "stats\n\tcount()" {
			t.Errorf("%+v %v", one, err)
		}
		if _, err := s.Search.SaveQuery(t.Context(), storetest.Noon, d.UserID, d.ProjectID, faults.SavedSearchSettings{Name: "x", Q: "a\x01"}, false); sett.CodeOf(err) != sett.Invalid {
			t.Errorf("a control character: %v", err)
		}
		for i := range faults.MostSavedSearches - 1 {
			save(d.UserID, fmt.Sprint(i), "", false)
		}
		if _, err := s.Search.SaveQuery(t.Context(), storetest.Noon, d.UserID, d.ProjectID, faults.SavedSearchSettings{Name: "x"}, false); sett.CodeOf(err) != sett.Invalid {
			t.Errorf("one query too many: %v", err)
		}
	})
}
