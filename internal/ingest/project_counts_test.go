package ingest

import (
	"testing"

	"sett/internal/sett/accounts"
)

// Beyond the bound, projects share one count, and those that have one keep it.
func TestProjectCountsAreBounded(t *testing.T) {
	t.Parallel()
	var c projectCounts
	c.on.Store(true)
	for project := range int64(mostCountedProjects + 10) {
		c.count(written{refused: []accounts.Refusal{{ProjectID: project + 1, Outcome: accounts.Limited, Count: 2}}})
	}
	c.count(written{refused: []accounts.Refusal{{ProjectID: 1, Outcome: accounts.Limited, Count: 1}}})
	if len(c.counts) != mostCountedProjects+1 || c.counts[ProjectOutcome{0, accounts.Limited}] != 20 || c.counts[ProjectOutcome{1, accounts.Limited}] != 3 {
		t.Errorf("%d counts, others %d, first %d", len(c.counts), c.counts[ProjectOutcome{0, accounts.Limited}], c.counts[ProjectOutcome{1, accounts.Limited}])
	}
}
