package intakedb

import (
	"context"
	"errors"
	"slices"
	"time"

	"sett/internal/sett/alerts"
	"sett/internal/sett/stats"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
)

const (
	mostSpikeFaults = 200 // of a project in one check: the most recent ones
	spikeWindow     = int64(stats.SpikeWindow / time.Second)
)

// spikeProjects are those with an integration, or a user's personal alerts, that wants spikes.
const spikeProjects = `-- intakedb.spikeProjects
SELECT i.project_id FROM integrations i JOIN projects p ON p.id = i.project_id
WHERE i.active AND p.active AND i.events LIKE '%"volume_spike"%' GROUP BY i.project_id ORDER BY i.project_id`

// RaiseSpikes raises volume_spike for each fault that occurs far more often than usual, as sett.MeasureVolume evaluates the ten full
// minutes before now, and returns the number of alerts. It checks at most 200 faults of a project, the ones with the newest notices, and
// only in projects where something wants spikes.
func (s *Store) RaiseSpikes(ctx context.Context, now time.Time) (raised int, err error) {
	projects, err := s.db.ListIDs(ctx, s.db.Read, spikeProjects)
	if err != nil {
		return 0, s.db.Explain(db.Wrap("look for projects that want spikes", err))
	}
	for _, project := range projects {
		spikes, err := s.findSpikes(ctx, now, project)
		if err != nil {
			return raised, s.db.Explain(err)
		}
		for some := range slices.Chunk(spikes, raisedAtOnce) {
			n, err := s.raiseSpikes(ctx, now, some)
			if raised += n; err != nil {
				return raised, err
			}
		}
	}
	return raised, nil
}

// spike is a fault that is spiking, or was recently.
type spike struct {
	faultdb.ActiveFault
	volume stats.Volume
}

const spikesAlerted = `-- intakedb.spikesAlerted
SELECT fault_id, high_at FROM volume_spikes WHERE fault_id IN `

// findSpikes returns the faults of a project that need an alert or a note that they are high.
func (s *Store) findSpikes(ctx context.Context, now time.Time, project int64) (spikes []spike, err error) {
	end := now.Truncate(time.Minute)
	err = s.db.Snapshot(ctx, "look for spikes", func(q db.Querier) error {
		faults, err := s.fault.ActiveFaults(ctx, q, now, project, end.Add(-stats.SpikeWindow), mostSpikeFaults)
		if err != nil {
			return err
		}
		if err := s.fault.ReadNotifiedAt(ctx, q, faults, spikesAlerted); err != nil {
			return err
		}
		if faults, err = s.maySpike(ctx, q, now, end, faults); err != nil {
			return err
		}
		windows, err := s.faultWindows(ctx, q, end, stats.SpikeHistory, faults)
		if err != nil {
			return err
		}
		spikes = measured(now, end, faults, windows)
		for i := range spikes {
			err = errors.Join(err, s.fault.ReadNewest(ctx, q, &spikes[i].ActiveFault))
		}
		return err
	})
	return spikes, err
}

// maySpike drops faults that a cheap check rules out, as it does nearly all; a day of history is read only for the others.
func (s *Store) maySpike(ctx context.Context, q db.Querier, now, end time.Time, faults []faultdb.ActiveFault) (may []faultdb.ActiveFault, err error) {
	windows, err := s.faultWindows(ctx, q, end, stats.SpikeHour, faults)
	for _, f := range faults {
		hour, observed := windows[f.ID][:stats.SpikeHour], windows[f.ID][stats.SpikeHour]
		if noted := !f.NotifiedAt.IsZero() && now.Sub(f.NotifiedAt) < stats.SpikeCalm; noted || stats.MaySpike(hour, observed) {
			may = append(may, f)
		}
	}
	return may, err
}

// faultWindows returns how often faults occurred in the ten-minute window that ends at end, and in the given number of windows before it,
// oldest first.
func (s *Store) faultWindows(ctx context.Context, q db.Querier, end time.Time, before int, faults []faultdb.ActiveFault) (map[int64][]int64, error) {
	from := end.Unix() - int64(before+1)*spikeWindow
	buckets, err := s.fault.FaultBuckets(ctx, q, time.Minute, faultdb.Starts(from, end.Unix(), faultdb.Minute), faults)
	windows := map[int64][]int64{}
	for _, f := range faults {
		windows[f.ID] = make([]int64, before+1)
		for at, n := range buckets[f.ID] {
			windows[f.ID][(at-from)/spikeWindow] += n
		}
	}
	return windows, err
}

// measured compares the recent volume of faults with their volume since they were created.
func measured(now, end time.Time, faults []faultdb.ActiveFault, windows map[int64][]int64) (spikes []spike) {
	for _, f := range faults {
		known := stats.SpikeWindows(f.CreatedAt, end.Add(-stats.SpikeWindow))
		v := stats.MeasureVolume(windows[f.ID][stats.SpikeHistory-known:stats.SpikeHistory], windows[f.ID][stats.SpikeHistory])
		if _, note := v.Notify(f.NotifiedAt, now); note {
			spikes = append(spikes, spike{f, v})
		}
	}
	return spikes
}

const noteSpikes = `-- intakedb.noteSpikes
INSERT INTO volume_spikes (fault_id, high_at) SELECT k.fault_id, k.at FROM {{rows k(fault_id bigint, at bigint)}} WHERE true
ON CONFLICT (fault_id) DO UPDATE SET high_at = excluded.high_at WHERE volume_spikes.high_at < excluded.high_at`

// raiseSpikes notes that faults are high and raises alerts for those that were calm before, in one transaction.
func (s *Store) raiseSpikes(ctx context.Context, now time.Time, spikes []spike) (raised int, err error) {
	var faults []faultdb.ActiveFault
	volumes := map[int64]stats.Volume{}
	for _, v := range spikes {
		faults, volumes[v.ID] = append(faults, v.ActiveFault), v.volume
	}
	err = s.inTx(ctx, "raise spikes", func(t Tx) error {
		t.KeepsCaches = true
		held, err := t.fault().HoldActive(ctx, now, alerts.AlertVolumeSpike, faults)
		if err == nil {
			err = s.fault.ReadNotifiedAt(ctx, t, held, spikesAlerted)
		}
		if err != nil {
			return err
		}
		var noted, ats []int64
		var due []alerts.Alert
		for _, f := range held {
			raise, note := volumes[f.ID].Notify(f.NotifiedAt, now)
			if note {
				noted, ats = append(noted, f.ID), append(ats, db.Micros(now))
			}
			if raise {
				facts := volumes[f.ID].SpikeFacts
				due = append(due, f.Alert(alerts.AlertVolumeSpike, now, alerts.AlertFacts{Spike: &facts}))
			}
		}
		if err := t.Each(ctx, noteSpikes, noted, ats); err != nil {
			return err
		}
		raised = len(due)
		return t.outbox().Raise(ctx, now, due...)
	})
	return raised, err
}
