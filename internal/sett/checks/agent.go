package checks

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"sett/internal/sett"
)

// Agent is a program that checks sites from another location than the server's.
type Agent struct {
	ID        int64
	Name      string
	CreatedAt time.Time
	AgentReport
}

// AgentReport is what an agent says of itself when it polls.
type AgentReport struct {
	Location Location // that its token is for; "" until the first message of an agent that has none yet
	Version  string   // of its program
	HeardAt  time.Time
	Degraded bool          // nothing can be reached from there
	Skew     time.Duration // how far its clock is ahead of the server's
	Dropped  int64         // reports that it had no room to keep while the server was away, since it began
}

// AgentSilence is for how long an agent may say nothing before its location counts as gone.
const AgentSilence = 30 * time.Second

// agentTokenPrefix begins every token of an agent.
const agentTokenPrefix = "sett_a_"

// NewAgentToken returns a new token of an agent, with 256 random bits. Only its hash is ever stored.
func NewAgentToken() string { return agentTokenPrefix + sett.RandomString(sett.TokenLength) }

// Holder names the agent as the holder of a lease.
func (a Agent) Holder() string { return "agent " + strconv.FormatInt(a.ID, 10) }

// SpeaksFor returns a Forbidden error when the agent's token is for another location. One that is for none yet is for
// the first that it is used at.
func (a Agent) SpeaksFor(l Location) error {
	if a.Location == "" || a.Location == l {
		return nil
	}
	return sett.Errorf(sett.Forbidden, "This token is for an agent in %s, not in %s. Start the agent with --location %s, or create another token with: sett agents add NAME --location %s",
		a.Location, l, a.Location, l)
}

// Alive reports whether the agent was heard from lately. A time far ahead is that of a clock which was set back.
func (a Agent) Alive(now time.Time) bool {
	return !farAhead(a.HeardAt, now) && now.Sub(a.HeardAt) <= AgentSilence
}

// hearEvery is how often it is noted that an agent was heard, unless it has something new to say.
const hearEvery = 5 * time.Second

// SaysNothingNew reports whether what the agent says was noted a moment ago.
func (a Agent) SaysNothingNew(r AgentReport, now time.Time) bool {
	age := now.Sub(a.HeardAt)
	return 0 <= age && age < hearEvery && a.Location == r.Location && a.Version == r.Version && a.Degraded == r.Degraded
}

// AgentState is what is to be said of an agent now.
type AgentState string

// The states of an agent.
const (
	AgentAlive    AgentState = "alive"
	AgentSilent   AgentState = "silent"   // not heard from lately, or never
	AgentDegraded AgentState = "degraded" // it is heard, and reaches nothing but the server
)

// State returns how the agent is.
func (a Agent) State(now time.Time) AgentState {
	switch {
	case !a.Alive(now):
		return AgentSilent
	case a.Degraded:
		return AgentDegraded
	}
	return AgentAlive
}

const (
	// clockTolerance is how much a message may take on its way; less than that is no difference of clocks.
	clockTolerance = 2 * time.Second
	// backfillAfter is how old a check may be when it arrives and still speak of now. What is older was kept while the
	// server could not be reached.
	backfillAfter = time.Minute
)

// ClockSkew returns how far the clock is ahead that said sent in a message which arrived at now; 0 when that is no more
// than a message takes.
func ClockSkew(sent, now time.Time) time.Duration {
	if skew := sent.Sub(now); skew > clockTolerance || skew < -clockTolerance {
		return skew
	}
	return 0
}

// FromAgent returns an agent's report as the server's clock has it, and marks it when it comes too late to speak of now.
func (r CheckReport) FromAgent(skew time.Duration, now time.Time) CheckReport {
	r.Result.At = r.Result.At.Add(-skew).UTC()
	r.Backfilled = r.Backfilled || now.Sub(r.end()) > backfillAfter
	return r
}

// FoundBefore reports whether the check was over before its location became live, as far as two clocks can tell.
func (r CheckReport) FoundBefore(live time.Time) bool {
	return r.end().Before(live.Add(-clockTolerance))
}

// Location is a place that sites are checked from.
type Location string

// The locations of the contract.
const (
	Virginia  Location = "Virginia"
	Oregon    Location = "Oregon"
	Frankfurt Location = "Frankfurt"
	Singapore Location = "Singapore"
	London    Location = "London"
)

// Locations returns every location there is, in the order of the contract.
func Locations() []Location { return []Location{Virginia, Oregon, Frankfurt, Singapore, London} }

// ParseLocation reads the name of a location. The error is a phrase that follows the name of what was read.
func ParseLocation(text string) (Location, error) {
	l := Location(text)
	if !slices.Contains(Locations(), l) {
		return "", fmt.Errorf("must be one of %s", locationNames())
	}
	return l, nil
}

func locationNames() string {
	var names []string
	for _, l := range Locations() {
		names = append(names, string(l))
	}
	return strings.Join(names, ", ")
}

// Lease returns the name of the lease whose holder checks from the location. While it is held the location is
// live: only then do its verdicts count.
func (l Location) Lease() string { return locationLease + string(l) }

const locationLease = "location:"

// LeasedLocation is the inverse of Location.Lease; ok is false for the lease of anything else.
func LeasedLocation(lease string) (l Location, ok bool) {
	name, ok := strings.CutPrefix(lease, locationLease)
	return Location(name), ok
}

// longestLease is the longest time for which a lease is taken.
const longestLease = AgentSilence

// LatestLease returns the latest end of a lease that is held now, by any server's clock. One that ends later
// was taken by a clock which was set back since, and is over.
func LatestLease(now time.Time) time.Time { return now.Add(longestLease + clockSkew) }
