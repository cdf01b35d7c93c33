package faultdb_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store"
	"sett/internal/store/accountdb"
	"sett/internal/store/faultdb"
	"sett/internal/store/storetest"
)

func TestNoticesAfter(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("A"))
		d.Record(storetest.Noon.Add(time.Second), accounts.Limits{}, d.Report("B"), d.Report("C"))
		classes := func(project int64, after sett.NoticeID, limit int) (found []string) {
			t.Helper()
			list, err := s.Faults.NoticesAfter(t.Context(), project, after, limit)
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range list {
				found = append(found, fmt.Sprint(n.Class, " ", n.CreatedAt().Sub(storetest.Noon).Truncate(time.Millisecond)))
			}
			return found
		}
		all := []string{"C 1s", "B 1s", "A 0s"}
		if diff := cmp.Diff(all, classes(d.ProjectID, 0, 9)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(all[:2], classes(d.ProjectID, sett.NoticeIDAt(storetest.Noon.Add(time.Second))-1, 9)); diff != "" {
			t.Errorf("after the first second (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(all[:1], classes(d.ProjectID, 0, 1)); diff != "" {
			t.Errorf("one (-want +got):\n%s", diff)
		}
		if other := classes(d.Project("Other").ID, 0, 9); len(other) > 0 {
			t.Errorf("another project has %q", other)
		}
	})
}

func TestNewestBodies(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		said := func(class, said string) *faultdb.Packed {
			return d.Report(class, body(`{"error":{"message":"`+said+`"}}`))
		}
		d.Record(storetest.Noon, accounts.Limits{}, said("A", "old"), said("B", "old"), said("C", "old"))
		d.Record(storetest.Noon.Add(time.Second), accounts.Limits{}, said("B", "new"))
		d.Record(storetest.Noon.Add(2*time.Second), accounts.Limits{}, said("A", "new"))
		if err := s.Intake.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		shown := func(most int) (all []string) {
			t.Helper()
			found, err := s.Faults.NewestBodies(t.Context(), d.ProjectID, most)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range found {
				all = append(all, fmt.Sprintf("%s %s", f.Class, f.JSON))
			}
			return all
		}
		want := []string{`A {"error":{"message":"new"}}`, `B {"error":{"message":"new"}}`, `C {"error":{"message":"old"}}`}
		if diff := cmp.Diff(want, shown(9)); diff != "" {
			t.Errorf("all (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(want[:2], shown(2)); diff != "" {
			t.Errorf("two (-want +got):\n%s", diff)
		}
		d.Run(`UPDATE bundles SET body = ''`)
		if got := shown(9); len(got) != 0 {
			t.Errorf("damaged: %q", got)
		}
	})
}

func TestProjectsByName(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Project("Billing 100%")
		for named, want := range map[string]int{"": 2, "shop": 1, "ILL": 1, "0%": 1, "%": 1, "x": 0} {
			f := accountdb.ProjectFilter{Named: named, Page: sett.Page{Size: 9}}
			lines, _, err := s.Faults.ProjectPulses(t.Context(), storetest.Noon, d.UserID, f)
			if projects, _, failed := s.Accounts.ListProjects(t.Context(), d.UserID, f); err != nil || failed != nil || len(lines) != want || len(projects) != want {
				t.Errorf("%q: %d lines and %d projects, want %d; %v, %v", named, len(lines), len(projects), want, err, failed)
			}
		}
	})
}
