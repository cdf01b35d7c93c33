package searchdb

import (
	"cmp"
	"context"
	"slices"
	"time"

	"sett/internal/event/column"
	"sett/internal/event/payload"
	"sett/internal/event/query"
	"sett/internal/store/block"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
)

// TraceSearch asks for the faults that have events of one request or trace.
type TraceSearch struct {
	Trace    string        // its id; case does not count
	At       time.Time     // when one of the events arrived
	Projects []int64       // that are searched, the first of them first
	Within   time.Duration // how long it may take: then it returns what it has found
}

// The bounds of a search for a trace.
const (
	traceAround   = 15 * time.Minute // how far apart from At events are found
	traceProjects = 20
	traceFaults   = 20
)

// FaultsOfTrace returns faults with events of a request or trace, in the order of their first such event.
func (s *Store) FaultsOfTrace(ctx context.Context, t TraceSearch) (found []UserFault, err error) {
	trace := payload.UserText(t.Trace)
	if trace == "" {
		return nil, nil
	}
	until := time.Now().Add(t.Within)
	has := func(b payload.Body, searchField string) (bool, error) {
		return payload.HasValue(b, searchField, trace, string(query.Trace))
	}
	search := block.Search{
		Terms:  []column.Term{column.Whole(string(query.Trace), trace)},
		Within: []block.Span{{From: faultdb.NoticeIDAt(t.At.Add(-traceAround)), To: faultdb.NoticeIDAt(t.At.Add(traceAround))}}, Times: true, Until: until,
	}
	err = s.db.Snapshot(ctx, "search for trace", func(q db.Querier) error {
		var hits []userHit
		for i, project := range t.Projects[:min(len(t.Projects), traceProjects)] {
			if i > 0 && time.Now().After(until) {
				break
			}
			some, err := s.hitsOfProject(ctx, q, project, search, proof{holds: has, until: until})
			if err != nil {
				return err
			}
			hits = append(hits, some...)
		}
		slices.SortFunc(hits, func(a, b userHit) int { return cmp.Compare(a.first, b.first) })
		found, err = s.faultsOfHits(ctx, q, hits[:min(len(hits), traceFaults)])
		return err
	})
	slices.SortFunc(found, func(a, b UserFault) int { return cmp.Compare(a.First, b.First) })
	return found, err
}
