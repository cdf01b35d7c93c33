package accountdb_test

import (
	"fmt"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/regroup"
	"sett/internal/store"
	"sett/internal/store/storetest"
)

func TestGroupingRulesHaveVersions(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		now := storetest.Noon
		change := func(seen, rules string, joined int64) error {
			now = now.Add(time.Minute)
			return s.Accounts.UpdateGrouping(t.Context(), now, d.UserID, d.ProjectID, seen, rules, joined)
		}
		if err := change("", "app: a", 2); err != nil {
			t.Fatal(err)
		}
		first := now
		if err := change("app: a", "app: a", 0); err != nil { // no change is no version
			t.Fatal(err)
		}
		if err := change("", "app: b", 0); sett.CodeOf(err) != sett.Conflict {
			t.Errorf("over what another user saved: %v", err)
		}
		if err := change("app: a", "b", 0); sett.CodeOf(err) != sett.Invalid {
			t.Errorf("rules that are none: %v", err)
		}
		if err := s.Accounts.UpdateGrouping(t.Context(), now, d.UserID, d.ProjectID+99, "", "app: a", 0); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("another project: %v", err)
		}
		if err := change("app: a", "app: b", 0); err != nil {
			t.Fatal(err)
		}
		settings, err := s.Accounts.Grouping(t.Context(), d.ProjectID)
		if want := (regroup.Settings{Rules: "app: b", Before: "app: a", ChangedAt: now}); err != nil || settings != want {
			t.Errorf("settings are %+v, %v, want %+v", settings, err, want)
		}
		versions, err := s.Accounts.GroupingVersions(t.Context(), d.ProjectID)
		if err != nil || len(versions) != 2 || versions[0].Rules != "app: b" || versions[1].Joined != 2 || !versions[1].At.Equal(first) || versions[1].By.ID != d.UserID || versions[1].By.Email == "" {
			t.Errorf("versions are %+v, %v", versions, err)
		}
		seen := "app: b"
		for i := range 55 {
			rules := fmt.Sprintf("app: c%d", i)
			if err := change(seen, rules, 0); err != nil {
				t.Fatal(err)
			}
			seen = rules
		}
		d.WantNumbers("versions that are kept", `SELECT count(*) FROM grouping_changes WHERE project_id = $1`, []any{d.ProjectID}, 50)
	})
}
