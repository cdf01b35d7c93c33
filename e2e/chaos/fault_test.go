package chaos

import (
	"fmt"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"sett/e2e/rig"
	"sett/e2e/rig/load"
)

// findings are problems that several goroutines find.
type findings struct {
	mu  sync.Mutex
	all load.Problems
}

// check notes an error of what the test itself does.
func (f *findings) check(what string, err error) {
	if err != nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.all.Add("%s: %v", what, err)
	}
}

// chaos is a cluster and what happens to it.
type chaos struct {
	lan   *lan
	pair  *pair
	nodes []*chaosNode
	wrong *findings

	storage *chaosStorage
}

// run has faults happen, one lane beside the other, until the last one has ended.
func (c *chaos) run(t testing.TB, lanes [][]chaosFault) {
	t.Helper()
	began := time.Now()
	until := func(at time.Duration) { <-time.After(time.Until(began.Add(at))) }
	var running sync.WaitGroup
	for _, faults := range lanes {
		running.Go(func() {
			for _, f := range faults {
				until(f.At)
				late := ""
				if by := time.Since(began) - f.At; by > time.Second {
					late = fmt.Sprintf(" (late by %.1fs)", by.Seconds())
				}
				t.Logf("%s%s", f, late)
				end := c.begin(t, f)
				until(f.End)
				end()
			}
		})
	}
	running.Wait()
}

// begin has a fault begin, and returns what ends it.
func (c *chaos) begin(t testing.TB, f chaosFault) (end func()) {
	n := c.nodes[f.Node]
	primary, standby := c.pair.members[0], c.pair.members[1]
	switch f.Kind {
	case killNode:
		n.keeper.down(syscall.SIGKILL)
		return n.keeper.up
	case pauseNode:
		n.keeper.signal(syscall.SIGSTOP)
		return func() { n.keeper.signal(syscall.SIGCONT) }
	case cutNode:
		return c.cut(n.at)
	case fillNode:
		return c.fill(n.Data)
	case stepClock:
		rig.SetClock(t, n.clock, f.Ahead)
		return func() {}
	case stopDatabase:
		primary.keeper.down(syscall.SIGINT) // a fast shutdown
		return primary.keeper.up
	case crashDatabase:
		primary.keeper.down(syscall.SIGQUIT)
		return primary.keeper.up
	case cutSession:
		return c.cutSessions(primary)
	case cutPrimary:
		return c.cut(primary.at)
	case cutStandby:
		return c.cut(standby.at)
	case fillDatabase:
		return c.fill(primary.dir)
	case killStorage:
		c.storage.keeper.down(syscall.SIGKILL)
		return c.storage.keeper.up
	case pauseStorage:
		c.storage.keeper.signal(syscall.SIGSTOP)
		return func() { c.storage.keeper.signal(syscall.SIGCONT) }
	case cutStorage:
		return c.cut(c.storage.at)
	case fillStorage:
		return c.fill(c.storage.dir)
	case promote:
		c.pair.promote()
		return func() { c.rebuild(t) }
	}
	panic("unknown fault " + f.Kind)
}

func (c *chaos) cut(m machine) (end func()) {
	c.wrong.check("cut", c.lan.cut(m))
	return func() { c.wrong.check("restore", c.lan.restore(m)) }
}

func (c *chaos) fill(dir string) (end func()) {
	c.wrong.check("fill the disk", rig.FillDisk(dir))
	return func() { c.wrong.check("free the disk", rig.FreeDisk(dir)) }
}

// rebuild makes a standby of the former primary, which may take longer than the fault.
func (c *chaos) rebuild(t testing.TB) {
	c.wrong.check("restore", c.lan.restore(c.pair.members[1].at))
	c.pair.rebuild(t)
}

// cutSessions ends all sessions of nodes, again and again.
func (c *chaos) cutSessions(primary *member) (end func()) {
	over := make(chan struct{})
	var cutting sync.WaitGroup
	cutting.Go(func() {
		for {
			_, err := primary.try(`SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity WHERE application_name = 'sett'`)
			c.wrong.check("end sessions", err)
			select {
			case <-over:
				return
			case <-time.After(700 * time.Millisecond):
			}
		}
	})
	return func() { close(over); cutting.Wait() }
}

// logs returns the last lines of nodes that report trouble, and of PostgreSQL, for one who looks for a cause.
func (c *chaos) logs(t testing.TB) string {
	t.Helper()
	var text strings.Builder
	for i, n := range c.nodes {
		var lines []string
		n.logged(t, func(level, _, line string) {
			if level != "INFO" {
				lines = append(lines, line)
			}
		})
		fmt.Fprintf(&text, "the end of the log of node %d:\n%s\n", i+1, strings.Join(lines[max(0, len(lines)-rig.KeptLines):], "\n"))
	}
	return text.String()
}
