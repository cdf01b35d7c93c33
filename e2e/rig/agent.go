package rig

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

// Agent is an agent: its token, its spool, and the gate through which it reaches the server. It may live many lives.
type Agent struct {
	*Process
	ID       int64
	Location string
	Token    string
	dir      string
	Gate     *Gate
	Netns    []string // the command that puts it into a network of its own; nil for the machine's
}

// NewAgent makes an agent's token as an operator does, and its gate; it does not run yet.
func (s *Server) NewAgent(t testing.TB, location string, g *Gate) *Agent {
	t.Helper()
	var made struct {
		ID    int64
		Token string
	}
	s.Sett(t, &made, "agents", "add", location)
	return &Agent{ID: made.ID, Location: location, Token: made.Token, dir: t.TempDir(), Gate: g}
}

// Sett runs a command of administration beside the server and reads what it prints as JSON, if anything.
func (s *Server) Sett(t testing.TB, into any, args ...string) {
	t.Helper()
	args = append(args, s.Storage...)
	if into != nil {
		args = append(args, "--json")
	}
	cmd := program.Bounded(Binary, args...)
	cmd.Env = Environment()
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

// Start begins the next life of the agent.
func (p *Agent) Start(t testing.TB) {
	t.Helper()
	line := append(p.Netns, Binary, "agent", "--server", p.Gate.URL, "--location", p.Location, "--spool", p.dir,
		"--egress-allow", "127.0.0.0/8,198.18.0.0/15", "--log-format", "json")
	cmd := exec.Command(line[0], line[1:]...)
	p.Process = Begin(t, cmd, "SETT_TOKEN="+p.Token)
}

// Look is one look at a site from a location.
type Look struct {
	site, location string
	at             int64 // microseconds since 1970
}

func looks(location string, reports []prober.Report) (all []Look) {
	for _, r := range reports {
		all = append(all, Look{r.SiteID.String(), location, r.Result.At.UnixMicro()})
	}
	return all
}

// Batches returns the files in the agent's spool.
func (p *Agent) Batches(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(p.dir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// Spooled returns what is in the agent's spool and whole.
func (p *Agent) Spooled(t testing.TB) (all []Look) {
	t.Helper()
	for _, file := range p.Batches(t) {
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
		all = append(all, looks(p.Location, reports)...)
	}
	return all
}

// Site is a site as the management interface shows it.
type Site struct {
	ID, State     string
	LiveLocations []string `json:"live_locations"`
}

// NewSite has a page of the target checked every minute, from all locations or those named.
func (m Manager) NewSite(s *Server, url string, locations ...string) (made Site) {
	m.T.Helper()
	body := map[string]any{"url": url, "frequency": 1}
	if locations != nil {
		body["locations"] = locations
	}
	answer := m.Do("POST", s.Project()+"/sites", map[string]any{"site": body}, 201)
	if err := json.Unmarshal(answer, &made); err != nil {
		m.T.Fatal(err)
	}
	return made
}

// NewSites makes so many of them, each with its own page.
func (m Manager) NewSites(s *Server, tg *Target, n int, locations ...string) (all []Site) {
	m.T.Helper()
	for i := range n {
		all = append(all, m.NewSite(s, tg.Page(strconv.Itoa(i)), locations...))
	}
	return all
}

// Site returns a site as it is now.
func (m Manager) Site(s *Server, id string) (found Site) {
	m.T.Helper()
	m.Get(s.Project()+"/sites/"+id, &found)
	return found
}

// UptimeCheck is a row of a site's history.
type UptimeCheck struct {
	CreatedAt time.Time `json:"created_at"`
	Location  string
	Up        bool
}

// Checks returns all checks of a site.
func (m Manager) Checks(s *Server, id string) []UptimeCheck {
	m.T.Helper()
	return List[UptimeCheck](m, s.Project()+"/sites/"+id+"/uptime_checks")
}

type outage struct {
	DownAt time.Time  `json:"down_at"`
	UpAt   *time.Time `json:"up_at"`
}

// Outages returns all outages of a site.
func (m Manager) Outages(s *Server, id string) []outage {
	m.T.Helper()
	return List[outage](m, s.Project()+"/sites/"+id+"/outages")
}

// Stored returns how often each look is in the histories of sites.
func (m Manager) Stored(s *Server, sites []Site) map[Look]int {
	m.T.Helper()
	all := map[Look]int{}
	for _, have := range sites {
		for _, c := range m.Checks(s, have.ID) {
			all[Look{have.ID, c.Location, c.CreatedAt.UnixMicro()}]++
		}
	}
	return all
}

// live waits until exactly these locations of a site are live, given in the order of the contract.
func (m Manager) AwaitLive(s *Server, id string, want ...checks.Location) {
	m.T.Helper()
	var names []string
	for _, l := range want {
		names = append(names, string(l))
	}
	Await(m.T, "live are "+strings.Join(names, ", "), func() bool {
		return strings.Join(m.Site(s, id).LiveLocations, " ") == strings.Join(names, " ")
	})
}
