package e2e

import (
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"
)

// killAgents kills agents over and over while they upload. Whatever one has written to its spool must be in the history of
// its site, exactly once. Of several servers any may get the next request.
func killAgents(t *testing.T, database string, servers int) {
	s := prepare(t, database)
	s.flags = append(s.flags, "--egress-allow", "127.0.0.0/8")
	var bases []string
	for range servers {
		s.restart(t)
		bases = append(bases, s.base)
	}
	tg := newTarget(t, "127.0.0.1")
	sites := s.manage(t).newSites(s, tg, 2*manyPages)
	var posts []*post
	for _, location := range []string{"Oregon", "Frankfurt"} {
		p := s.newPost(t, location, newGate(t, "127.0.0.1", bases...))
		p.gate.shaky = mostOnTheWay
		posts = append(posts, p)
	}
	n := max(2, kills(t)/len(posts))
	written := map[look]bool{}
	var mu sync.Mutex
	var dying sync.WaitGroup
	for _, p := range posts {
		dying.Go(func() {
			found := p.die(t, n)
			mu.Lock()
			defer mu.Unlock()
			maps.Copy(written, found)
		})
	}
	dying.Wait()
	if t.Failed() {
		return
	}
	for _, p := range posts {
		p.finish(t)
	}
	s.manage(t).proveLooks(s, sites, written)
	t.Logf("%d kills of agents: %d checks were written to their spools, and each counts once", n*len(posts), len(written))
}

// mostOnTheWay is how long a request of an agent, or its answer, may take to arrive, and how long after the beginning of
// an upload an agent is killed: so it is killed before the server has it, while that stores it, and after.
const mostOnTheWay = 300 * time.Millisecond

// die lives and is killed n times, each time while it uploads or soon after, and returns all that it ever wrote to its
// spool. It fails the test in its own goroutine only with Error.
func (p *post) die(t testing.TB, n int) (written map[look]bool) {
	written = map[look]bool{}
	for range n {
		p.start(t)
		select {
		case <-p.gate.begun:
		case <-p.ended:
			t.Errorf("an agent ended: %v", p.err)
			return written
		case <-time.After(2 * time.Minute):
			t.Error("an agent uploaded nothing in two minutes")
			return written
		}
		<-time.After(rand.N(2 * mostOnTheWay))
		p.kill()
		for _, l := range p.spooled(t) {
			written[l] = true
		}
	}
	p.gate.mu.Lock()
	defer p.gate.mu.Unlock()
	maps.Copy(written, p.gate.uploaded)
	return written
}

// finish lets the agent live until the server has all that was in its spool.
func (p *post) finish(t testing.TB) {
	t.Helper()
	left := p.batches(t)
	<-time.After(2 * mostOnTheWay) // an upload of its last life may be on its way still
	p.start(t)
	<-p.gate.begun
	p.awaitUploaded(t, left)
	p.stop(t)
}

// awaitUploaded waits until files are gone from the spool: the server has answered that it has them.
func (p *post) awaitUploaded(t testing.TB, files []string) {
	t.Helper()
	await(t, "everything was uploaded", func() bool {
		now := p.batches(t)
		return !slices.ContainsFunc(files, func(file string) bool { return slices.Contains(now, file) })
	})
}

// proveLooks fails the test unless everything that was written is in the histories of the sites, and nothing is there
// twice.
func (m manager) proveLooks(s *server, sites []site, written map[look]bool) {
	m.t.Helper()
	var wrong problems
	stored := m.stored(s, sites)
	for l, times := range stored {
		if times > 1 {
			wrong.add("%+v is stored %d times", l, times)
		}
	}
	for l := range written {
		if stored[l] == 0 {
			wrong.add("%+v was written to the spool and is not stored", l)
		}
	}
	if len(written) == 0 {
		wrong.add("nothing was written to a spool")
	}
	wrong.report(m.t)
}
