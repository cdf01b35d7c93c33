package rollupdb

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

func (c releaseCounts) add(n *Notice) {
	if !release.IsVersion(n.Facts.Revision) {
		return
	}
	k := releasedb.Key{ProjectID: n.Project, Version: n.Facts.Revision}
	had, counted := c[k]
	if !counted {
		had.first = n.ID
	}
	c[k] = releaseCount{had.notices + 1, min(had.first, n.ID), max(had.last, n.ID)}
}

func (c releaseCounts) write(ctx context.Context, t tx) error {
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
