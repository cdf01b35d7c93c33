package faultdb

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"sett/internal/event/payload"
	"sett/internal/sett"
	"sett/internal/store/db"
)

// choose selects the faults of a choice. All of them match its search: where the index of facets may match too much, the notices
// themselves are checked.
func (s *Store) choose(ctx context.Context, now time.Time, projectID int64, which FaultChoice) (FaultChoice, error) {
	if which.IDs != nil {
		which.IDs = slices.Compact(slices.Sorted(slices.Values(which.IDs)))
		return which, nil
	}
	f, err := s.searchFaults(ctx, now, projectID, &which)
	if err == nil && payload.NeedsBody(f.Search) {
		which.IDs, err = s.provenFaults(ctx, projectID, f, which.IDs)
	}
	still := f.ofFaults()
	which.still = &still
	return which, err
}

// CountChosen returns how many faults ChangeFaults would consider.
func (s *Store) CountChosen(ctx context.Context, now time.Time, projectID int64, which FaultChoice) (int64, error) {
	which, err := s.choose(ctx, now, projectID, which)
	return int64(len(which.IDs)), err
}

// searchFaults sets the ids of a choice to those that its filter matches, in order, and returns the filter with its dates resolved.
func (s *Store) searchFaults(ctx context.Context, now time.Time, projectID int64, which *FaultChoice) (f FaultFilter, err error) {
	err = s.db.Snapshot(ctx, "choose faults", func(q db.Querier) error {
		which.IDs = []int64{}
		f = which.Filter
		if payload.NeedsBody(f.Search) {
			f.keep = mostProofsOfFault
		}
		if f, err = f.Prepare(ctx, s, q, projectID, now); err != nil {
			return err
		}
		var a Assembly
		a.Add("-- faultdb.searchFaults\nSELECT f.id")
		a.FoundFaults(projectID, now, f)
		if !which.AsOf.IsZero() {
			a.Add(" AND f.created_at <= ?", db.Micros(which.AsOf))
		}
		a.Add(" ORDER BY f.id")
		rows, err := q.QueryContext(ctx, a.Statement(s.db), a.Args...)
		return db.ScanAll(rows, err, db.ScanID(func(id int64) { which.IDs = append(which.IDs, id) }))
	})
	return f, err
}

// ofFaults returns the filter without its conditions on notices. A fault only gains notices, so a fault that had a matching one still has
// it; but users can change a fault at any time so that it no longer matches.
func (f FaultFilter) ofFaults() FaultFilter {
	f.OccurredAfter, f.OccurredBefore = time.Time{}, time.Time{}
	f.Search.Terms = slices.DeleteFunc(slices.Clone(f.Search.Terms), isOfNotices)
	return f
}

// stillChosen returns which of some locked faults of a choice still match; see FaultChoice.still.
func (t Tx) stillChosen(ctx context.Context, now time.Time, projectID int64, still *FaultFilter, ids []int64) (found []int64, err error) {
	if still == nil || len(ids) == 0 {
		return ids, nil
	}
	var a Assembly
	a.Add("-- faultdb.stillChosen\nSELECT f.id")
	a.FoundFaults(projectID, now, *still)
	values := make([]any, len(ids))
	for i, id := range ids {
		values[i] = id
	}
	a.Add(" AND f.id IN ("+strings.Repeat("?,", len(values)-1)+"?) ORDER BY f.id", values...)
	rows, err := t.QueryContext(ctx, a.Statement(t.s.db), a.Args...)
	err = db.ScanAll(rows, err, db.ScanID(func(id int64) { found = append(found, id) }))
	return found, db.Wrap("check whether faults still match", err)
}

// How many notices are read to verify the matches of a search: of all faults, and of one. A fault whose newest notices found by the
// index, up to this limit, do not match counts as no match.
const (
	mostProofs        = 10_000
	mostProofsOfFault = 500
	proofsAtOnce      = 32
)

// provenFaults returns the faults that have a notice whose full content matches the filter.
func (s *Store) provenFaults(ctx context.Context, projectID int64, f FaultFilter, ids []int64) (proven []int64, err error) {
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
func (s *Store) proves(ctx context.Context, projectID int64, f FaultFilter, fault int64, most int) (ok bool, reads int, err error) {
	notices := slices.SortedFunc(slices.Values(f.found.newest[fault]), func(a, b int64) int { return cmp.Compare(b, a) })
	notices = notices[:min(len(notices), most)]
	for some := 1; len(notices) > 0; some = proofsAtOnce {
		part := notices[:min(some, len(notices))]
		notices = notices[len(part):]
		reads += len(part)
		if ok, err = s.proof(ctx, projectID, f, fault, part); ok || err != nil {
			return ok, reads, err
		}
	}
	return false, reads, nil
}

const provable = `-- faultdb.proof
SELECT n.id, n.token, n.slot, u.body, b.body FROM {{rows k(id bigint)}} JOIN notices n ON n.id = k.id` + noticeParts

// proof reports whether the content of any of some notices of a fault matches.
func (s *Store) proof(ctx context.Context, projectID int64, f FaultFilter, fault int64, notices []int64) (ok bool, err error) {
	err = s.db.Snapshot(ctx, "read notices", func(q db.Querier) error {
		owner, err := s.noticeOwner(ctx, q, projectID, fault)
		if sett.CodeOf(err) == sett.NotFound {
			return nil // it was deleted meanwhile
		}
		if err != nil {
			return err
		}
		var rows []noticeRow
		if err := s.db.ReadRows(ctx, q, provable, scanNoticeRow(&rows), notices); err != nil {
			return err
		}
		if err := s.fillPayloads(ctx, q, projectID, rows); err != nil {
			return err
		}
		ok = slices.ContainsFunc(rows, func(r noticeRow) bool { return f.meansPayload(r, owner) })
		return nil
	})
	return ok, err
}

// meansPayload reports whether the search matches the content of a notice. Unreadable content matches nothing.
func (f FaultFilter) meansPayload(r noticeRow, o noticeOwner) bool {
	body, err := r.body()
	if err != nil {
		return false
	}
	matches, err := payload.Matches(f.Search, body, o.searchField)
	return matches && err == nil
}
