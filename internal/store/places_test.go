package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store"
	"sett/internal/store/storetest"
)

// Users find what they can see by a part of its name, and nothing of others; however much has the name, they get a few.
func TestPlaces(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Furnish(d.ProjectID)
		other, stranger := d.Stranger()
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("WalrusError"))
		find := func(user int64, text string) (kinds []sett.PlaceKind) {
			t.Helper()
			found, err := s.Places(t.Context(), user, text, 3)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range found {
				if !slices.Contains(kinds, p.Kind) {
					kinds = append(kinds, p.Kind)
				}
				if p.ID == "" || p.ProjectID == 0 && p.AccountID == "" || p.AccountID == other && user == d.UserID {
					t.Errorf("%q finds %+v", text, p)
				}
			}
			return kinds
		}
		for text, want := range map[string]sett.PlaceKind{
			"walrus": sett.ErrorPlace, fmt.Sprint(d.FaultID("WalrusError")): sett.ErrorPlace, "   ": "", "": "", "no such thing": "", "%": "", "_": "",
		} {
			got := find(d.UserID, text)
			if want == "" && len(got) > 0 || want != "" && !slices.Contains(got, want) {
				t.Errorf("%q finds %v, want %q", text, got, want)
			}
			if text == "walrus" && len(find(stranger, text)) > 0 {
				t.Errorf("a stranger finds %v", find(stranger, text))
			}
		}
		for i := range 5 {
			d.Record(storetest.Noon, accounts.Limits{}, d.Report(fmt.Sprint("Gannet", i)))
		}
		if found, err := s.Places(t.Context(), d.UserID, "gAnNet", 3); err != nil || len(found) != 3 {
			t.Errorf("%d places, %v; want 3", len(found), err)
		}
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("WalrusError", saying("a heron in the rain")))
		said, err := s.Places(t.Context(), d.UserID, "HERON in", 3)
		if err != nil || len(said) != 1 || said[0].ID != fmt.Sprint(d.FaultID("WalrusError")) || said[0].Detail != "a heron in the rain" {
			t.Errorf("a later message of an error finds %+v, %v", said, err)
		}
		if len(find(stranger, "heron")) > 0 {
			t.Error("a stranger finds the message")
		}
		var all []sett.PlaceKind
		for _, text := range []string{"a", "e", "o", "i"} { // some letter is in every name
			all = append(all, find(d.UserID, text)...)
		}
		for _, kind := range []sett.PlaceKind{sett.ProjectPlace, sett.ErrorPlace, sett.SitePlace, sett.CheckInPlace, sett.PersonPlace} {
			if !slices.Contains(all, kind) {
				t.Errorf("no %s is found", kind)
			}
		}
	})
}

// However many errors there are, a page reads the newest of them in the order of an index, and no others.
func TestPagesReadTheNewestErrors(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.OpenSQLite(t))
	for statement, wants := range map[string]string{
		store.NamedFaults: "SEARCH f USING INTEGER PRIMARY KEY (rowid>?)",
		store.FreshFaults: "SEARCH k USING COVERING INDEX faults_by_state (project_id=? AND resolved=? AND ignored=? AND created_at>?)",
	} {
		if plan := d.Plan(d.Text(statement), 1, 2, 3, 4); !strings.Contains(plan, wants) {
			t.Errorf("%s\nis run as\n%s", statement, plan)
		}
	}
}
