package faultdb

import (
	"context"
	"fmt"
	"slices"

	"sett/internal/sett/faults"
	"sett/internal/store/db"
)

// ofNewest is how many faults of a class or a location are compared: the newest.
const ofNewest = 100

const sameClass = `-- faultdb.sameClass
SELECT f.id FROM faults f WHERE f.project_id = $1 AND f.class <> '' AND f.class = (SELECT o.class FROM faults o WHERE o.id = $2) ORDER BY f.id DESC LIMIT $3`

const samePlace = `-- faultdb.samePlace
SELECT f.id FROM faults f WHERE f.project_id = $1 AND {{place}} = (SELECT {{place}} FROM faults o WHERE o.id = $2) ORDER BY f.id DESC LIMIT $3`

const lastOfIDs = `-- faultdb.lastOfIDs
SELECT fault_id FROM fault_counts WHERE fault_id IN %s ORDER BY last_notice_at DESC, fault_id DESC LIMIT $1`

const lastFaultsFirst = ` ORDER BY c.last_notice_at DESC, f.id DESC`

// SimilarFaults returns at most limit faults of a project that may have the same cause as one of them, because they have the same class
// or come from the same location in the app's code; the most recent ones come first.
func (s *Store) SimilarFaults(ctx context.Context, projectID, faultID int64, limit int) (found []faults.Fault, err error) {
	err = s.db.Snapshot(ctx, "find similar faults", func(q db.Querier) error {
		found, err = s.similarFaults(ctx, q, projectID, faultID, limit)
		return err
	})
	return found, err
}

func (s *Store) similarFaults(ctx context.Context, q db.Querier, projectID, faultID int64, limit int) ([]faults.Fault, error) {
	class, err := s.db.ListIDs(ctx, q, sameClass, projectID, faultID, ofNewest)
	if err != nil {
		return nil, err
	}
	place, err := s.db.ListIDs(ctx, q, samePlace, projectID, faultID, ofNewest)
	if err != nil {
		return nil, err
	}
	ids := slices.DeleteFunc(slices.Concat(class, place), func(id int64) bool { return id == faultID })
	slices.Sort(ids)
	list, args := db.In(s.db, 2, slices.Compact(ids))
	last, err := s.db.ListIDs(ctx, q, fmt.Sprintf(lastOfIDs, list), append([]any{limit}, args...)...)
	if err != nil || len(last) == 0 {
		return nil, err
	}
	list, args = db.In(s.db, 2, last)
	return s.faultRows(ctx, q, faultsByReason+list+lastFaultsFirst, append([]any{projectID}, args...)...)
}
