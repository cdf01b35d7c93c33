package e2e

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"sett/internal/monitor/prober"
	"sett/internal/sett/checks"
	"sett/internal/setttest/program"
)

// post is an agent: its token, its spool, and the gate through which it reaches the server. It may live many lives.
type post struct {
	*process
	id       int64
	location string
	token    string
	dir      string
	gate     *gate
	netns    []string // the command that puts it into a network of its own; nil for the machine's
}

// newPost makes an agent's token as an operator does, and its gate; it does not run yet.
func (s *server) newPost(t testing.TB, location string, g *gate) *post {
	t.Helper()
	var made struct {
		ID    int64
		Token string
	}
	s.sett(t, &made, "agents", "add", location)
	return &post{id: made.ID, location: location, token: made.Token, dir: t.TempDir(), gate: g}
}

// sett runs a command of administration beside the server and reads what it prints as JSON, if anything.
func (s *server) sett(t testing.TB, into any, args ...string) {
	t.Helper()
	args = append(args, s.storage...)
	if into != nil {
		args = append(args, "--json")
	}
	cmd := program.Bounded(settBinary, args...)
	cmd.Env = environment()
	out, err := cmd.Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		t.Fatalf("sett %v: %v: %s", args, err, failed.Stderr)
	}
	if err == nil && into != nil {
		err = json.Unmarshal(out, into)
	}
	if err != nil {
		t.Fatalf("sett %v: %v: %s", args, err, out)
	}
}

// start begins the next life of the agent.
func (p *post) start(t testing.TB) {
	t.Helper()
	line := append(p.netns, settBinary, "agent", "--server", p.gate.url, "--location", p.location, "--spool", p.dir,
		"--egress-allow", "127.0.0.0/8,198.18.0.0/15", "--log-format", "json")
	cmd := exec.Command(line[0], line[1:]...)
	p.process = begin(t, cmd, "SETT_TOKEN="+p.token)
}

// look is one look at a site from a location.
type look struct {
	site, location string
	at             int64 // microseconds since 1970
}

func looks(location string, reports []prober.Report) (all []look) {
	for _, r := range reports {
		all = append(all, look{r.SiteID.String(), location, r.Result.At.UnixMicro()})
	}
	return all
}

// batches returns the files in the agent's spool.
func (p *post) batches(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(p.dir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// spooled returns what is in the agent's spool and whole.
func (p *post) spooled(t testing.TB) (all []look) {
	t.Helper()
	for _, file := range p.batches(t) {
		text, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue // sent meanwhile
		}
		var reports []prober.Report
		if err == nil {
			err = json.Unmarshal(text, &reports)
		}
		if err != nil {
			t.Fatalf("%s is in the spool and cannot be read: %v", file, err)
		}
		all = append(all, looks(p.location, reports)...)
	}
	return all
}

// site is a site as the management interface shows it.
type site struct {
	ID, State     string
	LiveLocations []string `json:"live_locations"`
}

// newSite has a page of the target checked every minute, from all locations or those named.
func (m manager) newSite(s *server, url string, locations ...string) (made site) {
	m.t.Helper()
	body := map[string]any{"url": url, "frequency": 1}
	if locations != nil {
		body["locations"] = locations
	}
	answer := m.do("POST", s.project()+"/sites", map[string]any{"site": body}, 201)
	if err := json.Unmarshal(answer, &made); err != nil {
		m.t.Fatal(err)
	}
	return made
}

// newSites makes so many of them, each with its own page.
func (m manager) newSites(s *server, tg *target, n int, locations ...string) (all []site) {
	m.t.Helper()
	for i := range n {
		all = append(all, m.newSite(s, tg.page(strconv.Itoa(i)), locations...))
	}
	return all
}

func (m manager) site(s *server, id string) (found site) {
	m.t.Helper()
	m.get(s.project()+"/sites/"+id, &found)
	return found
}

// uptimeCheck is a row of a site's history.
type uptimeCheck struct {
	CreatedAt time.Time `json:"created_at"`
	Location  string
	Up        bool
}

func (m manager) checks(s *server, id string) []uptimeCheck {
	m.t.Helper()
	return list[uptimeCheck](m, s.project()+"/sites/"+id+"/uptime_checks")
}

type outage struct {
	DownAt time.Time  `json:"down_at"`
	UpAt   *time.Time `json:"up_at"`
}

func (m manager) outages(s *server, id string) []outage {
	m.t.Helper()
	return list[outage](m, s.project()+"/sites/"+id+"/outages")
}

// stored returns how often each look is in the histories of sites.
func (m manager) stored(s *server, sites []site) map[look]int {
	m.t.Helper()
	all := map[look]int{}
	for _, have := range sites {
		for _, c := range m.checks(s, have.ID) {
			all[look{have.ID, c.Location, c.CreatedAt.UnixMicro()}]++
		}
	}
	return all
}

// live waits until exactly these locations of a site are live, given in the order of the contract.
func (m manager) awaitLive(s *server, id string, want ...checks.Location) {
	m.t.Helper()
	var names []string
	for _, l := range want {
		names = append(names, string(l))
	}
	await(m.t, "live are "+strings.Join(names, ", "), func() bool {
		return strings.Join(m.site(s, id).LiveLocations, " ") == strings.Join(names, " ")
	})
}

// await returns once something is true; that it takes its time is no failure.
func await(t testing.TB, what string, true func() bool) {
	t.Helper()
	for limit := time.After(3 * time.Minute); !true(); {
		select {
		case <-limit:
			t.Fatal("never: ", what)
		case <-time.After(100 * time.Millisecond):
		}
	}
}
