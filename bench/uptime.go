package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"syscall"
	"time"
)

// UptimeOptions say what is measured of uptime checks.
type UptimeOptions struct {
	Executable string // the sett binary
	Data       string // an empty directory for the embedded database
	Database   string // "" or a postgres:// URL of an empty database
	Token      string // of a user who may create projects
	Sites      int    // each is checked every minute
	Hanging    float64
	Duration   time.Duration // for which intervals are measured
	Errors     io.Writer     // where the server's log goes
}

// UptimeResult is what was measured. Intervals are those of sites that answer.
type UptimeResult struct {
	Sites, Hanging int
	Checks         int              // in the measured time, of sites that answer
	Missed         int              // intervals of more than a minute and a half
	Interval       [3]time.Duration // the shortest, the median and the longest
	Drift          time.Duration    // the most that a site's second of the minute has moved
	CPU            time.Duration    // of the server, a check of any site
	Memory         int64            // greatest resident set of the server, bytes
	Coverage       time.Duration    // after a kill and a restart, until every site that answers was checked; 0: it was not
}

// frequency is how often each site is checked.
const frequency = time.Minute

// Uptime measures how many minutely sites a sett checks, and how well it keeps to the minute.
func Uptime(ctx context.Context, o UptimeOptions) (res UptimeResult, err error) {
	t, err := startTargets(o.Sites, o.Hanging)
	if err != nil {
		return res, err
	}
	defer func() { err = errors.Join(err, t.close()) }()
	address, _, err := freeAddresses()
	if err != nil {
		return res, err
	}
	server, err := o.start(ctx, address)
	if err != nil {
		return res, err
	}
	defer func() { err = errors.Join(err, ended(server.stop())) }()
	if err := o.createSites(ctx, manager{"http://" + address, o.Token}, t.urls); err != nil {
		return res, err
	}
	if err := wait(ctx, 2*frequency); err != nil { // until hanging sites hang, and the first checks out of turn are over
		return res, err
	}
	t.take()
	before := server.cpu()
	if err := wait(ctx, o.Duration); err != nil {
		return res, err
	}
	visits := t.take()
	res = summary(visits)
	res.Sites, res.Hanging, res.Memory = o.Sites, t.hanging, server.memory()
	all := float64(res.Checks) * float64(o.Sites) / float64(max(1, o.Sites-t.hanging))
	res.CPU = time.Duration(float64(server.cpu()-before) / max(1, all))

	if err := server.kill(); err != nil {
		return res, err
	}
	t.take()
	began := time.Now()
	if server, err = o.start(ctx, address); err != nil {
		return res, err
	}
	res.Coverage, err = t.covered(ctx, began)
	return res, err
}

// start runs the server. A site hangs for as long as a check of it may take, which is half of its minute.
func (o UptimeOptions) start(ctx context.Context, address string) (*process, error) {
	return startProcess(ctx, address, "/readyz", o.Errors,
		[]string{"SETT_DATABASE=" + o.Database, "SETT_API_RATE_LIMIT=0"},
		o.Executable, "serve", "--listen", address, "--data", o.Data, "--log-level", "warn", "--egress-allow", "127.0.0.0/8")
}

func (o UptimeOptions) createSites(ctx context.Context, m manager, urls []string) error {
	p, err := m.createProject(ctx, "Bench")
	if err != nil {
		return err
	}
	for _, url := range urls {
		body := map[string]any{"site": map[string]any{"url": url, "frequency": 1}}
		if err := m.do(ctx, http.MethodPost, fmt.Sprintf("/v2/projects/%d/sites", p.ID), body, nil); err != nil {
			return err
		}
	}
	return nil
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// summary says how the minutes of sites were kept, from when each was visited.
func summary(visits [][]time.Time) (res UptimeResult) {
	var intervals []time.Duration
	for _, at := range visits {
		res.Checks += len(at)
		for i := 1; i < len(at); i++ {
			interval := at[i].Sub(at[i-1])
			intervals = append(intervals, interval)
			if interval > frequency*3/2 {
				res.Missed++
			}
		}
	}
	if len(intervals) > 0 {
		slices.Sort(intervals)
		res.Interval = [3]time.Duration{intervals[0], intervals[len(intervals)/2], intervals[len(intervals)-1]}
	}
	return res
}

// covered returns how long after began every site that answers was visited, or 0 when that takes longer than two
// minutes.
func (t *targets) covered(ctx context.Context, began time.Time) (time.Duration, error) {
	seen := make([]bool, len(t.urls)-t.hanging)
	missing := len(seen)
	var last time.Time
	for time.Since(began) < 2*frequency {
		for site, at := range t.take() {
			if len(at) == 0 || seen[site] {
				continue
			}
			seen[site] = true
			if last = at[0]; missing == 1 {
				return last.Sub(began), nil
			}
			missing--
		}
		if err := wait(ctx, 100*time.Millisecond); err != nil {
			return 0, err
		}
	}
	return 0, nil
}

// kill ends the process as a crash would.
func (p *process) kill() error {
	if err := p.cmd.Process.Signal(syscall.SIGKILL); err != nil {
		return err
	}
	_ = p.cmd.Wait() // it says that it was killed
	return nil
}
