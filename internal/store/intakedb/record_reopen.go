package intakedb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"

	"sett/internal/sett/faults"
	"sett/internal/sett/release"
	"sett/internal/store/db"
	"sett/internal/store/releasedb"
)

// findRecurring finds the resolved faults that the batch reopens. A fault that is resolved in a release needs a report for that; see
// release.Reopens. Only batches with reports of such faults read releases.
func (b *batch) findRecurring(ctx context.Context) error {
	resolvedIn := map[*batchFault]bool{}
	for _, f := range b.order {
		next, _ := f.state.Occur()
		switch recurs := f.count > 0 && next != f.state; {
		case recurs && f.state.ResolvedIn != "":
			resolvedIn[f] = true
		case recurs:
			f.recurs = true
		}
	}
	if len(resolvedIn) == 0 {
		return nil
	}
	named, err := b.releasesOf(ctx, resolvedIn)
	if err != nil {
		return err
	}
	for _, i := range b.Live {
		f, r := b.faultOf(i), b.in.Reports[i]
		if !resolvedIn[f] || !release.Reopens(f.state.ResolvedIn, r.Revision, named[f.project]) {
			continue
		}
		if !f.recurs {
			f.recurs, f.first, f.last = true, r, 0
		}
		f.last = max(f.last, b.Ids[i])
	}
	return nil
}

// releasesOf returns the releases in which faults are resolved, and those in which they occur, by project.
func (b *batch) releasesOf(ctx context.Context, resolvedIn map[*batchFault]bool) (map[int64]map[string]release.Place, error) {
	asked := map[releasedb.Key]bool{}
	for _, i := range b.Live {
		if f := b.faultOf(i); resolvedIn[f] {
			asked[releasedb.Key{ProjectID: f.project, Version: f.state.ResolvedIn}] = true
			asked[releasedb.Key{ProjectID: f.project, Version: b.in.Reports[i].Revision}] = true
		}
	}
	first, err := b.t.release().FirstNamed(ctx, slices.Collect(maps.Keys(asked))...)
	if err != nil {
		return nil, fmt.Errorf("compare releases: %w", err)
	}
	named := map[int64]map[string]release.Place{}
	for k, f := range first {
		if named[k.ProjectID] == nil {
			named[k.ProjectID] = map[string]release.Place{}
		}
		named[k.ProjectID][k.Version] = f
	}
	return named, nil
}

const reopenFaults = `-- intakedb.reopenFaults
UPDATE faults SET resolved = false, resolved_in = '' WHERE resolved AND id IN (SELECT k.id FROM {{rows k(id bigint)}})
RETURNING id, (SELECT c.notices_count FROM fault_counts c WHERE c.fault_id = faults.id),
    (SELECT c.paused_count FROM fault_counts c WHERE c.fault_id = faults.id),
    (SELECT c.resumes_at FROM fault_counts c WHERE c.fault_id = faults.id)`

const retagFaults = `-- intakedb.retagFaults
UPDATE faults SET tags = k.tags FROM {{rows k(id bigint, tags text, had text)}} WHERE faults.id = k.id AND faults.tags = k.had`

// reopen reopens resolved faults that occurred again, adds this to their history, and adds new tags. An alert that a fault was reopened
// makes the alert that its pause ended unnecessary.
func (b *batch) reopen(ctx context.Context) error {
	var recurred, reopened, retagged, pauseEnded []int64
	var tags, had []string
	var entries []faults.Entry
	byID := map[int64]*batchFault{}
	if err := b.findRecurring(ctx); err != nil {
		return err
	}
	for _, f := range b.order {
		if f.recurs {
			recurred, byID[f.id] = append(recurred, f.id), f
		}
		if f.retagged {
			retagged, tags = append(retagged, f.id), append(tags, faults.JoinLines(f.tags))
			had = append(had, faults.JoinLines(f.had)) // if a user has changed the tags meanwhile, the next notice adds to theirs
		}
	}
	err := b.t.EachRow(ctx, reopenFaults, func(rows *sql.Rows) error {
		var id, before, resumes int64
		var end faults.PauseEnd
		err := rows.Scan(&id, &before, &end.Count, &resumes)
		byID[id].reopened, byID[id].before = true, before
		reopened, entries = append(reopened, id), append(entries, release.ReopenedEntry(byID[id].first.Revision))
		if end.At = db.FromMicros(resumes); end.Passed(before+byID[id].count, b.now) {
			pauseEnded = append(pauseEnded, id)
		}
		return err
	}, recurred)
	if err != nil {
		return fmt.Errorf("reopen faults: %w", err)
	}
	slices.Sort(pauseEnded) // the order in which flushes lock them
	return errors.Join(b.t.fault().Await(ctx, faults.PauseEnd{}, pauseEnded...),
		b.t.fault().AddEntries(ctx, b.now, 0, entries, reopened), b.t.Each(ctx, retagFaults, retagged, tags, had))
}
