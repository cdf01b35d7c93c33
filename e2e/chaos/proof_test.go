package chaos

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"sett/e2e/rig"
	"sett/e2e/rig/load"
)

// Bounds at the end of a run.
const (
	mostResident = 256 << 20       // bytes of a node
	latestLease  = 2 * time.Minute // a lease ends so long from now at most
	freshAlert   = 20 * time.Second
)

// awaitQuiet waits until all nodes are ready and hold no reports.
func (c *chaos) awaitQuiet(t testing.TB) {
	t.Helper()
	for i, n := range c.nodes {
		rig.Await(t, fmt.Sprintf("node %d is ready, and its spool is empty", i+1), func() bool {
			web := http.Client{Timeout: 5 * time.Second}
			answer, err := web.Get(n.Base + "/readyz")
			if err != nil {
				return false
			}
			_ = answer.Body.Close()
			if answer.StatusCode != http.StatusOK {
				return false
			}
			waiting, spools := n.metrics(n.Manage(t))[`sett_queue_waiting{queue="spool"}`]
			return spools && waiting == 0
		})
	}
}

// proveNodes checks what a node says of itself after the faults.
func (c *chaos) proveNodes(t testing.TB, wrong *load.Problems) {
	t.Helper()
	for i, n := range c.nodes {
		if bytes := n.most.Load(); bytes > mostResident || bytes == 0 {
			wrong.Add("node %d had %d MB of memory", i+1, bytes>>20)
		}
		n.logged(t, func(level, message, line string) {
			if exits := strings.HasPrefix(line, "sett: "); level == "none" && !exits || strings.Contains(message, "panic") {
				wrong.Add("node %d logged %s", i+1, line)
			}
		})
		rig.Await(t, fmt.Sprintf("all loops of node %d work", i+1), func() bool { return len(n.above(t, "sett_loop_failures", 0)) == 0 })
		for _, dropped := range n.above(t, "sett_dropped_total", 0) {
			wrong.Add("node %d: %s", i+1, dropped)
		}
	}
}

// above returns the measurements of a metric that are above a value.
func (n *chaosNode) above(t testing.TB, metric string, least float64) (found []string) {
	t.Helper()
	for name, value := range n.metrics(n.Manage(t)) {
		if strings.HasPrefix(name, metric) && value > least {
			found = append(found, fmt.Sprint(name, " is ", value))
		}
	}
	return found
}

// proveLeases checks that no lease outlives those who may hold it, and that only live sessions hold locks.
func (c *chaos) proveLeases(t testing.TB, wrong *load.Problems) {
	t.Helper()
	primary := c.pair.members[0]
	for what, statement := range map[string]string{
		"leases end too late":                    fmt.Sprintf("SELECT string_agg(name || ' of ' || holder, ', ') FROM leases WHERE held_until > (extract(epoch FROM clock_timestamp()) + %d) * 1000000 HAVING count(*) > 0", int(latestLease.Seconds())),
		"sessions are left inside a transaction": "SELECT string_agg(query, '; ') FROM pg_stat_activity WHERE application_name = 'sett' AND state LIKE 'idle in transaction%' AND state_change < clock_timestamp() - interval '10 s' HAVING count(*) > 0",
		"locks are waited for":                   "SELECT string_agg(query, '; ') FROM pg_stat_activity WHERE application_name = 'sett' AND wait_event_type = 'Lock' AND query_start < clock_timestamp() - interval '10 s' HAVING count(*) > 0",
		"nodes are numbered that are dead":       fmt.Sprintf("SELECT count(DISTINCT objid)::text FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 2 HAVING count(DISTINCT objid) > %d", 4*chaosNodes),
	} {
		found, err := primary.try(statement)
		if err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
		if found != "" {
			wrong.Add("%s: %s", what, found)
		}
	}
}

// ownRefusals takes out of what the clients of a load were answered what the balancer has answered itself.
func ownRefusals(l *load.Load, own map[int]int) {
	l.Mu.Lock()
	defer l.Mu.Unlock()
	for status, n := range own {
		if l.Refused[status] -= n; l.Refused[status] <= 0 {
			delete(l.Refused, status)
		}
	}
}
