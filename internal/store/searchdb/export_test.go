package searchdb

import (
	"context"
	"time"

	"sett/internal/store/db"
	"sett/internal/store/faultdb"
)

type FaultList = faultList

const (
	CountMine         = countMine
	MostProofs        = mostProofs
	MostProofsOfFault = mostProofsOfFault
)

var RecentOf, KeptOf = recentOf, keptOf

func (s *Store) Choose(ctx context.Context, now time.Time, projectID int64, which Choice) (faultdb.Chosen, error) {
	return s.choose(ctx, now, projectID, which)
}

func (s *Store) ProvenFaults(ctx context.Context, projectID int64, f Filter, ids []int64) ([]int64, error) {
	f, err := s.searched(ctx, projectID, f)
	if err != nil {
		return nil, err
	}
	return s.provenFaults(ctx, projectID, f, ids)
}

// searched prepares a filter with as many notices as there are.
func (s *Store) searched(ctx context.Context, projectID int64, f Filter) (Filter, error) {
	f.keep = 2 * mostProofsOfFault
	err := s.db.Snapshot(ctx, "search", func(q db.Querier) (err error) {
		f, err = f.Prepare(ctx, s, q, projectID, time.Now())
		return err
	})
	return f, err
}

func (s *Store) Proves(ctx context.Context, projectID int64, f Filter, faultID int64, most int) (bool, int, error) {
	f, err := s.searched(ctx, projectID, f)
	if err != nil {
		return false, 0, err
	}
	return s.proves(ctx, projectID, f, faultID, most)
}
