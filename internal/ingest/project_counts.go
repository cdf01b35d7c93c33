package ingest

import (
	"maps"
	"sync"
	"sync/atomic"

	"sett/internal/sett/accounts"
)

// mostCountedProjects is how many projects have counts of their own; those of all others are counted as project 0.
const mostCountedProjects = 1000

// ProjectOutcome is a way that notices of a project ended.
type ProjectOutcome struct {
	Project int64 // 0: one of those beyond mostCountedProjects
	Outcome accounts.Outcome
}

// projectCounts counts notices by project, since the start, once it is on.
type projectCounts struct {
	on     atomic.Bool
	mu     sync.Mutex
	known  map[int64]bool
	counts map[ProjectOutcome]int64
}

// CountProjects counts notices by project from now on.
func (b *Buffer) CountProjects() { b.projects.on.Store(true) }

// EndedByProject returns how many notices of each project have ended in each way since the start, without repetitions.
func (b *Buffer) EndedByProject() map[ProjectOutcome]int64 {
	b.projects.mu.Lock()
	defer b.projects.mu.Unlock()
	return maps.Clone(b.projects.counts)
}

// count adds a batch that is stored.
func (c *projectCounts) count(done written) {
	if !c.on.Load() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	receipts := done.receipts
	for _, w := range done.batch {
		if w.report == nil {
			continue
		}
		if !receipts[0].Duplicate {
			c.add(w.report.ProjectID, receipts[0].Outcome, 1)
		}
		receipts = receipts[1:]
	}
	for _, r := range done.refused {
		c.add(r.ProjectID, r.Outcome, r.Count)
	}
}

func (c *projectCounts) add(project int64, outcome accounts.Outcome, n int64) {
	if c.known == nil {
		c.known, c.counts = map[int64]bool{}, map[ProjectOutcome]int64{}
	}
	if !c.known[project] && len(c.known) >= mostCountedProjects {
		project = 0
	} else {
		c.known[project] = true
	}
	c.counts[ProjectOutcome{project, outcome}] += n
}
