package fault

import (
	"context"
	"database/sql"
	"math"
	"slices"
	"strings"
	"time"

	"sett/internal/sett"
	"sett/internal/store/db"
)

// choose decides which faults a choice means. None of them is one that its search does not match: where the index of facets
// may say too much, what was sent is read.
func (s *Store) choose(ctx context.Context, now time.Time, projectID int64, which FaultChoice) (FaultChoice, error) {
	if which.IDs != nil {
		which.IDs = slices.Compact(slices.Sorted(slices.Values(which.IDs)))
		return which, nil
	}
	f, err := s.searchFaults(ctx, now, projectID, &which)
	if err == nil && f.Search.NeedsPayload() {
		which.IDs, err = s.provenFaults(ctx, f, which.IDs)
	}
	still := f.ofFaults()
	which.still = &still
	return which, err
}

// CountChosen returns how many faults ChangeFaults would look at.
func (s *Store) CountChosen(ctx context.Context, now time.Time, projectID int64, which FaultChoice) (int64, error) {
	which, err := s.choose(ctx, now, projectID, which)
	return int64(len(which.IDs)), err
}

// searchFaults sets the ids of a choice to those that its filter finds, in order, and returns that filter with its dates.
func (s *Store) searchFaults(ctx context.Context, now time.Time, projectID int64, which *FaultChoice) (f FaultFilter, err error) {
	which.IDs = []int64{}
	err = s.db.Snapshot(ctx, "choose faults", func(q db.Querier) error {
		if f, err = which.Filter.Dated(ctx, s, q, projectID, now); err != nil {
			return err
		}
		var a Assembly
		a.Add("-- store.searchFaults\nSELECT f.id")
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

// ofFaults returns the filter without what it says of notices. Those of a fault only grow, so that a fault which had one that
// is meant goes on to have it; what people do to a fault can take it out of a search at any time.
func (f FaultFilter) ofFaults() FaultFilter {
	f.OccurredAfter, f.OccurredBefore = time.Time{}, time.Time{}
	f.Search.Terms = slices.DeleteFunc(slices.Clone(f.Search.Terms), isOfNotices)
	return f
}

const lockChosen = `-- store.lockChosen
SELECT f.id FROM {{rows k(project_id bigint, id bigint)}} JOIN faults f ON f.id = k.id AND f.project_id = k.project_id ORDER BY f.id {{for no key update of f}}`

// lockChosen keeps others from changing some faults of a choice, and returns those that are still meant.
func (t Tx) lockChosen(ctx context.Context, now time.Time, projectID int64, which FaultChoice, ids []int64) (found []int64, err error) {
	if err := t.EachRow(ctx, lockChosen, db.ScanID(func(id int64) { found = append(found, id) }), db.Repeated(projectID, len(ids)), ids); err != nil {
		return nil, db.Wrap("lock faults", err)
	}
	return t.stillChosen(ctx, now, projectID, which, found)
}

// stillChosen returns those of some faults of a choice, which are locked, that are still meant.
func (t Tx) stillChosen(ctx context.Context, now time.Time, projectID int64, which FaultChoice, ids []int64) (found []int64, err error) {
	if which.still == nil || len(ids) == 0 {
		return ids, nil
	}
	var a Assembly
	a.Add("-- store.stillChosen\nSELECT f.id")
	a.FoundFaults(projectID, now, *which.still)
	values := make([]any, len(ids))
	for i, id := range ids {
		values[i] = id
	}
	a.Add(" AND f.id IN ("+strings.Repeat("?,", len(values)-1)+"?) ORDER BY f.id", values...)
	rows, err := t.QueryContext(ctx, a.Statement(t.s.db), a.Args...)
	err = db.ScanAll(rows, err, db.ScanID(func(id int64) { found = append(found, id) }))
	return found, db.Wrap("look whether faults are still meant", err)
}

// How many notices are read to make sure of what a search means: of all faults, and of one. A fault where so many of those
// that the index finds are not meant, the newest first, counts as not meant.
const (
	mostProofs        = 10_000
	mostProofsOfFault = 500
	proofsAtOnce      = 32
)

// provenFaults returns those of some faults that have a notice which the filter means by all that was sent with it.
func (s *Store) provenFaults(ctx context.Context, f FaultFilter, ids []int64) (proven []int64, err error) {
	proven = []int64{}
	left := mostProofs
	if len(ids) > left {
		return nil, errTooManyProofs()
	}
	for _, id := range ids {
		parts := []int64{id}
		if f.inParts {
			if parts, err = s.PartsOf(ctx, s.db.Read, id); err != nil {
				return nil, s.db.Explain(err)
			}
		}
		ok, reads, err := s.proves(ctx, f, parts, min(left, mostProofsOfFault))
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
	return sett.Errorf(sett.Invalid, "Nothing was changed: this search asks for values that events do not have, or how they end. To be sure of it, more than %d events would have to be read in full. "+
		"Narrow the search down, such as with environment: or created.after:, or name the errors by their ids.", mostProofs)
}

// proves reports whether any of the notices under some ids is meant, and how many it has read, at most so many. The first is
// read alone: as a rule the index is right.
func (s *Store) proves(ctx context.Context, f FaultFilter, parts []int64, most int) (ok bool, reads int, err error) {
	for _, part := range parts {
		for before, some := int64(math.MaxInt64), 1; some > 0; some = min(proofsAtOnce, most-reads) {
			found := 0
			if ok, before, found, err = s.proof(ctx, f, part, before, min(some, most-reads)); ok || err != nil {
				return ok, reads + found, err
			}
			if reads += found; found < some {
				break
			}
		}
	}
	return false, reads, nil
}

// provable names the notices under one id, and what was sent with them.
const provable = ` LEFT JOIN bundles u ON u.id = p.bundle_id LEFT JOIN backtraces b ON b.id = p.backtrace_id WHERE n.fault_id = ? AND n.id < ?`

// proof reads some of the notices under an id that the index finds, the newest before one first. It reports whether any is
// meant, the oldest, and their number.
func (s *Store) proof(ctx context.Context, f FaultFilter, part, before int64, most int) (ok bool, oldest int64, found int, err error) {
	var a Assembly
	a.Add("-- store.proof\nSELECT n.id, p.slot, u.body, b.body")
	a.matchNotices(f, provable, part, before)
	a.Add(" ORDER BY n.id DESC LIMIT ?", most)
	rows, err := s.db.Read.QueryContext(ctx, a.Statement(s.db), a.Args...)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var slot int
		var bundle, backtrace []byte
		err := rows.Scan(&oldest, &slot, &bundle, &backtrace)
		found++
		ok = ok || err == nil && f.meansPayload(bundle, slot, backtrace)
		return err
	})
	return ok, oldest, found, err
}

// meansPayload reports whether the search matches what was sent with a notice. What cannot be read matches nothing.
func (f FaultFilter) meansPayload(bundle []byte, slot int, backtrace []byte) bool {
	payload, err := payloadAt(bundle, slot)
	if err != nil {
		return false
	}
	body, err := unpack(payload, backtrace)
	if err != nil {
		return false
	}
	matches, err := f.Search.MatchesPayload(body)
	return matches && err == nil
}
