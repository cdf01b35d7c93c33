package repo_test

import (
	"testing"

	"sett/internal/sett/repo"
)

func TestChecksAreWorstFirst(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		said []repo.Checks
		want repo.Checks
	}{
		{nil, repo.ChecksUnknown},
		{[]repo.Checks{repo.CheckState("success"), repo.CheckState("INPROGRESS")}, repo.ChecksRunning},
		{[]repo.Checks{repo.CheckState("pending"), repo.CheckRun("completed", "timed_out")}, repo.ChecksFailed},
		{[]repo.Checks{repo.CheckRun("completed", "skipped"), repo.CheckRun("completed", "stale"), repo.CheckState("manual")}, repo.ChecksPassed},
		{[]repo.Checks{repo.CheckRun("queued", "")}, repo.ChecksRunning},
		{[]repo.Checks{repo.CheckState("skipped")}, repo.ChecksUnknown},
	} {
		if got := repo.Together(c.said); got != c.want {
			t.Errorf("%q is %q, want %q", c.said, got, c.want)
		}
	}
}
