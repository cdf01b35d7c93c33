package operate

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/checks"
)

// AddedAgent is a new agent with its token, which is shown only once.
type AddedAgent struct {
	ID       int64           `json:"id"`
	Name     string          `json:"name"`
	Location checks.Location `json:"location"` // that the token is for; "": the first that it is used at
	Token    string          `json:"token"`
}

// ListedAgent is an agent as the command line shows it.
type ListedAgent struct {
	ID        int64             `json:"id"`
	Name      string            `json:"name"`
	Location  checks.Location   `json:"location"` // that its token is for; "": the first that it is used at
	Version   string            `json:"version"`  // as it said last; "" before the first time
	State     checks.AgentState `json:"state"`
	HeardAt   *time.Time        `json:"heard_at"`      // nil: never
	SkewMS    int64             `json:"clock_skew_ms"` // that its clock is ahead of the server's
	Dropped   int64             `json:"reports_dropped"`
	CreatedAt time.Time         `json:"created_at"`
}

// Skew is how far the agent's clock is ahead.
func (a ListedAgent) Skew() time.Duration { return time.Duration(a.SkewMS) * time.Millisecond }

// AddAgent creates an agent and its token for a location, or with "" for the first one that uses it. An invalid name or
// location is an Invalid error, and nothing is created.
func AddAgent(ctx context.Context, in Installation, name, location string) (AddedAgent, error) {
	return administer(ctx, in, func(a *administration) (AddedAgent, error) {
		name = strings.TrimSpace(name)
		sett.CheckName(&a.problems, "the name of the agent", name)
		if _, err := checks.ParseLocation(location); err != nil && location != "" {
			a.problems.Add("--location", "%s", err.Error())
		}
		if err := a.problems.Err(); err != nil {
			return AddedAgent{}, err
		}
		token := checks.NewAgentToken()
		made, err := a.Uptime.CreateAgent(ctx, a.now, name, checks.Location(location), auth.HashToken(token))
		return AddedAgent{made.ID, made.Name, made.Location, token}, err
	})
}

// ListAgents returns all agents in the order in which they were made.
func ListAgents(ctx context.Context, in Installation) ([]ListedAgent, error) {
	return administer(ctx, in, func(a *administration) ([]ListedAgent, error) {
		agents, err := a.Store.Uptime.ListAgents(ctx)
		list := []ListedAgent{}
		for _, have := range agents {
			list = append(list, ListedAgent{
				ID: have.ID, Name: have.Name, Location: have.Location, Version: have.Version, State: have.State(a.now),
				HeardAt: unlessZero(have.HeardAt), SkewMS: have.Skew.Milliseconds(), Dropped: have.Dropped, CreatedAt: have.CreatedAt,
			})
		}
		return list, err
	})
}

// RevokeAgent revokes the token of an agent by its id, and returns the name of the agent.
func RevokeAgent(ctx context.Context, in Installation, id string) (name string, err error) {
	return administer(ctx, in, func(a *administration) (string, error) {
		number, err := strconv.ParseInt(id, 10, 64)
		if err != nil {
			return "", sett.Errorf(sett.Invalid, "%q is not the id of an agent: ids are numbers, shown by sett agents list", id)
		}
		agents, err := a.Store.Uptime.ListAgents(ctx)
		if err != nil {
			return "", err
		}
		if i := slices.IndexFunc(agents, func(have checks.Agent) bool { return have.ID == number }); i >= 0 {
			name = agents[i].Name
		}
		return name, a.Store.Uptime.RevokeAgent(ctx, number)
	})
}
