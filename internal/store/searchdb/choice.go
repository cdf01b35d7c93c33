package searchdb

import (
	"cmp"
	"context"
	"slices"
	"time"

	"sett/internal/event/payload"
	"sett/internal/sett"
	"sett/internal/sett/triage"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
)

// Choice selects the faults of a bulk change: by ids, or by a filter.
type Choice struct {
	IDs    []int64 // nil: by the filter
	Filter Filter
	AsOf   time.Time // skip faults that were created or changed later; zero: change all
}

// ChangeFaults makes the same change to many faults of a project, as faultdb does. The faults are selected once, before the first lot.
func (s *Store) ChangeFaults(ctx context.Context, now time.Time, userID, projectID int64, which Choice, c triage.BulkChange) (done faultdb.BulkOutcome, err error) {
	chosen, err := s.choose(ctx, now, projectID, which)
	if err != nil {
		return done, err
	}
	return s.fault.ChangeFaults(ctx, now, userID, projectID, chosen, c)
}

// ResolveFaults resolves, for a user, the unresolved faults that the filter matches, as ChangeFaults does, and returns their number.
func (s *Store) ResolveFaults(ctx context.Context, now time.Time, userID, projectID int64, f Filter) (n int64, err error) {
	f.unresolved = true
	resolve := triage.BulkChange{Action: sett.Some(string(triage.BulkResolve))}
	done, err := s.ChangeFaults(ctx, now, userID, projectID, Choice{Filter: f}, resolve)
	return done.Changed, err
}

// choose selects the faults of a choice. All of them match its search: where the index of facets may match too much, the notices
// themselves are checked.
func (s *Store) choose(ctx context.Context, now time.Time, projectID int64, which Choice) (chosen faultdb.Chosen, err error) {
	chosen.AsOf = which.AsOf
	if which.IDs != nil {
		chosen.IDs = slices.Compact(slices.Sorted(slices.Values(which.IDs)))
		return chosen, nil
	}
	f, ids, err := s.searchFaults(ctx, now, projectID, which)
	if err == nil && payload.NeedsBody(f.Search) {
		ids, err = s.provenFaults(ctx, projectID, f, ids)
	}
	chosen.IDs, chosen.Still = ids, s.still(projectID, f)
	return chosen, err
}

// CountChosen returns how many faults ChangeFaults would consider.
func (s *Store) CountChosen(ctx context.Context, now time.Time, projectID int64, which Choice) (int64, error) {
	chosen, err := s.choose(ctx, now, projectID, which)
	return int64(len(chosen.IDs)), err
}

// searchFaults returns the faults that the filter of a choice matches, in order, and the filter with its dates resolved.
func (s *Store) searchFaults(ctx context.Context, now time.Time, projectID int64, which Choice) (f Filter, ids []int64, err error) {
	err = s.db.Snapshot(ctx, "choose faults", func(q db.Querier) error {
		ids, f = []int64{}, which.Filter
		if payload.NeedsBody(f.Search) {
			f.keep = mostProofsOfFault
		}
		if f, err = f.Prepare(ctx, s, q, projectID, now); err != nil {
			return err
		}
		var a Assembly
		a.Add("-- searchdb.searchFaults\nSELECT f.id")
		a.FoundFaults(projectID, now, f)
		if !which.AsOf.IsZero() {
			a.Add(" AND f.created_at <= ?", which.AsOf)
		}
		a.Add(" ORDER BY f.id")
		rows, err := q.QueryContext(ctx, a.Statement(s.db), a.Args...)
		return db.ScanAll(rows, err, db.ScanID(func(id int64) { ids = append(ids, id) }))
	})
	return f, ids, err
}

// still checks faults that a filter has chosen, without its conditions on notices. A fault only gains notices, so a fault that had a matching
// one still has it; but users can change a fault at any time so that it no longer matches.
func (s *Store) still(projectID int64, f Filter) faultdb.Still {
	f = f.ofFaults()
	return func(ctx context.Context, q db.Querier, now time.Time, ids []int64) (found []int64, err error) {
		var a Assembly
		a.Add("-- searchdb.still\nSELECT f.id")
		a.FoundFaults(projectID, now, f)
		a.Among(ids)
		a.Add(" ORDER BY f.id")
		rows, err := q.QueryContext(ctx, a.Statement(s.db), a.Args...)
		err = db.ScanAll(rows, err, db.ScanID(func(id int64) { found = append(found, id) }))
		return found, db.Wrap("check whether faults still match", err)
	}
}

// How many notices are read to verify the matches of a search: of all faults, and of one. A fault whose newest notices found by the
// index, up to this limit, do not match counts as no match.
const (
	mostProofs        = 10_000
	mostProofsOfFault = 500
	proofsAtOnce      = 32
)

// provenFaults returns the faults that have a notice whose full content matches the filter.
func (s *Store) provenFaults(ctx context.Context, projectID int64, f Filter, ids []int64) (proven []int64, err error) {
	proven = []int64{}
	left := mostProofs
	if len(ids) > left {
		return nil, errTooManyProofs()
	}
	for _, id := range ids {
		ok, reads, err := s.proves(ctx, projectID, f, id, min(left, mostProofsOfFault))
		if left -= reads; err != nil {
			return nil, s.db.Explain(db.Wrap("read notices of a search", err))
		}
		switch {
		case ok:
			proven = append(proven, id)
		case left <= 0:
			return nil, errTooManyProofs()
		}
	}
	return proven, nil
}

func errTooManyProofs() error {
	return sett.Errorf(sett.Invalid, "Nothing was changed: this search excludes values, or matches the ends of values. To verify it, sett would have to read more than %d events in full. "+
		"Narrow the search, for example with environment: or created.after:, or give the ids of the errors.", mostProofs)
}

// proves reports whether any of the notices of a fault that the index found matches, and how many it has read, at most most. It reads the
// first one alone, because usually the index is right.
func (s *Store) proves(ctx context.Context, projectID int64, f Filter, fault int64, most int) (ok bool, reads int, err error) {
	notices := slices.SortedFunc(slices.Values(f.found.newest[fault]), func(a, b int64) int { return cmp.Compare(b, a) })
	notices = notices[:min(len(notices), most)]
	for some := 1; len(notices) > 0; some = proofsAtOnce {
		part := notices[:min(some, len(notices))]
		notices = notices[len(part):]
		reads += len(part)
		if ok, err = s.anyMatches(ctx, projectID, f, part); ok || err != nil {
			return ok, reads, err
		}
	}
	return false, reads, nil
}

// anyMatches reports whether the content of any of some notices matches.
func (s *Store) anyMatches(ctx context.Context, projectID int64, f Filter, notices []int64) (ok bool, err error) {
	err = s.db.Snapshot(ctx, "read notices", func(q db.Querier) error {
		ids, _, err := s.matching(ctx, q, projectID, f.proof(), notices)
		ok = len(ids) > 0
		return err
	})
	return ok, err
}
