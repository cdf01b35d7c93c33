package faultdb_test

import (
	"testing"
	"time"

	"sett/internal/sett/faults"
	"sett/internal/store"
	"sett/internal/store/storetest"
)

func TestPreviousRevision(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		other := d.Project("Other").ID
		deploy := func(project int64, environment, revision string, at time.Duration) int64 {
			id, err := s.Faults.RecordDeploy(t.Context(), storetest.Noon, project, faults.Deploy{Environment: environment, Revision: revision, CreatedAt: storetest.Noon.Add(at)})
			if err != nil {
				t.Fatal(err)
			}
			return id
		}
		deploy(other, "production", "strange", -time.Minute)
		first := deploy(d.ProjectID, "production", "a", -5*time.Hour)
		deploy(d.ProjectID, "staging", "s", -3*time.Hour)
		second := deploy(d.ProjectID, "production", "b", -2*time.Hour)
		late := deploy(d.ProjectID, "production", "late", -4*time.Hour)
		again := deploy(d.ProjectID, "production", "b", -time.Hour)
		deploy(d.ProjectID, "production", "", -30*time.Minute)
		last := deploy(d.ProjectID, "production", "c", 0)
		for id, want := range map[int64]string{first: "", late: "a", second: "late", again: "late", last: "b", last + 1: ""} {
			if got, err := s.Faults.PreviousRevision(t.Context(), d.ProjectID, id); err != nil || got != want {
				t.Errorf("deploy %d replaced %q, %v; want %q", id, got, err, want)
			}
		}
		if got, err := s.Faults.PreviousRevision(t.Context(), other, last); err != nil || got != "" {
			t.Errorf("of another project: %q, %v", got, err)
		}
	})
}
