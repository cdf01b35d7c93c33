package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"sett/internal/sett"
)

const agentColumns = `SELECT id, name, created_at, location, version, heard_at, degraded, skew, dropped FROM agents`

const insertAgent = `-- store.CreateAgent
INSERT INTO agents (name, hash, created_at, location, version, heard_at, degraded, skew, dropped)
VALUES ($1, $2, $3, '', '', 0, false, 0, 0) RETURNING id`

// CreateAgent stores an agent under the SHA-256 hash of its token. A name that is none is an Invalid error.
func (s *Store) CreateAgent(ctx context.Context, now time.Time, name string, hash []byte) (a sett.Agent, err error) {
	var p sett.Problems
	sett.CheckName(&p, "name", name)
	if err := p.Refusal(); err != nil {
		return a, err
	}
	a = sett.Agent{Name: name, CreatedAt: fromMicros(micros(now))}
	err = s.inTx(ctx, "create agent", func(t *tx) error {
		t.keepsFaults = true
		return t.QueryRowContext(ctx, s.text(insertAgent), name, hash, micros(now)).Scan(&a.ID)
	})
	return a, err
}

const agentByHash = `-- store.AgentByHash
` + agentColumns + ` WHERE hash = $1`

// AgentByHash returns the agent whose token has the given SHA-256 hash, or a NotFound error.
func (s *Store) AgentByHash(ctx context.Context, hash []byte) (sett.Agent, error) {
	a, err := scanAgent(s.read.QueryRowContext(ctx, s.text(agentByHash), hash))
	return a, notFound(err, "Agent", "find agent by token")
}

const listAgents = `-- store.ListAgents
` + agentColumns + ` ORDER BY id`

// ListAgents returns all agents in the order in which they were made.
func (s *Store) ListAgents(ctx context.Context) (agents []sett.Agent, err error) {
	rows, err := s.read.QueryContext(ctx, s.text(listAgents))
	err = scanAll(rows, err, func(rows *sql.Rows) error {
		a, err := scanAgent(rows)
		agents = append(agents, a)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list agents: %w", err)
	}
	return agents, nil
}

func scanAgent(row interface{ Scan(...any) error }) (a sett.Agent, err error) {
	var created, heard, skew int64
	err = row.Scan(&a.ID, &a.Name, &created, &a.Location, &a.Version, &heard, &a.Degraded, &skew, &a.Dropped)
	a.CreatedAt, a.HeardAt, a.Skew = fromMicros(created), fromMicros(heard), time.Duration(skew)*time.Microsecond
	return a, err
}

const deleteAgent = `-- store.RevokeAgent
DELETE FROM agents WHERE id = $1`

const dropLeases = `-- store.dropLeases
DELETE FROM leases WHERE holder = $1`

// RevokeAgent makes the token of an agent worth nothing, at once. What it has found stays. The error is NotFound when
// there is no such agent.
func (s *Store) RevokeAgent(ctx context.Context, id int64) error {
	return s.inTx(ctx, "revoke agent", func(t *tx) error {
		t.keepsFaults = true
		found, err := t.changed(ctx, deleteAgent, id)
		if err == nil && found == 0 {
			return sett.Errorf(sett.NotFound, "There is no agent %d. See: sett agents list", id)
		}
		if err != nil {
			return err
		}
		_, err = t.exec(ctx, dropLeases, sett.Agent{ID: id}.Holder())
		return err
	})
}

const hearAgent = `-- store.HearAgent
UPDATE agents SET location = $2, version = $3, heard_at = $4, degraded = $5, skew = $6 WHERE id = $1`

// HearAgent notes what an agent says of itself, and has it check from its location for as long as an agent may be silent,
// unless another does so. One that is degraded keeps nobody from that, and its location is not live. active is false
// where another checks. The error is Unauthenticated when there is no such agent.
func (s *Store) HearAgent(ctx context.Context, now time.Time, id int64, r sett.AgentReport) (active bool, err error) {
	err = s.inTx(ctx, "hear agent", func(t *tx) error {
		t.keepsFaults = true
		found, err := t.changed(ctx, hearAgent, id, string(r.Location), r.Version, micros(now), r.Degraded, r.Skew.Microseconds())
		if err == nil && found == 0 { // it was revoked while it waited for orders
			err = sett.Errorf(sett.Unauthenticated, "This agent was revoked. Make another with: sett agents add NAME")
		}
		if err != nil {
			return err
		}
		active, err = t.occupy(ctx, now, r.Location, sett.Agent{ID: id}.Holder(), r.Degraded, sett.AgentSilence)
		return err
	})
	return active, err
}

// Occupy has somebody check from a location for some time, as HearAgent does an agent.
func (s *Store) Occupy(ctx context.Context, now time.Time, l sett.Location, holder string, degraded bool, d time.Duration) (active bool, err error) {
	err = s.inTx(ctx, "occupy location", func(t *tx) error {
		t.keepsFaults = true
		active, err = t.occupy(ctx, now, l, holder, degraded, d)
		return err
	})
	return active, err
}

const leaseHolder = `-- store.leaseHolder
SELECT holder FROM leases WHERE name = $1 AND held_until > $2`

func (t *tx) occupy(ctx context.Context, now time.Time, l sett.Location, holder string, degraded bool, d time.Duration) (active bool, err error) {
	if !degraded {
		return t.lease(ctx, l.Lease(), holder, now, now.Add(d))
	}
	if _, err := t.exec(ctx, dropLease, l.Lease(), holder); err != nil {
		return false, err
	}
	var other string
	err = t.QueryRowContext(ctx, t.s.text(leaseHolder), l.Lease(), micros(now)).Scan(&other)
	if errors.Is(err, sql.ErrNoRows) {
		return true, nil
	}
	return false, err
}
