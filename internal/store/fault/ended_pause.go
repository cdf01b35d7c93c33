package fault

import (
	"cmp"
	"context"

	"sett/internal/sett"
	"sett/internal/store/db"
)

const awaitPauseEnds = `-- store.awaitPauseEnds
UPDATE fault_counts SET paused_count = k.n, resumes_at = k.at FROM {{rows k(id bigint, n bigint, at bigint)}} WHERE fault_id = k.id`

// Await sets the end of a pause after which the next notice of the faults raises an alert. It replaces an earlier one.
func (t Tx) Await(ctx context.Context, end sett.PauseEnd, faultIDs ...int64) error {
	n := len(faultIDs)
	return db.Wrap("await end of pause", t.Each(ctx, awaitPauseEnds, faultIDs, db.Repeated(end.Count, n), db.Repeated(db.Micros(end.At), n)))
}

// EndedPauses holds the faults whose pause ended with the notices that are being counted, and the facts of their alerts.
type EndedPauses map[int64]sett.AlertFacts

const routedFaultsByIDs = faultsByIDs + ` WHERE NOT f.resolved AND NOT f.ignored`

// Raise raises an alert, once per pause, that the faults occur again. A fault that was resolved or ignored before its notices were
// counted keeps waiting: its alert is raised when it occurs again.
func (e EndedPauses) Raise(ctx context.Context, t Tx) error {
	faults, err := t.faultsNotified(ctx, routedFaultsByIDs, db.Sorted(e, cmp.Compare[int64]))
	if err != nil || len(faults) == 0 {
		return err
	}
	var last sett.NoticeID
	var ids []int64
	var alerts []sett.Alert
	for _, f := range faults {
		id := e[f.ID].NoticeID
		last, ids = max(last, id), append(ids, f.ID)
		alerts = append(alerts, f.Alert(sett.AlertOccurred, id.Time(), e[f.ID]))
	}
	if err := t.Await(ctx, sett.PauseEnd{}, ids...); err != nil {
		return err
	}
	return t.outbox().RaiseHere(ctx, last.Time(), alerts...)
}
