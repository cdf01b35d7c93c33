package uptimedb

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"sett/internal/sett/checks"
	"sett/internal/store/db"
)

// AgentUpload is a batch of an agent's reports. A stream is one run of the agent, which numbers its batches from 1 and sends them in
// order.
type AgentUpload struct {
	AgentID  int64
	Location checks.Location
	Stream   string
	Sequence int64
	Dropped  int64 // reports that the run has lost for lack of space
	Reports  []checks.CheckReport
}

// RecordUpload stores a batch of an agent like RecordChecks, but only once: a batch that was stored before is reported as repeated and
// changes nothing. Reports from a time when the agent was not the active one of its location, for example because it was cut off, only go
// into the history and do not affect the current state. The errors are those of AgentSeen.
func (s *Store) RecordUpload(ctx context.Context, now time.Time, u AgentUpload) (events []checks.SiteEvent, repeated bool, err error) {
	err = s.inTx(ctx, "record upload", func(t Tx) error {
		t.KeepsCaches = true
		events = nil
		if err := t.bind(ctx, u.AgentID, u.Location); err != nil {
			return err
		}
		if repeated, err = t.repeated(ctx, now, u); err != nil || repeated {
			return err
		}
		since, checks, err := t.checksSince(ctx, now, u)
		if err != nil {
			return err
		}
		for i := range u.Reports {
			r := &u.Reports[i]
			r.Backfilled = r.Backfilled || !checks || r.FoundBefore(since)
		}
		events, err = t.recordChecks(ctx, now, u.Reports)
		return err
	})
	if err != nil {
		return nil, false, err
	}
	return events, repeated, nil
}

const heldSince = `-- uptimedb.heldSince
SELECT held_since FROM leases WHERE name = $1 AND held_until > $2 AND held_until <= $3 AND holder = $4`

// checksSince returns since when an agent has been the active one of its location; checks is false if it is not.
func (t Tx) checksSince(ctx context.Context, now time.Time, u AgentUpload) (since time.Time, results bool, err error) {
	var at int64
	err = t.QueryRowContext(ctx, t.s.db.Text(heldSince), u.Location.Lease(), db.Micros(now), db.Micros(checks.LatestLease(now)), checks.Agent{ID: u.AgentID}.Holder()).Scan(&at)
	if errors.Is(err, sql.ErrNoRows) {
		return time.Time{}, false, nil
	}
	return db.FromMicros(at), err == nil, err
}

const advanceStream = `-- uptimedb.advanceStream
INSERT INTO agent_streams (agent_id, stream, sequence, at) VALUES ($1, $2, $3, $4)
ON CONFLICT (agent_id, stream) DO UPDATE SET sequence = excluded.sequence, at = excluded.at
WHERE agent_streams.sequence < excluded.sequence`

const noteDropped = `-- uptimedb.noteDropped
UPDATE agents SET dropped = $2 WHERE id = $1 AND dropped <> $2`

// repeated records the position of a stream and reports whether the stream had already reached it.
func (t Tx) repeated(ctx context.Context, now time.Time, u AgentUpload) (bool, error) {
	if _, err := t.Exec(ctx, noteDropped, u.AgentID, u.Dropped); err != nil {
		return false, err
	}
	advanced, err := t.Changed(ctx, advanceStream, u.AgentID, u.Stream, u.Sequence, db.Micros(now))
	return advanced == 0, err
}

// StreamsKept is how long the number of a stream's newest batch is kept: an agent keeps unsent batches for a day.
const StreamsKept = 7 * 24 * time.Hour

const forgetStreams = `-- uptimedb.ForgetStreams
DELETE FROM agent_streams WHERE at < $1`

// ForgetStreams deletes the positions of streams from which nothing can come any more.
func (s *Store) ForgetStreams(ctx context.Context, now time.Time) error {
	return s.inTx(ctx, "forget streams", func(t Tx) error {
		t.KeepsCaches = true
		_, err := t.Exec(ctx, forgetStreams, db.Micros(now.Add(-StreamsKept)))
		return err
	})
}
