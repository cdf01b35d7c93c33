package statuspage

import (
	"fmt"
	"testing"

	"sett/internal/store/statusdb"
)

// A request trusts the index when the revision that was learnt is new enough, so the index must never be older than that revision.
func TestIndexIsAsNewAsTheRevisionLearnt(t *testing.T) {
	t.Parallel()
	const pages, moves = 5000, 200 // a new index of so many pages takes long enough for a reader to see it half done
	p := &Pages{ready: make(chan struct{})}
	entries := make([]statusdb.StatusEntry, pages)
	for i := range entries {
		entries[i] = statusdb.StatusEntry{ID: fmt.Sprint(i), Slug: fmt.Sprint("page-", i), Revision: 1}
	}
	p.learn(statusdb.StatusDirectory{Revision: 1, Whole: true, Entries: entries})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for revision := int64(2); revision <= moves; revision++ {
			moved := statusdb.StatusEntry{ID: "0", Slug: fmt.Sprint("moved-", revision), Revision: revision}
			p.learn(statusdb.StatusDirectory{Revision: revision, Entries: []statusdb.StatusEntry{moved}})
		}
	}()
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		learnt := p.learnt.Load()
		x := p.index.Load()
		if got := x.entries[0].Revision; got < learnt {
			t.Fatalf("revision %d was learnt, but the index is of %d", learnt, got)
		}
		if got := x.pages[0].revision.Load(); got < learnt {
			t.Fatalf("revision %d was learnt, but the page has %d", learnt, got)
		}
	}
}
