package store

import (
	"cmp"
	"context"

	"sett/internal/sett"
)

// endedPauses are the faults whose pause by count has ended with notices that are being counted, and what is told of them.
type endedPauses map[int64]sett.AlertFacts

// raise tells that the faults occur again. Each pause ends once, as the number of notices only grows.
func (e endedPauses) raise(ctx context.Context, t *tx) error {
	faults, err := t.faultsTold(ctx, faultsByIDs, sorted(e, cmp.Compare[int64]))
	if err != nil {
		return err
	}
	var last sett.NoticeID
	var alerts []sett.Alert
	for _, f := range faults {
		id := e[f.ID].NoticeID
		last = max(last, id)
		alerts = append(alerts, f.Alert(sett.AlertOccurred, id.Time(), e[f.ID]))
	}
	return t.raiseHere(ctx, last.Time(), alerts...)
}
