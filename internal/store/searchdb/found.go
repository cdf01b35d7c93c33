package searchdb

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"sett/internal/event/column"
	"sett/internal/event/query"
	"sett/internal/sett"
	"sett/internal/store/block"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
)

// foundNotices are the notices that have what a search asks for.
type foundNotices struct {
	counts map[int64]int64   // by fault
	newest map[int64][]int64 // ids by fault, about the newest first, if they are kept
	list   string            // the faults, as Assembly.Add takes it
	ids    any               // its value

	since  time.Time // if the search ran out of time: all notices from then on were searched
	unread int       // damaged blocks and bundles
	away   int       // blocks in object storage that cannot be read now
}

// Of returns the filter for some faults only: it need not find others.
func (f Filter) Of(faults []int64) Filter {
	f.of = map[int64]bool{}
	for _, id := range faults {
		f.of[id] = true
	}
	return f
}

// findNotices finds the notices of a project that the filter matches.
func (s *Store) findNotices(ctx context.Context, q db.Querier, projectID int64, f Filter) (*foundNotices, error) {
	var into map[int64]int64
	var err error
	if f.inParts {
		if into, err = s.fault.MergedOf(ctx, q, projectID); err != nil {
			return nil, err
		}
	}
	search := block.Search{Terms: column.Terms(f.Search), Within: f.spans, Keep: f.keep, Until: f.until}
	if f.of != nil && !f.inParts {
		search.Of = f.of
	}
	found, err := s.block.Find(ctx, q, projectID, search)
	if err != nil {
		return nil, err
	}
	if err := s.verify(ctx, q, projectID, f.proof(), &found); err != nil {
		return nil, err
	}
	n := &foundNotices{counts: map[int64]int64{}, newest: map[int64][]int64{}, unread: found.Unread, away: found.Away}
	if found.Since != 0 {
		n.since = sett.NoticeID(found.Since).Time()
	}
	for part, count := range found.Counts {
		fault := cmp.Or(into[part], part)
		n.counts[fault] += count
		n.newest[fault] = append(n.newest[fault], found.IDs[part]...)
	}
	n.list, n.ids = s.db.List(db.Sorted(n.counts, cmp.Compare))
	return n, nil
}

// spansOfNotices returns the ids of the notices that occurred when the filter says, as ranges apart from each other, in order; nil for all.
func (f Filter) spansOfNotices() []block.Span {
	all := []block.Span{{From: 0, To: math.MaxInt64}}
	spans := intersect(all, []block.Span{spanOf(faultdb.NoticeIDAt(f.OccurredAfter), faultdb.NoticeIDAt(f.OccurredBefore))})
	for _, t := range f.Search.Terms {
		if t.Key != query.Occurred {
			continue
		}
		var some []block.Span
		for _, v := range t.Values {
			some = append(some, spanOf(faultdb.NoticeIDAt(v.From), faultdb.NoticeIDAt(v.To)))
		}
		if some = union(some); t.Negated {
			some = complement(some)
		}
		spans = intersect(spans, some)
	}
	if slices.Equal(spans, all) {
		return nil
	}
	return spans
}

// spanOf returns a range in which 0 leaves an end open.
func spanOf(from, to int64) block.Span {
	if to == 0 {
		to = math.MaxInt64
	}
	return block.Span{From: from, To: to}
}

// union returns ranges in order and apart from each other.
func union(spans []block.Span) (apart []block.Span) {
	slices.SortFunc(spans, func(a, b block.Span) int { return cmp.Compare(a.From, b.From) })
	for _, s := range spans {
		if last := len(apart) - 1; last >= 0 && s.From <= apart[last].To {
			apart[last].To = max(apart[last].To, s.To)
		} else if s.From < s.To {
			apart = append(apart, s)
		}
	}
	return apart
}

// complement returns what lies between ranges.
func complement(spans []block.Span) []block.Span {
	between, from := []block.Span{}, int64(0)
	for _, s := range spans {
		if from < s.From {
			between = append(between, block.Span{From: from, To: s.From})
		}
		from = s.To
	}
	if from < math.MaxInt64 {
		between = append(between, block.Span{From: from, To: math.MaxInt64})
	}
	return between
}

// intersect returns what is in both of two lists of ranges.
func intersect(one, other []block.Span) []block.Span {
	both := []block.Span{}
	for _, a := range one {
		for _, b := range other {
			if s := (block.Span{From: max(a.From, b.From), To: min(a.To, b.To)}); s.From < s.To {
				both = append(both, s)
			}
		}
	}
	return both
}
