package uptimedb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/store/db"
)

const agentColumns = `SELECT id, name, created_at, location, version, heard_at, degraded, skew, dropped FROM agents`

const insertAgent = `-- uptimedb.CreateAgent
INSERT INTO agents (name, hash, created_at, location, version, heard_at, degraded, skew, dropped)
VALUES ($1, $2, $3, $4, '', 0, false, 0, 0) RETURNING id`

// CreateAgent stores an agent with the SHA-256 hash of its token. The token is valid for one location: the given one or, if that is "",
// the first one at which it is used. An invalid name is an Invalid error.
func (s *Store) CreateAgent(ctx context.Context, now time.Time, name string, l checks.Location, hash []byte) (a checks.Agent, err error) {
	var p sett.Problems
	sett.CheckName(&p, "name", name)
	if err := p.Refusal(); err != nil {
		return a, err
	}
	a = checks.Agent{Name: name, CreatedAt: db.FromMicros(db.Micros(now)), AgentReport: checks.AgentReport{Location: l}}
	err = s.inTx(ctx, "create agent", func(t Tx) error {
		t.KeepsCaches = true
		return t.QueryRowContext(ctx, s.db.Text(insertAgent), name, hash, db.Micros(now), string(l)).Scan(&a.ID)
	})
	return a, err
}

const agentByHash = `-- uptimedb.AgentByHash
` + agentColumns + ` WHERE hash = $1`

// AgentByHash returns the agent whose token has the given SHA-256 hash, or a NotFound error.
func (s *Store) AgentByHash(ctx context.Context, hash []byte) (checks.Agent, error) {
	a, err := scanAgent(s.db.Read.QueryRowContext(ctx, s.db.Text(agentByHash), hash))
	return a, db.NotFound(err, "Agent", "find agent by token")
}

const listAgents = `-- uptimedb.ListAgents
` + agentColumns + ` ORDER BY id`

// ListAgents returns all agents in order of creation.
func (s *Store) ListAgents(ctx context.Context) (agents []checks.Agent, err error) {
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(listAgents))
	agents, err = db.Collect(rows, err, scanAgent)
	if err != nil {
		return nil, fmt.Errorf("list agents: %w", err)
	}
	return agents, nil
}

func scanAgent(row db.Row) (a checks.Agent, err error) {
	var created, heard, skew int64
	err = row.Scan(&a.ID, &a.Name, &created, &a.Location, &a.Version, &heard, &a.Degraded, &skew, &a.Dropped)
	a.CreatedAt, a.HeardAt, a.Skew = db.FromMicros(created), db.FromMicros(heard), time.Duration(skew)*time.Microsecond
	return a, err
}

const deleteAgent = `-- uptimedb.RevokeAgent
DELETE FROM agents WHERE id = $1`

const dropLeases = `-- uptimedb.dropLeases
DELETE FROM leases WHERE holder = $1`

// RevokeAgent invalidates the token of an agent immediately. The agent's results stay. The error is NotFound if there is no such agent.
func (s *Store) RevokeAgent(ctx context.Context, id int64) error {
	return s.inTx(ctx, "revoke agent", func(t Tx) error {
		t.KeepsCaches = true
		found, err := t.Changed(ctx, deleteAgent, id)
		if err == nil && found == 0 {
			return sett.Errorf(sett.NotFound, "There is no agent %d. See: sett agents list", id)
		}
		if err != nil {
			return err
		}
		_, err = t.Exec(ctx, dropLeases, checks.Agent{ID: id}.Holder())
		return err
	})
}

const agentLocation = `-- uptimedb.agentLocation
SELECT location FROM agents WHERE id = $1 {{for update}}`

const bindAgent = `-- uptimedb.bindAgent
UPDATE agents SET location = $2 WHERE id = $1`

// bind binds the token of an agent to a location, unless it is already bound to it. The error is Forbidden if it is bound to another one,
// and Unauthenticated if there is no such agent.
func (t Tx) bind(ctx context.Context, id int64, l checks.Location) error {
	var a checks.Agent
	err := t.QueryRowContext(ctx, t.s.db.Text(agentLocation), id).Scan(&a.Location)
	if errors.Is(err, sql.ErrNoRows) { // it was revoked while it waited for orders
		return revoked()
	}
	if err == nil {
		err = a.SpeaksFor(l)
	}
	if err != nil || a.Location == l {
		return err
	}
	_, err = t.Exec(ctx, bindAgent, id, string(l))
	return err
}

func revoked() error {
	return sett.Errorf(sett.Unauthenticated, "This agent was revoked. Create a new one with: sett agents add NAME")
}

const setAgentSeen = `-- uptimedb.AgentSeen
UPDATE agents SET version = $2, heard_at = $3, degraded = $4, skew = $5 WHERE id = $1`

// AgentSeen records an agent's report about itself, and makes it the active agent of its location for as long as an agent may be silent,
// unless another one is active. A degraded agent does not keep others from becoming active, and its location is not live. active is false
// if another one is active. A report that was recorded a moment ago is not written again. The error is Unauthenticated if there is no
// such agent, and Forbidden if its token is for another location.
func (s *Store) AgentSeen(ctx context.Context, now time.Time, id int64, r checks.AgentReport) (active bool, err error) {
	if active, known, err := s.agentSeen(ctx, now, id, r); known || err != nil {
		return active, err
	}
	err = s.inTx(ctx, "hear agent", func(t Tx) error {
		t.KeepsCaches = true
		if err := t.bind(ctx, id, r.Location); err != nil {
			return err
		}
		if _, err := t.Exec(ctx, setAgentSeen, id, r.Version, db.Micros(now), r.Degraded, r.Skew.Microseconds()); err != nil {
			return err
		}
		active, err = t.occupy(ctx, now, r.Location, checks.Agent{ID: id}.Holder(), r.Degraded, checks.AgentSilence)
		return err
	})
	return active, err
}

const agentSeen = `-- uptimedb.agentSeen
SELECT a.location, a.version, a.heard_at, a.degraded, coalesce(l.holder, '') FROM agents a
LEFT JOIN leases l ON l.name = $2 AND l.held_until > $3 AND l.held_until <= $4 WHERE a.id = $1`

// agentSeen is AgentSeen if there is nothing to write; otherwise known is false. Whenever a site changes, every agent that waits for
// orders calls this.
func (s *Store) agentSeen(ctx context.Context, now time.Time, id int64, r checks.AgentReport) (active, known bool, err error) {
	var a checks.Agent
	var heard int64
	var holder string
	err = s.db.Read.QueryRowContext(ctx, s.db.Text(agentSeen), id, r.Location.Lease(), db.Micros(now), db.Micros(checks.LatestLease(now))).
		Scan(&a.Location, &a.Version, &heard, &a.Degraded, &holder)
	if errors.Is(err, sql.ErrNoRows) {
		return false, false, revoked()
	}
	if err != nil {
		return false, false, fmt.Errorf("find agent: %w", err)
	}
	a.HeardAt = db.FromMicros(heard)
	free := holder == ""
	active = holder == checks.Agent{ID: id}.Holder() || free && r.Degraded
	return active, a.SaysNothingNew(r, now) && (active || !free), nil
}

// Occupy makes a holder the active one of a location for some time, as AgentSeen does for agents.
func (s *Store) Occupy(ctx context.Context, now time.Time, l checks.Location, holder string, degraded bool, d time.Duration) (active bool, err error) {
	err = s.inTx(ctx, "occupy location", func(t Tx) error {
		t.KeepsCaches = true
		active, err = t.occupy(ctx, now, l, holder, degraded, d)
		return err
	})
	return active, err
}

const leaseHolder = `-- uptimedb.leaseHolder
SELECT holder FROM leases WHERE name = $1 AND held_until > $2 AND held_until <= $3`

func (t Tx) occupy(ctx context.Context, now time.Time, l checks.Location, holder string, degraded bool, d time.Duration) (active bool, err error) {
	if !degraded {
		return t.Lease(ctx, l.Lease(), holder, now, now.Add(d))
	}
	if err := t.DropLease(ctx, l.Lease(), holder); err != nil {
		return false, err
	}
	var other string
	err = t.QueryRowContext(ctx, t.s.db.Text(leaseHolder), l.Lease(), db.Micros(now), db.Micros(checks.LatestLease(now))).Scan(&other)
	if errors.Is(err, sql.ErrNoRows) {
		return true, nil
	}
	return false, err
}
