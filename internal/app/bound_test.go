package app_test

import (
	"testing"

	"sett/internal/setttest"
	"sett/internal/store"
)

// Each job that Bounds names for a table is among the jobs.
func TestBoundsNameJobs(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	jobs := map[string]bool{}
	for _, job := range s.App.Jobs() {
		jobs[job.Name] = true
	}
	for _, b := range store.Bounds() {
		if b.By != "" && !jobs[b.By] {
			t.Errorf("%s is cleared by %q, which is no job", b.Table, b.By)
		}
	}
}
