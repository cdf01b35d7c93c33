package kill

import (
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"sett/e2e/rig"
	"sett/e2e/rig/load"
)

// killAgents kills agents over and over while they upload. Whatever one has written to its spool must be in the history of
// its site, exactly once. Of several servers any may get the next request.
func killAgents(t *testing.T, database string, servers int) {
	s := rig.Prepare(t, database)
	s.Flags = append(s.Flags, "--egress-allow", "127.0.0.0/8")
	var bases []string
	for range servers {
		s.Restart(t)
		bases = append(bases, s.Base)
	}
	tg := rig.NewTarget(t, "127.0.0.1")
	sites := s.Manage(t).NewSites(s, tg, 2*manyPages)
	var posts []*rig.Agent
	for _, location := range []string{"Oregon", "Frankfurt"} {
		p := s.NewAgent(t, location, rig.NewGate(t, "127.0.0.1", bases...))
		p.Gate.Shaky = mostOnTheWay
		posts = append(posts, p)
	}
	n := max(2, load.Kills(t)/len(posts))
	written := map[rig.Look]bool{}
	var mu sync.Mutex
	var dying sync.WaitGroup
	for _, p := range posts {
		dying.Go(func() {
			found := die(t, p, n)
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
		finish(t, p)
	}
	proveLooks(s.Manage(t), s, sites, written)
	t.Logf("%d kills of agents: %d checks were written to their spools, and each counts once", n*len(posts), len(written))
}

// mostOnTheWay is how long a request of an agent, or its answer, may take to arrive, and how long after the beginning of
// an upload an agent is killed: so it is killed before the server has it, while that stores it, and after.
const mostOnTheWay = 300 * time.Millisecond

// die lives and is killed n times, each time while it uploads or soon after, and returns all that it ever wrote to its
// spool. It fails the test in its own goroutine only with Error.
func die(t testing.TB, p *rig.Agent, n int) (written map[rig.Look]bool) {
	written = map[rig.Look]bool{}
	for range n {
		p.Start(t)
		select {
		case <-p.Gate.Begun:
		case <-p.Ended:
			t.Errorf("an agent ended: %v", p.Err)
			return written
		case <-time.After(2 * time.Minute):
			t.Error("an agent uploaded nothing in two minutes")
			return written
		}
		<-time.After(rand.N(2 * mostOnTheWay))
		p.Kill()
		for _, l := range p.Spooled(t) {
			written[l] = true
		}
	}
	p.Gate.Mu.Lock()
	defer p.Gate.Mu.Unlock()
	maps.Copy(written, p.Gate.Uploaded)
	return written
}

// finish lets the agent live until the server has all that was in its spool.
func finish(t testing.TB, p *rig.Agent) {
	t.Helper()
	left := p.Batches(t)
	<-time.After(2 * mostOnTheWay) // an upload of its last life may be on its way still
	p.Start(t)
	<-p.Gate.Begun
	awaitUploaded(t, p, left)
	p.Stop(t)
}

// awaitUploaded waits until files are gone from the spool: the server has answered that it has them.
func awaitUploaded(t testing.TB, p *rig.Agent, files []string) {
	t.Helper()
	rig.Await(t, "everything was uploaded", func() bool {
		now := p.Batches(t)
		return !slices.ContainsFunc(files, func(file string) bool { return slices.Contains(now, file) })
	})
}

// proveLooks fails the test unless everything that was written is in the histories of the sites, and nothing is there
// twice.
func proveLooks(m rig.Manager, s *rig.Server, sites []rig.Site, written map[rig.Look]bool) {
	m.T.Helper()
	var wrong load.Problems
	stored := m.Stored(s, sites)
	for l, times := range stored {
		if times > 1 {
			wrong.Add("%+v is stored %d times", l, times)
		}
	}
	for l := range written {
		if stored[l] == 0 {
			wrong.Add("%+v was written to the spool and is not stored", l)
		}
	}
	if len(written) == 0 {
		wrong.Add("nothing was written to a spool")
	}
	wrong.Report(m.T)
}
