package intakedb

import (
	"context"

	"sett/internal/sett"
	"sett/internal/sett/release"
	"sett/internal/store/releasedb"
)

// releaseCounts counts notices by release.
type releaseCounts map[releasedb.Key]releaseCount

type releaseCount struct {
	notices     int64
	first, last sett.NoticeID
}

func newReleaseCounts() sum { return releaseCounts{} }

func (c releaseCounts) add(n *noted) {
	if !release.IsVersion(n.facts.Revision) {
		return
	}
	k := releasedb.Key{ProjectID: n.owner.project, Version: n.facts.Revision}
	had, counted := c[k]
	if !counted {
		had.first = n.id
	}
	c[k] = releaseCount{had.notices + 1, min(had.first, n.id), max(had.last, n.id)}
}

func (c releaseCounts) write(ctx context.Context, t Tx) error {
	of := map[int64]bool{}
	for k := range c {
		of[k.ProjectID] = true
	}
	gone, err := t.goneProjects(ctx, of)
	if err != nil {
		return err
	}
	var named []releasedb.Named
	for k, n := range c {
		if !gone[k.ProjectID] {
			named = append(named, releasedb.Named{Key: k, At: n.last.Time(), First: n.first.Time(), Last: n.last.Time(), Events: n.notices})
		}
	}
	_, err = t.release().Note(ctx, named) // what has no room counts for no release
	return err
}

// noteReleases notes which faults the batch created or reopened in which releases.
func (b *batch) noteReleases(ctx context.Context) error {
	var faults []releasedb.Fault
	for _, f := range b.order {
		if f.count == 0 || !f.made && !f.reopened {
			continue
		}
		event := release.New
		if f.reopened {
			event = release.Reopened
		}
		k := releasedb.Key{ProjectID: f.project, Version: f.first.Revision}
		faults = append(faults, releasedb.Fault{Key: k, Event: event, ID: f.id, At: b.now})
	}
	return b.t.release().AddFaults(ctx, faults)
}
